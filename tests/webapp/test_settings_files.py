"""Tests of the contest server's settings files, for `simulate` and the form of a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client

from game.engine import rulesets
from game.engine.declarations import effective_settings
from game.models import Game
from tests.clients import FORM
from webapp.play.tables.rule_fields import MAX_SETTINGS_FILE_CHARS

pytestmark = pytest.mark.django_db
ROLES = {
    "aiwolf-5": {"WEREWOLF": 1, "POSSESSED": 1, "SEER": 1, "VILLAGER": 2, "MEDIUM": 0},
    "aiwolf-13": {
        **{"WEREWOLF": 3, "POSSESSED": 1, "SEER": 1, "MEDIUM": 1, "BODYGUARD": 1},
        "VILLAGER": 6,
    },
}
LENGTH = {
    **{"count_in_word": False, "count_spaces": False, "per_talk": -1, "per_agent": -1},
    **{"mention_length": 125, "base_length": 125},
}


def server_file(name: str = "aiwolf-5") -> dict[str, Any]:
    """Return the rules in the server's default file for that number of players."""
    seats = sum(ROLES[name].values())
    whispers = {"per_agent": 4, "per_day": 12} if seats == 13 else {"per_agent": 0, "per_day": 0}
    talks = {"per_agent": 4, "per_day": 4 * seats}
    except_first = {"except_day": 0}
    return {
        "server": {"web_socket": {"host": "127.0.0.1", "port": 8080}},
        "game": {
            **{"agent_count": seats, "max_day": -1, "vote_visibility": True},
            "talk": {"max_count": talks, "max_length": LENGTH, "max_skip": 0},
            "whisper": {"max_count": whispers, "max_length": LENGTH, "max_skip": 0},
            "vote": {"max_count": 1, "allow_self_vote": True},
            "attack_vote": {"max_count": 1, "allow_self_vote": True, "allow_no_target": False},
        },
        "logic": {
            "day_phases": [{"actions": ["whisper"], "only_day": 0}, {"actions": ["talk"]}],
            "night_phases": [
                {"actions": ["whisper"], "only_day": 0},
                {"actions": ["execution"], **except_first},
                {"actions": ["divine"]},
                *({"actions": [a], **except_first} for a in ("whisper", "guard", "attack")),
            ],
            "roles": {seats: ROLES[name]},
        },
    }


class NoAliases(yaml.SafeDumper):
    """YAML dumper that writes repeated values out."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def edit(path: str, value: object) -> str:
    """Return the file with another value at a dotted path."""
    document = json.loads(json.dumps(server_file()))
    document["logic"]["roles"] = {5: document["logic"]["roles"]["5"]}
    *sections, last = path.split(".")
    section = document
    for name in sections:
        section = section[int(name) if name.isdigit() else name]
    section[int(last) if last.isdigit() else last] = value
    return yaml.safe_dump(document)


def simulate(file: Path, name: str = "aiwolf-5", *options: str) -> None:
    call_command(
        *("simulate", "--ruleset", name, "--games", "1", "--seed", "s"),
        *(f"--settings-file={file}", *options),
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ROLES)
def test_default_files_of_the_server_equal_the_contest_preset(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ruleset, document = rulesets.get(name), server_file(name)
    preset = effective_settings(ruleset.settings, ruleset.presets[0].settings)
    assert effective_settings(ruleset.settings, ruleset.read_settings(document)) == preset
    document["game"]["max_day"] = 1
    file = tmp_path / "contest.yml"
    file.write_text(yaml.dump(document, Dumper=NoAliases))
    simulate(file, name)
    result = json.loads(capsys.readouterr().out)
    assert effective_settings(ruleset.settings, result["settings"]) == {**preset, "max_day": 1}


@pytest.mark.parametrize(
    ("key", "setting"),
    [
        ("game.max_day", "max_day"),
        ("game.talk.max_skip", "talk_max_skip"),
        ("game.talk.max_length.base_length", "base_length"),
        ("game.talk.max_length.mention_length", "mention_length"),
    ],
)
def test_minus_one_means_no_limit(key: str, setting: str) -> None:
    document = yaml.safe_load(edit(key, -1))
    assert rulesets.get("aiwolf-5").read_settings(document)[setting] == -1


REFUSED = [
    (edit("game.talk.max_skips", 0), "unknown key game.talk.max_skips; allowed there: "),
    (edit("games", {}), "unknown key games; allowed there: custom_profile, game, "),
    (
        edit("game.max_day", "two"),
        "game.max_day: max_day must be a whole number, not 'two'",
    ),
    (
        edit("game.vote.max_count", 3),
        "game.vote.max_count: vote_max_count must be from 1 to 2",
    ),
    (edit("game.talk.max_count.per_day", -1), "talk_per_day must be from 1 to 100, not -1"),
    (edit("game.agent_count", 13), "game.agent_count must be 5, not 13"),
    (
        edit("game.talk.max_length.count_in_word", True),
        "count_in_word must be false, not True",
    ),
    (edit("game.vote", 1), "game.vote must be a section with keys, not 1"),
    (
        edit("logic.roles.5", {"WEREWOLF": 2}),
        "logic.roles.5 must be POSSESSED: 1, SEER: 1,",
    ),
    (edit("logic.roles", {}), "logic.roles needs a section 5:"),
    (
        edit("logic.day_phases", []),
        "logic.day_phases must be the contest's own order: whisper",
    ),
    (edit("logic.night_phases", 7), "logic.night_phases must be the contest's own order:"),
    (
        edit("logic.day_phases.0.actions", 7),
        "logic.day_phases must be the contest's own order",
    ),
    ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", "it uses aliases, which are not allowed"),
    ("game: !!python/object/apply:os.system [id]", "it is no YAML in line 1"),
    ("game: {max_day: ", "it is no YAML in line 1"),
    ("[" * 1000, "it is no"),
    ("- game", "the file holds no settings: it begins with keys such as game:"),
    (
        "#" * (MAX_SETTINGS_FILE_CHARS + 1),
        f"it is longer than {MAX_SETTINGS_FILE_CHARS} characters",
    ),
]


@pytest.mark.parametrize(("text", "error"), REFUSED, ids=[error[:40] for _, error in REFUSED])
def test_invalid_file_is_refused_with_its_error_by_command_and_form(
    text: str, error: str, tmp_path: Path
) -> None:
    file = tmp_path / "contest.yml"
    file.write_text(text)
    with pytest.raises(CommandError) as raised:
        simulate(file)
    assert str(raised.value).startswith(f"--settings-file {file}: ")
    assert error in str(raised.value)
    form = {**FORM, "ruleset": "aiwolf-5", "settings_file": text, "rule_talk_per_agent": "7"}
    response = Client().post("/tables/new", form)
    assert response.status_code == 422
    assert not Game.objects.exists()
    fields = response.context["form"]
    if len(text) <= MAX_SETTINGS_FILE_CHARS:
        assert error in fields.errors["settings_file"][0]
    assert fields["settings_file"].value() == text
    assert fields["rule_talk_per_agent"].value() == "7"


@pytest.mark.parametrize(("data", "error"), [(b"\xff\xfe", "is no text"), (b"", "no settings")])
def test_file_without_text_is_refused(data: bytes, error: str, tmp_path: Path) -> None:
    file = tmp_path / "contest.yml"
    file.write_bytes(data)
    with pytest.raises(CommandError, match=error):
        simulate(file)
    with pytest.raises(CommandError, match="No such file"):
        simulate(tmp_path / "none.yml")


def test_option_that_contradicts_the_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "contest.yml"
    file.write_text(yaml.dump(server_file(), Dumper=NoAliases))
    with pytest.raises(CommandError, match="--set max_day contradicts the settings file"):
        simulate(file, "aiwolf-5", "--set", "max_day=3")


def test_pasted_file_replaces_the_rules_of_the_form() -> None:
    text = edit("game.talk.max_count.per_agent", 2)
    form = {**FORM, "ruleset": "aiwolf-5", "settings_file": text, "rule_talk_per_agent": "7"}
    assert Client().post("/tables/new", form).status_code == 302
    game = Game.objects.get()
    assert (game.settings["talk_per_agent"], game.settings["count"]) == (2, "characters")


PROFILES = [
    {"name": "Yumi", "age": 16, "gender": "girl", "personality": "Cheerful.", "voice_id": 3},
    {"name": "Ken", "age": 40, "gender": "man", "personality": "Grumpy."},
]


def file_with_profiles(**section: Any) -> str:
    document = server_file() | {"custom_profile": {"enable": True, **section}}
    return yaml.dump(document, Dumper=NoAliases)


@pytest.mark.django_db(transaction=True)  # threads of the simulation read the rows
def test_profiles_of_the_file_are_dealt_to_seats(tmp_path: Path) -> None:
    file = tmp_path / "server.yml"
    file.write_text(file_with_profiles(profiles=PROFILES))
    options = {"ruleset": "aiwolf-5", "games": 1, "seed": "p", "settings_file": str(file)}
    call_command("simulate", method="contest", concurrency=1, **options)
    profiles = [
        p.recipe["profile"] for p in Game.objects.get().players.all() if "profile" in p.recipe
    ]
    assert sorted(profile["age"] for profile in profiles) == ["16", "40"]
    assert all(set(profile) == {"age", "gender", "personality"} for profile in profiles)


@pytest.mark.parametrize(
    ("section", "error"),
    [
        ({"profiles": "Yumi"}, "custom_profile.profiles must be a list"),
        ({"profiles": [{"personality": "x" * 1001}]}, "number 1: personality has more than 1000"),
    ],
)
def test_unreadable_profiles_are_refused(
    section: dict[str, Any], error: str, tmp_path: Path
) -> None:
    file = tmp_path / "server.yml"
    file.write_text(file_with_profiles(**section))
    options = {"ruleset": "aiwolf-5", "games": 1, "seed": "p", "settings_file": str(file)}
    with pytest.raises(CommandError, match=error):
        call_command("simulate", **options)


def test_profiles_of_a_pasted_file_are_dealt_to_seats() -> None:
    data = {**FORM, "ruleset": "aiwolf-5", "mode": "watch", "method": "contest"}
    response = Client().post(
        "/tables/new", {**data, "settings_file": file_with_profiles(profiles=PROFILES)}
    )
    assert response.status_code == 302
    recipes = {p.seat: p.recipe for p in Game.objects.latest("pk").players.all()}
    assert recipes[1]["profile"]["personality"] == "Cheerful."
    assert "profile" not in recipes[3]
