"""Make a database with the current code: python -m tests.upgrade.make NAME (see README.md)."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

MODEL = {"OPENAI_API_KEY": "not-to-be-kept", "OPENAI_MODEL": "a-model"}
WIDTH = 120
START = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)


def make(name: str, file: Path) -> None:
    """Play the games and run the campaigns in an empty database, and pack it with its facts."""
    from django.contrib.auth.models import User
    from django.contrib.sessions.models import Session
    from django.core.management import call_command

    from game.models import Game
    from tests.endpoint import Endpoint
    from tests.upgrade import campaigns, games, studies
    from tests.upgrade.database import FACTS, FOLDER, pack
    from tests.upgrade.facts import campaign_facts, game_facts
    from tests.upgrade.playing import World

    call_command("migrate", verbosity=0)
    with Endpoint() as endpoint, World(START).running() as world:
        with mock.patch.dict(os.environ, {**MODEL, "OPENAI_BASE_URL": endpoint.url}):
            played_games = games.play_finished(world, endpoint)
            ada = User.objects.create_user("ada")  # without a password
            finished_study = studies.run_finished(world, ada)
            rated_campaigns = campaigns.create_all(ada, endpoint, played_games, finished_study)
            finished_games = [played_games["models"], played_games["people"]]
            played_games |= games.play_unfinished(world)
            open_study = studies.run_half_way(world, ada, finished_games)
        assert not endpoint.errors
    Session.objects.all().delete()  # sessions are useless without this run's secret key
    facts = {
        "games": {
            name: game_facts(Game.objects.get(pk=game.pk)) for name, game in played_games.items()
        },
        "campaigns": {name: campaign_facts(campaign) for name, campaign in rated_campaigns.items()},
        "studies": {"finished": finished_study.code, "half_way": open_study.code},
    }
    size = pack(file, name)
    (FOLDER / f"{name}{FACTS}").write_text(compact(facts) + "\n", "utf-8")
    print(f"{name}: {size / 1024:.0f} KB")


def compact(data: Any, before: str = "\n") -> str:
    """Format JSON for readable diffs, with short values on one line."""
    line = json.dumps(data, ensure_ascii=False)
    if len(line) + len(before) <= WIDTH or not isinstance(data, dict | list):
        return line
    indent = f"{before} "
    if isinstance(data, list):
        return "[" + ",".join(indent + compact(item, indent) for item in data) + before + "]"
    rows = [f"{indent}{json.dumps(k)}: {compact(v, indent)}" for k, v in data.items()]
    return "{" + ",".join(rows) + before + "}"


@contextmanager
def own_site() -> Iterator[Path]:
    """Set up Django for tests with an empty data folder. Yields: the database file."""
    os.environ.pop("DATABASE_URL", None)
    with tempfile.TemporaryDirectory(prefix="fabula-upgrade-") as folder:
        os.environ |= {"FABULA_TEST_RUN": folder, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        import django
        from django.conf import settings
        from django.test.utils import setup_test_environment, teardown_test_environment

        django.setup()
        setup_test_environment()  # allows test clients
        yield Path(settings.DATABASES["default"]["NAME"])
        teardown_test_environment()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.upgrade.make", description=__doc__)
    parser.add_argument("name", help="of the revision, such as its short hash")
    name = parser.parse_args().name
    with own_site() as file:
        make(name, file)


if __name__ == "__main__":
    main()
