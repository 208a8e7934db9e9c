from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "webapp.play"
    label = "play"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from agents.llm import capabilities
        from webapp import housekeeping
        from webapp.play import budget, chat, dispatch
        from webapp.play.stored_capabilities import InDatabase

        dispatch.listen()
        capabilities.keep_in(InDatabase())
        housekeeping.JOBS += [budget.forget_old, chat.clear_old]
