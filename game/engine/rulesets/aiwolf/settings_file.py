"""Reads the settings file of a contest server, which a YAML parser has parsed into a document."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from game.engine.declarations import format_value
from game.engine.ruleset import BadSettingsFile, Ruleset

# Sections without rules. `read_profiles` reads the profiles.
OTHER_SECTIONS = (
    *("server", "matching", "custom_profile", "json_logger", "game_logger"),
    *("realtime_broadcaster", "tts_broadcaster"),
)
PROFILE_KEYS = ("age", "gender", "personality")
MAX_PROFILE_CHARACTERS = 1_000
# The contest's order of phases: (action, condition, day of the condition).
DAY_PHASES = (("whisper", "only_day", 0), ("talk", "", 0))
NIGHT_PHASES = (
    *(("whisper", "only_day", 0), ("execution", "except_day", 0), ("divine", "", 0)),
    *(("whisper", "except_day", 0), ("guard", "except_day", 0), ("attack", "except_day", 0)),
)


def _talk_keys(section: str, prefix: str) -> dict[str, str]:
    """Return key of the file -> key of the setting, for talk or whispers."""
    length = "" if prefix == "talk" else f"{prefix}_"
    return {
        f"{section}.max_count.per_agent": f"{prefix}_per_agent",
        f"{section}.max_count.per_day": f"{prefix}_per_day",
        f"{section}.max_length.base_length": f"{length}base_length",
        f"{section}.max_length.mention_length": f"{length}mention_length",
        f"{section}.max_skip": f"{prefix}_max_skip",
    }


SETTINGS = {  # key of the file -> key of the setting
    "game.max_day": "max_day",
    "game.vote_visibility": "vote_visibility",
    "game.vote.max_count": "vote_max_count",
    "game.vote.allow_self_vote": "allow_self_vote",
    "game.attack_vote.max_count": "attack_max_count",
    "game.attack_vote.allow_no_target": "allow_no_target",
    **_talk_keys("game.talk", "talk"),
    **_talk_keys("game.whisper", "whisper"),
}
_FIXED_LENGTHS = {"count_in_word": False, "count_spaces": False, "per_talk": -1, "per_agent": -1}
# Key of the file -> its only permitted value.
FIXED_VALUES: dict[str, Any] = {
    f"game.{talk}.max_length.{key}": value
    for talk in ("talk", "whisper")
    for key, value in _FIXED_LENGTHS.items()
}
# A vote of a Werewolf for itself never counts, so both values mean the same.
WITHOUT_EFFECT = ("game.attack_vote.allow_self_vote",)
# Keys of sections that are read as a whole.
UNSPLIT_KEYS = ("logic.roles", "logic.day_phases", "logic.night_phases")


def read(document: object, ruleset: Ruleset) -> dict[str, bool | int | str]:
    """Return the settings that the file chooses, added to those of the preset `contest`.

    The message of a BadSettingsFile names the key and what is allowed.
    """
    if not isinstance(document, Mapping):
        raise BadSettingsFile("the file holds no settings: it begins with keys such as game:")
    deck, settings = ruleset.deck, {setting.key: setting for setting in ruleset.settings}
    fixed = {**FIXED_VALUES, "game.agent_count": len(deck)}
    (contest_preset,) = ruleset.presets
    chosen = dict(contest_preset.settings)
    for key, value in _rule_values(document, fixed):
        if key in fixed and (type(value), value) != (type(fixed[key]), fixed[key]):
            raise BadSettingsFile(f"{key} must be {format_value(fixed[key])}, not {value!r}")
        setting = settings.get(SETTINGS.get(key, ""))
        if setting and (error := setting.value_error(value)):
            raise BadSettingsFile(f"{key}: {error}, not {value!r}")
        if setting:
            chosen[setting.key] = value
    logic = document.get("logic", {})
    if "roles" in logic:
        _check_roles(logic["roles"], deck)
    _check_phases("logic.day_phases", logic.get("day_phases"), DAY_PHASES)
    _check_phases("logic.night_phases", logic.get("night_phases"), NIGHT_PHASES)
    return chosen


def read_profiles(document: object) -> list[dict[str, str]]:
    """Return age, gender and personality of each profile, [] if the file turns profiles off.

    Names are omitted, because seats have names of their own.
    """
    section = document.get("custom_profile") if isinstance(document, Mapping) else None
    if not isinstance(section, Mapping) or not section.get("enable"):
        return []
    rows = section.get("profiles")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise BadSettingsFile("custom_profile.profiles must be a list of sections with keys")
    profiles = []
    for number, row in enumerate(rows, 1):
        profile = {key: str(row[key]).strip() for key in PROFILE_KEYS if row.get(key)}
        if too_long := [key for key, text in profile.items() if len(text) > MAX_PROFILE_CHARACTERS]:
            raise BadSettingsFile(
                f"custom_profile.profiles, number {number}: {too_long[0]} has more than"
                f" {MAX_PROFILE_CHARACTERS} characters"
            )
        profiles.append(profile)
    return profiles


def _rule_values(
    document: Mapping[Any, Any], fixed: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield (dotted key, value) of every value that concerns the rules."""
    known_keys = {*SETTINGS, *fixed, *WITHOUT_EFFECT, *UNSPLIT_KEYS}

    def walk(section: Mapping[Any, Any], path: str) -> Iterator[tuple[str, Any]]:
        for name, value in section.items():
            key = f"{path}{name}"
            if not path and name in OTHER_SECTIONS:
                continue
            below = sorted({k[len(path) :].split(".")[0] for k in known_keys if k.startswith(path)})
            if str(name) not in below:
                allowed = below if path else sorted([*below, *OTHER_SECTIONS])
                raise BadSettingsFile(f"unknown key {key}; allowed there: {', '.join(allowed)}")
            if key in known_keys:
                yield key, value
            elif isinstance(value, Mapping):
                yield from walk(value, f"{key}.")
            else:
                raise BadSettingsFile(f"{key} must be a section with keys, not {value!r}")

    return walk(document, "")


def _check_roles(roles: object, deck: Sequence[str]) -> None:
    """Raise BadSettingsFile unless the roles for the deck's number of players match the deck."""
    counts = roles.get(len(deck)) if isinstance(roles, Mapping) else None
    if not isinstance(counts, Mapping):
        raise BadSettingsFile(f"logic.roles needs a section {len(deck)}: with the number of roles")
    expected = Counter(role.upper() for role in deck)
    if {k: n for k, n in counts.items() if n} != dict(expected):
        expected_counts = ", ".join(f"{role}: {n}" for role, n in sorted(expected.items()))
        raise BadSettingsFile(f"logic.roles.{len(deck)} must be {expected_counts}")


def _check_phases(key: str, phases: object, expected: Sequence[tuple[str, str, int]]) -> None:
    """Raise BadSettingsFile if a file names phases in another order than the contest's."""
    if phases is None:
        return
    rows: list[object] = []
    for phase in phases if isinstance(phases, list) else []:
        fields = phase if isinstance(phase, Mapping) else {}
        name = next((k for k in ("only_day", "except_day") if k in fields), "")
        actions = fields.get("actions")
        for action in actions if isinstance(actions, list) else [None]:
            rows.append((action, name, fields.get(name, 0)))
    if rows != list(expected):
        order = ", ".join(f"{action} {limit} {day}" if limit else action
                          for action, limit, day in expected)  # fmt: skip
        raise BadSettingsFile(f"{key} must be the contest's own order: {order}")
