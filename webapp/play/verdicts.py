"""How the last vote is told: who got how many votes, who is out, and what it means to the viewer.

The engine says why somebody won as a key (`game_over.reason`). What a key says to whom stands here;
a key without sentences of its own gets the general ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.engine import rulesets
from game.engine.events import Event
from game.engine.views import View
from webapp.play.entries import capital, wins
from webapp.play.page import Ballot, Seat, Telling
from webapp.play.sentences import names, role_name

# The role that a reason is about: its holder reads other sentences than the rest of the team.
ABOUT = {"werewolf_out": "werewolf", "werewolf_safe": "werewolf", "tanner_out": "tanner"}
HOLDER, OUT, IN = "holder", "out", "in"  # of that role; else voted out or not

# (reason, who reads it, whether they won) -> sentence. `{wins}` is "the village wins."
SENTENCES = {
    ("werewolf_out", HOLDER, False): gettext_lazy("The vote found you: {wins}"),
    ("werewolf_out", IN, True): gettext_lazy("The vote found the Werewolf: {wins}"),
    ("werewolf_out", IN, False): gettext_lazy("The vote found the Werewolf: {wins}"),
    ("werewolf_safe", HOLDER, True): gettext_lazy("The vote missed you: {wins}"),
    ("werewolf_safe", OUT, True): gettext_lazy("You are out instead of the Werewolf: {wins}"),
    ("werewolf_safe", OUT, False): gettext_lazy("You are out, and the Werewolf is not: {wins}"),
    ("werewolf_safe", IN, True): gettext_lazy("The vote missed the Werewolf: {wins}"),
    ("werewolf_safe", IN, False): gettext_lazy("The vote missed the Werewolf: {wins}"),
    ("tanner_out", HOLDER, True): gettext_lazy("They voted you out, as you wanted: {wins}"),
    ("tanner_out", IN, False): gettext_lazy("{out} wanted to be voted out: {wins}"),
}
GENERAL = {
    (OUT, True): gettext_lazy("You are out, and still you won: {wins}"),
    (OUT, False): gettext_lazy("The vote fell on you: {wins}"),
    (IN, True): gettext_lazy("{out} is out: {wins}"),
    (IN, False): gettext_lazy("{out} is out: {wins}"),
}


def headline_for(view: View, over: Event) -> str:
    """Who won, and how that came about for the viewer; for a watcher who won."""
    who_won = wins(view.state.ruleset, over["winner"])
    events = last_vote(view)
    out = [e["seat"] for e in events if e.kind == "out"]
    if not events or not view.seat:
        return capital(who_won)
    if not out:
        return _("Nobody is out: {wins}").format(wins=who_won)
    won, here = view.seat in over["winners"], OUT if view.seat in out else IN
    who = HOLDER if view.role == ABOUT.get(over["reason"]) else here
    said = SENTENCES.get((over["reason"], who, won)) or GENERAL[here, won]
    return str(said).format(out=names([view.name(s) for s in out]), wins=who_won)


def said_of(result: str) -> str:
    """What a reader aloud is told once, beside the headline."""
    return {"won": _("You won."), "lost": _("You lost.")}.get(result, "")


def telling_of(view: View, seats: Mapping[int, Seat]) -> Telling | None:
    """The last vote, step by step; none where the game did not end with one."""
    events = last_vote(view)
    if not events:
        return None
    targets = {e["seat"]: (e.data.get("targets") or [0])[0] for e in events if e.kind == "vote"}
    order = {voter: place for place, voter in enumerate(targets)}
    ballots = [
        Ballot(seat, [(order[v], seats[v]) for v, t in targets.items() if t == number])
        for number, seat in seats.items()
    ]
    out = [e for e in events if e.kind == "out"]
    return Telling(
        ballots=ballots,
        tally=_tally(ballots),
        tie=next((_tie(view, e) for e in events if e.kind == "drawn"), ""),
        out=_out(view, out),
        was=" ".join(filter(None, (_was(view, e) for e in out))),
        gone=[e["seat"] for e in out],
    )


def last_vote(view: View) -> list[Event]:
    """The votes of the phase in which the game ended, and what came of them; empty where there
    were none."""
    found: list[Event] = []
    for event in view.events:
        if event.kind == "phase_opened":
            found = []
        elif event.kind == "vote" and found and found[-1].kind != "vote":
            found = [event]  # a second ballot of the same phase
        elif event.kind in ("vote", "drawn", "out"):
            found.append(event)
    return found if any(e.kind == "vote" for e in found) else []


def _tally(ballots: list[Ballot]) -> str:
    """ "Delta has 5 votes, Beta 3." """
    found = sorted(((len(b.voters), b.seat.name) for b in ballots if b.voters), key=_most_first)
    if not found:
        return _("Nobody has a vote.")
    (most, first), *rest = found
    text = ngettext("{name} has {count} vote", "{name} has {count} votes", most)
    told = [text.format(name=first, count=most), *(f"{name} {count}" for count, name in rest)]
    return ", ".join(told) + "."


def _most_first(found: tuple[int, str]) -> tuple[int, str]:
    return -found[0], found[1]


def _tie(view: View, event: Event) -> str:
    if event["purpose"] != "tie":
        return ""
    tied = names([view.name(s) for s in event["among"]])
    drawn = view.name(event["result"])
    return _("{tied} have the same number of votes. {drawn} is drawn by chance.").format(
        tied=tied, drawn=drawn
    )


def _out(view: View, out: list[Event]) -> str:
    if not out:
        return _("Nobody is out.")
    gone = names([view.name(e["seat"]) for e in out])
    text = ngettext("{name} is out.", "{name} are out.", len(out))
    return text.format(name=gone)


def _was(view: View, event: Event) -> str:
    key = event.data.get("role") or view.state.roles.get(event["seat"], "")
    if not key:
        return ""
    several = rulesets.get(view.state.ruleset).deck.count(key) > 1
    text = _("{name} was a {role}.") if several else _("{name} was the {role}.")
    role = role_name(view.state.ruleset, key)
    return text.format(name=view.name(event["seat"]), role=role)
