"""The Django app of play."""

from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "webapp.play"
    label = "play"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # These modules need the models, which Django has loaded only now.
        from agents.llm import capabilities
        from webapp import housekeeping
        from webapp.play.live import notifier  # noqa: F401  # connects its receiver
        from webapp.play.page import chat
        from webapp.play.turns import daily_budget
        from webapp.play.turns.model_choices import DatabaseCapabilityStore

        capabilities.set_store(DatabaseCapabilityStore())
        housekeeping.DAILY_JOBS += [daily_budget.delete_old_counts, chat.delete_old_lines]
