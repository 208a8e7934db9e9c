"""The study: what turns finished games into ratings and figures."""

from django.apps import AppConfig
from django.db.models import Q


class StudyConfig(AppConfig):
    name = "webapp.study"
    label = "study"

    def ready(self) -> None:
        from django.contrib.auth import signals

        from game.signals import game_changed
        from webapp import housekeeping
        from webapp.play import onward, sweeper, unwatched
        from webapp.play.signals import name_erased, words_blanked
        from webapp.study import audit, erasure
        from webapp.study.judging import judges, running
        from webapp.study.participant import game_step
        from webapp.study.rater import of_participants
        from webapp.study.sessions import (
            clock,
            games,
            places,
            practice,
            quiz_tries,
            rated_games,
            seating,
        )

        signals.user_logged_in.connect(audit.on_sign_in, dispatch_uid="audit")
        signals.user_logged_out.connect(audit.on_sign_out, dispatch_uid="audit")
        housekeeping.JOBS.append(audit.forget_old)
        unwatched.spare(Q(campaigngame__isnull=False))
        unwatched.spare(Q(slot__isnull=False))
        name_erased.connect(erasure.forget_name)
        words_blanked.connect(judges.forget_reasons, dispatch_uid="judges")
        game_changed.connect(games.heard, dispatch_uid="study")
        places.expiring["rules"] = quiz_tries.expire
        places.moved += [
            seating.moved,
            practice.on_moved,
            rated_games.on_moved,
            of_participants.on_moved,
        ]
        places.going_out.append(seating.gone)
        sweeper.JOBS += [clock.step, running.sweep]
        onward.told_by(game_step.bar)
