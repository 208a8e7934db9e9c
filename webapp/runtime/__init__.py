"""The one-command local runtime: embedded Redis, web, worker and sweeper under one supervisor."""

from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]


class StartupError(Exception):
    """Fabula can't start or continue. The message is one sentence for the console."""
