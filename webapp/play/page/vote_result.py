"""The last vote for a page: the votes, who is out, and what it means for the viewer.

The engine gives the reason for a win as a key (`game_over.reason`). The ruleset's wording may have
a headline for the key; otherwise DEFAULT_HEADLINES has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.engine import rulesets
from game.engine.events import Event
from game.engine.visibility import View
from webapp.play.page.narrator import Narrator, join_names, role_name, tally_sentence
from webapp.play.page.transcript_parts import Seat

# (out in the last vote, won) -> sentence, for rulesets without their own.
DEFAULT_HEADLINES = {
    (True, True): gettext_lazy("You are out, but you won: {wins}"),
    (True, False): gettext_lazy("You were voted out: {wins}"),
    (False, True): gettext_lazy("{out} is out: {wins}"),
    (False, False): gettext_lazy("{out} is out: {wins}"),
}


@dataclass(frozen=True)
class Ballot:
    """The votes for one seat in the last vote."""

    seat: Seat
    voters: list[tuple[int, Seat]]  # (position in the order of display, voter)


@dataclass(frozen=True)
class Telling:
    """The last vote, shown step by step after the end of a game (`ending.js`)."""

    ballots: list[Ballot]  # in seat order
    tally: str  # "Delta has 5 votes, Beta 3."
    tie: str  # how a tie was decided, "" if there was none
    out: str  # the name of the player who is out
    was: str  # the player's role, "" if it stays secret
    seats_out: list[int]  # the seats that are out


def headline_for(view: View, over: Event, events: Sequence[Event]) -> str:
    """Return who won, and how it came about for the viewer. A watcher reads only who won.

    events: The events of the last vote (`last_vote`).
    """
    narrator = Narrator.of(view)
    wins, ending = narrator.wins(over["winner"]), narrator.wording.ending(over["reason"])
    out = [e["seat"] for e in events if e.kind == "out"]
    if not events or not view.seat:
        return narrator.headline(over["winner"])
    if not out:
        return _("No one is out: {wins}").format(wins=wins)
    won, is_out = view.seat in over["winners"], view.seat in out
    has_ending_role = bool(ending.role) and view.role == ending.role
    headline = ending.headline.sentence_for(
        {"holder": has_ending_role, "out": is_out and not has_ending_role, "won": won}
    )
    text = _(headline) if headline else str(DEFAULT_HEADLINES[is_out, won])
    return text.format(out=join_names([view.name(s) for s in out]), wins=wins)


def result_sentence(result: str) -> str:
    """Return the sentence that a screen reader announces once, beside the headline."""
    return {"won": _("You won."), "lost": _("You lost.")}.get(result, "")


def build_telling(view: View, seats: Mapping[int, Seat], events: Sequence[Event]) -> Telling | None:
    """Build the last vote, step by step. Returns None if the game did not end with one.

    events: The events of the last vote (`last_vote`).
    """
    if not events:
        return None
    ballots = rulesets.get(view.state.ruleset).wording.ballots
    targets = {e["seat"]: (e.data.get("targets") or [0])[0] for e in events if e.kind in ballots}
    order = {voter: rank for rank, voter in enumerate(targets)}
    rows = [
        Ballot(seat, [(order[v], seats[v]) for v, t in targets.items() if t == number])
        for number, seat in seats.items()
    ]
    out = [e for e in events if e.kind == "out"]
    return Telling(
        ballots=rows,
        tally=tally_sentence({b.seat.name: len(b.voters) for b in rows}),
        tie=next((_tie_sentence(view, e) for e in events if e.kind == "drawn"), ""),
        out=_out_sentence(view, out),
        was=" ".join(filter(None, (_role_reveal(view, e) for e in out))),
        seats_out=[e["seat"] for e in out],
    )


def last_vote(view: View) -> list[Event]:
    """List the last ballot's votes in the phase that ended the game, and their results."""
    ballots = rulesets.get(view.state.ruleset).wording.ballots
    vote_events: list[Event] = []
    for event in view.events[view.phase_position(len(view.events)) :]:
        if event.kind in ballots:
            # Only the phase's last ballot counts.
            is_same = bool(vote_events) and vote_events[-1].data.get("window") == event["window"]
            vote_events = [*vote_events, event] if is_same else [event]
        elif vote_events and event.kind in ("drawn", "out"):
            vote_events.append(event)
    return vote_events


def _tie_sentence(view: View, event: Event) -> str:
    tied = join_names([view.name(s) for s in event["among"]])
    drawn = view.name(event["result"])
    return _("There is a tie between {tied}. {drawn} is chosen at random.").format(
        tied=tied, drawn=drawn
    )


def _out_sentence(view: View, out: list[Event]) -> str:
    if not out:
        return _("No one is out.")
    out_names = join_names([view.name(e["seat"]) for e in out])
    text = ngettext("{name} is out.", "{name} are out.", len(out))
    return text.format(name=out_names)


def _role_reveal(view: View, event: Event) -> str:
    key = event.data.get("role") or view.state.roles.get(event["seat"], "")
    return role_sentence(view.state.ruleset, view.name(event["seat"]), key) if key else ""


def role_sentence(ruleset: str, name: str, key: str) -> str:
    """Return the sentence that a player held a role ("Delta was the Seer.")."""
    several = rulesets.get(ruleset).deck.count(key) > 1
    text = _("{name} was a {role}.") if several else _("{name} was the {role}.")
    return text.format(name=name, role=role_name(ruleset, key))
