"""The Django app of studies. It connects signal receivers, periodic jobs and the table owner."""

from django.apps import AppConfig
from django.db.models import Q


class StudyConfig(AppConfig):
    name = "webapp.study"
    label = "study"

    def ready(self) -> None:
        """Connect the study. The modules are imported here, because they need all models."""
        from webapp import housekeeping
        from webapp.play import table_owners
        from webapp.play.live import sweeper
        from webapp.study import timed_steps
        from webapp.study.ethics import participant_erasure, retention
        from webapp.study.judging import judge_runs
        from webapp.study.participant import table_owner
        from webapp.study.researcher import all_games, audit
        from webapp.study.sessions import bonuses, rooms

        _connect_signals()
        housekeeping.DAILY_JOBS += [
            audit.delete_old_lines,
            retention.run_retention,
            rooms.delete_old_visits,
        ]
        sweeper.SWEEP_JOBS += [
            timed_steps.run_timed_steps,
            bonuses.sweep_bonuses,
            participant_erasure.continue_pending_erasures,
            judge_runs.sweep_judges,
        ]
        table_owners.owners.append(
            table_owners.TableOwner(
                find_progress=table_owner.find_progress,
                list_messages=table_owner.list_messages,
                kept_games=[Q(campaigngame__isnull=False), Q(slot__isnull=False)],
                can_watch_replay=all_games.can_open_replay,
                link_at=all_games.find_continuation_link,
            )
        )


def _connect_signals() -> None:
    from django.contrib.auth import signals

    from game.signals import game_changed
    from webapp.play.signals import name_erased, text_redacted, text_reported, time_without_pages
    from webapp.study import task_models, timed_steps
    from webapp.study.experiments import game_starts
    from webapp.study.judging import judges
    from webapp.study.participant import table_owner
    from webapp.study.rating import rater_erasure
    from webapp.study.researcher import audit
    from webapp.study.sessions import slot_games

    signals.user_logged_in.connect(audit.on_sign_in, dispatch_uid="audit")
    signals.user_logged_out.connect(audit.on_sign_out, dispatch_uid="audit")
    name_erased.connect(rater_erasure.on_name_erased, dispatch_uid="raters")
    text_redacted.connect(judges.on_text_redacted, dispatch_uid="judges")
    text_redacted.connect(task_models.on_text_redacted, dispatch_uid="embeddings")
    text_reported.connect(table_owner.on_text_reported, dispatch_uid="study")
    time_without_pages.connect(timed_steps.on_time_without_pages, dispatch_uid="study")
    game_changed.connect(slot_games.on_game_changed, dispatch_uid="study")
    game_changed.connect(game_starts.on_game_changed, dispatch_uid="experiments")
