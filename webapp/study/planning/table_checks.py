"""Whether a condition's table can be opened here: its game, rules, seats, roles, minds and pace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.big_five import FACTORS, PROFILES
from agents.characters import CHARACTERS
from agents.recipe import METHODS
from game import clock
from game.engine import rulesets
from game.engine.ruleset import Ruleset
from webapp.play.turns import model_choices
from webapp.play.turns.casting import OWN
from webapp.study.design.conditions import ConditionPlan
from webapp.study.design.stages import TableDesign


def faults(conditions: Sequence[ConditionPlan]) -> list[str]:
    """Return what can't be, each once.

    With the condition's name where it is not so in all of them.
    """
    found: dict[str, list[str]] = {}
    for condition in conditions:
        for sentence in dict.fromkeys(_table(condition.table)):
            found.setdefault(sentence, []).append(condition.name)
    return [
        s
        if len(names) == len(conditions)
        else _("{names}: {what}").format(names=", ".join(names), what=s)
        for s, names in found.items()
    ]


def _table(table: TableDesign) -> Iterator[str]:
    if table.ruleset not in rulesets.names():
        told = _("There is no game called “{name}”: choose {known}.")
        yield told.format(name=table.ruleset[:40], known=_or(rulesets.names()))
        return
    ruleset = rulesets.get(table.ruleset)
    yield from _rules(table, ruleset)
    yield from _people(table, ruleset)
    yield from _minds(table.backend, table.method)
    for seat, choice in table.casting.items():
        yield from _cast(table, ruleset, seat, choice)
    if table.pace not in clock.PACES:
        told = _("There is no pace called “{name}”: choose {known}.")
        yield told.format(name=table.pace[:40], known=_or(list(clock.PACES)))
    for name in sorted(set(table.limits) - set(clock.CLOCKS)):
        told = _("There is no time limit for “{name}”: there are those for {known}.")
        yield told.format(name=name[:40], known=_or(clock.CLOCKS))


def _rules(table: TableDesign, ruleset: Ruleset) -> Iterator[str]:
    known = {setting.key: setting for setting in ruleset.settings}
    for key, value in table.settings.items():
        if key not in known:
            told = _("The game “{game}” has no rule called “{rule}”.")
            yield told.format(game=_(ruleset.title), rule=key[:40])
        elif known[key].fault(value):
            told = _("The rule “{rule}” can’t be “{value}”.")
            yield told.format(rule=_(known[key].label), value=str(value)[:40])


def _people(table: TableDesign, ruleset: Ruleset) -> Iterator[str]:
    seats = len(ruleset.deck)
    if table.people > seats:
        told = _("The table has {seats} seats: no room for {people} people.")
        yield told.format(seats=seats, people=table.people)
    if table.people_seats:
        yield from _fixed_seats(table, seats)
    if table.people_roles:
        yield from _fixed_roles(table, ruleset)


def _fixed_seats(table: TableDesign, seats: int) -> Iterator[str]:
    if set(table.people_seats) - set(range(1, seats + 1)):
        yield _("People’s seats are numbers from 1 to {seats}.").format(seats=seats)
    if len(set(table.people_seats)) < len(table.people_seats):
        yield _("A seat is named twice among people’s seats.")
    if len(table.people_seats) != table.people:
        yield ngettext(
            "There is {n} person at the table: name as many seats, or none and they are drawn.",
            "There are {n} people at the table: name as many seats, or none and they are drawn.",
            table.people,
        ).format(n=table.people)


def _fixed_roles(table: TableDesign, ruleset: Ruleset) -> Iterator[str]:
    dealt, wanted = Counter(ruleset.deck), Counter(table.people_roles)
    names = {role.key: _(role.name) for role in ruleset.roles}
    for role, count in wanted.items():
        if role not in names:
            told = _("The game has no role called “{role}”: it has {known}.")
            yield told.format(role=role[:40], known=_or(list(names)))
        elif count > dealt[role]:
            told = ngettext(
                "The role “{role}” is dealt {n} time: it can’t be given to more people.",
                "The role “{role}” is dealt {n} times: it can’t be given to more people.",
                dealt[role],
            )
            yield told.format(role=names[role], n=dealt[role])
    if len(table.people_roles) != table.people:
        yield ngettext(
            "There is {n} person at the table: choose as many roles, or none and they are drawn.",
            "There are {n} people at the table: choose as many roles, or none and they are drawn.",
            table.people,
        ).format(n=table.people)


def _minds(backend: str, method: str) -> Iterator[str]:
    if backend not in model_choices.known():
        told = _("There is no model called “{name}” here: choose {known}.")
        yield told.format(name=backend[:60], known=_or(model_choices.known()))
    if method not in METHODS:
        told = _("Computer players can’t be given “{name}”: choose {known}.")
        yield told.format(name=method[:40], known=_or(list(METHODS)))


def _cast(
    table: TableDesign, ruleset: Ruleset, seat: str, choice: Mapping[str, Any]
) -> Iterator[str]:
    if not seat.isdecimal() or not 1 <= int(seat) <= len(ruleset.deck):
        told = _("There is no seat {seat} for a computer player: there are {seats}.")
        yield told.format(seat=seat[:10], seats=len(ruleset.deck))
        return
    if set(choice) - {"backend", "method", "persona", "scores", "temperature"}:
        yield _("Seat {seat} has something that is no part of a computer player.").format(seat=seat)
    method = str(choice.get("method") or table.method)
    yield from _minds(str(choice.get("backend") or table.backend), method)
    if persona := str(choice.get("persona") or ""):
        yield from _persona(table, seat, persona, choice, method)


def _persona(
    table: TableDesign, seat: str, persona: str, choice: Mapping[str, Any], method: str
) -> Iterator[str]:
    kind, _sep, key = persona.partition(":")
    known: dict[str, Collection[str]] = {"profile": PROFILES, "character": CHARACTERS}
    if kind == OWN:
        scores = choice.get("scores")
        if not isinstance(scores, Mapping) or set(scores) != set(FACTORS):
            yield _("The personality of seat {seat} needs its five scores.").format(seat=seat)
    elif key not in known.get(kind, ()):
        told = _("There is no personality called “{name}” for seat {seat}.")
        yield told.format(name=persona[:40], seat=seat)
    if method in METHODS and "persona" not in METHODS[method]:
        told = _("A personality is chosen, and “{method}” gives computer players none.")
        yield told.format(method=method)
    if table.blind and kind == "character":
        yield _("At a blind table a written character would show who is a computer player.")


def _or(names: Sequence[str]) -> str:
    return _(" or ").join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
