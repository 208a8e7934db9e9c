"""Situations in a game's log, which the last two items of the Guarded questionnaire ask about."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game import selectors
from game.engine import rulesets, visibility
from game.engine.roles import Role
from game.engine.visibility import View
from game.models import Game

CALLED, NAMED, CLOSING = "called_werewolf", "one_of_two", "closing"
KEYS = (CALLED, NAMED, CLOSING)
# Of players and rankings, not of statements: every seat of the game was given a profile.
PROFILE = "profile"
# Values of `agents.talk.dialogue.Dialogue.findings_about`.
CLAIM_FORMS = {CALLED: "alone", NAMED: "among"}


def _lookers() -> str:
    return _names(lambda role: role.look is not None and not role.look.is_of_exiled)


def _hunted() -> str:
    return _names(lambda role: role.hunted)


def _names(is_wanted: Callable[[Role], bool]) -> str:
    """Return the names of the roles that match, of all rulesets: "Seer / Augur"."""
    roles = (role for name in rulesets.names() for role in rulesets.get(name).roles)
    return " / ".join(dict.fromkeys(_(role.name) for role in roles if is_wanted(role)))


LABELS = {
    CALLED: format_lazy(
        gettext_lazy("the {looker} just called the speaker a {hunted}"),
        looker=lazy(_lookers, str)(),
        hunted=lazy(_hunted, str)(),
    ),
    NAMED: format_lazy(
        gettext_lazy("the {looker} just named the speaker as one of two"),
        looker=lazy(_lookers, str)(),
    ),
    CLOSING: gettext_lazy("the talk is closing"),
}
ALL_LABELS = {**LABELS, PROFILE: gettext_lazy("players were given a profile")}


def find_situations(game: Game) -> dict[int, list[str]]:
    """Return position of a statement in the public transcript (1…) -> its situations."""
    return found_in(selectors.view_for(game, visibility.PUBLIC))


def found_in(view: View) -> dict[int, list[str]]:
    """Return the same for a public view."""
    rows = _named_by_lookers(view)
    for position in _closing(view):
        rows.setdefault(position, []).append(CLOSING)
    return dict(sorted(rows.items()))


def _closing(view: View) -> set[int]:
    """Return the positions of statements that close a talk.

    What is said in the last round of a day of several, or in the last pass of a day of several;
    what its speaker follows by Over; and what closes the talk by what it is.
    """
    wording = rulesets.get(view.state.ruleset).wording
    rounds: dict[int, dict[tuple[int, int], list[int]]] = {}  # day -> round or pass -> positions
    newest: dict[tuple[int, int], int] = {}  # (day, seat) -> position of its newest turn
    positions = set()
    for turn in view.turns:
        event = view.events[turn.position - 1]
        if event.kind in wording.windows and wording.window(event.kind).says == "lead":
            positions.add(turn.position)
        of_day = (turn.moment.day, turn.seat)
        if event["manner"] == "over" and of_day in newest:
            positions.add(newest[of_day])
        newest[of_day] = turn.position
        if wording.phase(turn.moment.phase).talk:
            day = rounds.setdefault(turn.moment.day, {})
            number = (turn.moment.phase_number, turn.moment.pass_)
            day.setdefault(number, []).append(turn.position)
    several = [list(day.values()) for day in rounds.values() if len(day) > 1]
    spoken = {turn.position for turn in view.turns if turn.text}
    positions |= {position for day in several for position in day[-1]}
    return positions & spoken


def _named_by_lookers(view: View) -> dict[int, list[str]]:
    """Return position -> how a player who later claims to have looked has named the speaker.

    Only claims since the speaker's last statement count. A speaker is named as hunted, or as one of
    several players of whom one is hunted.
    """
    from agents.packs import pack_of
    from agents.talk.dialogue import (
        Dialogue,  # it loads megabytes, which a web process needs only here
    )

    pack = pack_of(rulesets.get(view.state.ruleset))
    dialogue = Dialogue.of(view, pack)
    spoken = [turn for turn in view.turns if turn.text]  # in the form that the dialogue uses
    keys_by_position = {}
    for number, turn in enumerate(spoken):
        named_kinds = Dialogue(pack, dialogue.said[:number]).findings_about(turn.seat)
        if here := [key for key, named_kind in CLAIM_FORMS.items() if named_kind in named_kinds]:
            keys_by_position[turn.position] = here
    return keys_by_position
