"""The study: what turns finished games into ratings and figures."""

from django.apps import AppConfig
from django.db.models import Q


class StudyConfig(AppConfig):
    name = "webapp.study"
    label = "study"

    def ready(self) -> None:
        from django.contrib.auth import signals

        from webapp import housekeeping
        from webapp.play import unwatched
        from webapp.play.signals import name_erased
        from webapp.study import audit, erasure

        signals.user_logged_in.connect(audit.on_sign_in, dispatch_uid="audit")
        signals.user_logged_out.connect(audit.on_sign_out, dispatch_uid="audit")
        housekeeping.JOBS.append(audit.forget_old)
        unwatched.spare(Q(campaigngame__isnull=False))
        name_erased.connect(erasure.forget_name)
