"""Runs the concurrent crowds on the database of DATABASE_URL. Prints the results as JSON.

`python -m tests.at_once` is started by test_databases, on a database of its own.
"""

from __future__ import annotations

import json
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.core.management import call_command  # noqa: E402

from tests.game import crowd as players  # noqa: E402
from tests.study import arrivals  # noqa: E402
from tests.study import crowd as raters  # noqa: E402
from webapp.play.live import notifier  # noqa: E402


def main() -> None:
    call_command("migrate", verbosity=0)
    crowds = {"players": players, "raters": raters, "arrivals": arrivals}
    print(json.dumps({name: crowd.came_of_it() for name, crowd in crowds.items()}))


if __name__ == "__main__":
    with notifier.diverted(lambda game, opened: None):
        main()
