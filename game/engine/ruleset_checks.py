"""Checks of a ruleset's declarations at its registration. They play no game."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import get_args

from game.engine.declarations import BLIND, Preset
from game.engine.ruleset import Ruleset
from game.engine.ruleset_files import InvalidRuleset
from game.engine.wording import Picks, Shape


def check_ruleset(ruleset: Ruleset) -> None:
    """Raise InvalidRuleset if the declarations of a ruleset contradict each other."""
    if errors := [*_deck_errors(ruleset), *_look_errors(ruleset), *_wording_errors(ruleset),
                  *_setting_errors(ruleset)]:  # fmt: skip
        raise InvalidRuleset(f"ruleset {ruleset.name!r}: " + "; ".join(errors))


def _deck_errors(ruleset: Ruleset) -> Iterator[str]:
    roles, teams = {role.key for role in ruleset.roles}, {team.key for team in ruleset.teams}
    seats = len(ruleset.deck)
    for attribute in ("seat_names", "table_names"):
        names = getattr(ruleset, attribute)
        if len(names) != seats or len(set(names)) != seats:
            yield f"{attribute} needs {seats} different names, one for each card of the deck"
    for key in sorted(set(ruleset.deck) - roles):
        yield f"the deck holds {key!r}, which is not among its roles"
    for key in _repeated_keys(role.key for role in ruleset.roles):
        yield f"two roles have the key {key!r}"
    for role in ruleset.roles:
        if role.team not in teams:
            yield f"role {role.key!r} has the unknown team {role.team!r}"
    if ruleset.default_role and ruleset.default_role not in roles:
        yield f"default_role is the unknown role {ruleset.default_role!r}"


def _repeated_keys(keys: Iterable[str]) -> list[str]:
    return [key for key, count in Counter(keys).items() if count > 1]


def _look_errors(ruleset: Ruleset) -> Iterator[str]:
    roles = {role.key for role in ruleset.roles}
    for role in ruleset.roles:
        if not role.look:
            continue
        if role.look.event not in ruleset.wording.events:
            event = role.look.event
            yield f"the look of {role.key!r} has the event {event!r}, which has no wording"
        for answer, keys in role.look.answers:
            for key in sorted(set(keys) - roles):
                yield f"the look of {role.key!r} answers {answer!r} for the unknown role {key!r}"
        if all(keys for _answer, keys in role.look.answers):
            answered = {key for _answer, keys in role.look.answers for key in keys}
            # A player never looks at their own seat, so the only holder needs no answer.
            own_role = {role.key} if ruleset.deck.count(role.key) == 1 else set()
            for key in sorted(roles - answered - own_role):
                yield f"the look of {role.key!r} has no answer for the role {key!r}"


def _wording_errors(ruleset: Ruleset) -> Iterator[str]:
    wording = ruleset.wording
    for kind, window in wording.windows.items():
        if window.picks not in get_args(Picks):
            names = ", ".join(filter(None, get_args(Picks)))
            yield f"window {kind!r} has the unknown picks {window.picks!r}; known: {names}"
        if window.asked_as and window.asked_as not in wording.windows:
            yield f"window {kind!r} has the unknown asked_as {window.asked_as!r}"
        if kind not in wording.events:
            yield f"window {kind!r} has no wording for its answers among the events"
    for kind, event in wording.events.items():
        if event.shape not in get_args(Shape):
            yield f"event {kind!r} has the unknown shape {event.shape!r}"
        if event.reveals and event.reveals not in wording.windows:
            yield f"event {kind!r} reveals the unknown window {event.reveals!r}"
    if ruleset.badge and ruleset.badge not in wording.badges:
        yield f"the badge {ruleset.badge!r} has no name in the wording"
    for day in (1, 2):
        for phase, _round in ruleset.day_phases(day, {}):
            if phase not in wording.phases:
                yield f"phase {phase!r} of day {day} has no wording"


def _setting_errors(ruleset: Ruleset) -> Iterator[str]:
    for key in _repeated_keys(setting.key for setting in ruleset.settings):
        yield f"two settings have the key {key!r}"
    earlier: set[str] = set()
    for setting in ruleset.settings:
        if error := setting.value_error(setting.default):
            yield f"the default of a setting is not allowed: {error}"
        if setting.needs and setting.needs[0] not in earlier:
            yield f"setting {setting.key!r} needs {setting.needs[0]!r}, which must stand before it"
        earlier.add(setting.key)
    for preset in ruleset.presets:
        yield from _preset_errors(ruleset, preset)
    for question in ruleset.quiz:
        for key in sorted(set(question.holds) - earlier - {BLIND}):
            yield f"question {question.key!r} holds for the unknown setting {key!r}"


def _preset_errors(ruleset: Ruleset, preset: Preset) -> Iterator[str]:
    settings = {setting.key: setting for setting in ruleset.settings}
    for key, value in preset.settings.items():
        if key not in settings:
            yield f"preset {preset.key!r} has the unknown setting {key!r}"
        elif error := settings[key].value_error(value):
            yield f"preset {preset.key!r}: {error}"
