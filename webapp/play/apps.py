from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "webapp.play"
    label = "play"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from webapp.play import dispatch

        dispatch.listen()
