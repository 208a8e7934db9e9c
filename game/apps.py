"""The Django app of the game."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings


class GameConfig(AppConfig):
    name = "game"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the rulesets of external packages (docs/rulesets.md)."""
        from game.engine import rulesets
        from game.engine.ruleset_files import InvalidRuleset

        for module in settings.RULESETS:
            try:
                for ruleset in rulesets.declared_rulesets(import_module(module)):
                    rulesets.register(ruleset)
            except (ImportError, AttributeError) as error:
                raise SystemExit(
                    f"FABULA_RULESETS names {module!r}, which is no module with a RULESET: {error}."
                    " Correct the name, or put its folder on PYTHONPATH."
                ) from None
            except InvalidRuleset as error:
                raise SystemExit(f"FABULA_RULESETS names {module!r}: {error}.") from None
