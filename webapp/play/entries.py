"""A viewer's events as lines of the transcript. Most windows' comings and goings make no line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.events import Event
from game.engine.ruleset import role_of
from game.engine.views import View
from webapp.play.page import Entry, Seat
from webapp.play.sentences import REASONS, label_text, names, role_name


class Teller:
    """Tells one viewer's events in that viewer's words."""

    def __init__(
        self,
        view: View,
        seats: Mapping[int, Seat],
        *,
        rounds: int = 0,
        may_report: bool = False,
        may_take_out: bool = False,
    ) -> None:
        self.view, self.seats, self.rounds = view, seats, rounds
        self.may_report, self.may_take_out = may_report, may_take_out
        self.ruleset = rulesets.get(view.state.ruleset)

    def entries(self, first: int = 1) -> list[Entry]:
        """The lines of the events from position `first` on."""
        found = []
        night = False
        for position, event in enumerate(self.view.events, 1):
            if event.kind == "phase_opened":
                night = event["phase"] == "night"
            if position >= first and (entry := self._entry(position, event)):
                found.append(replace(entry, night=night))
        return found

    def amended(self) -> list[Entry]:
        """The lines that look different now than when they came: words were taken out."""
        if not any(map(_is_removed, self.view.events)):
            return []
        return [entry for entry in self.entries() if entry.removed]

    def _entry(self, position: int, event: Event) -> Entry | None:
        teller = getattr(self, f"_{event.kind}", None)
        return teller(position, event) if teller else None

    def _phase_opened(self, position: int, event: Event) -> Entry:
        title = phase_title(event["phase"], event["day"], event["round"], self.rounds)
        text = {
            "night": _("Night falls. Everyone closes their eyes."),
            "talk": _("Everyone speaks once, in order."),
            "vote": _("The talking is done. Everyone votes, in secret, for who must go."),
        }.get(event["phase"], "")
        if event["phase"] == "talk" and event["round"] == 1:
            text = _("The sun is up. Everyone speaks once, in order.")
        return Entry(position, "phase", text=text, title=title)

    def _role_dealt(self, position: int, event: Event) -> Entry | None:
        if event["seat"] != self.view.seat:
            return None
        role = role_of(self.ruleset, event["role"])
        team = next(t for t in self.ruleset.teams if t.key == role.team)
        several = self.ruleset.deck.count(role.key) > 1
        text = _("You are a {role}. {goal}") if several else _("You are the {role}. {goal}")
        text = text.format(role=_(role.name), goal=_(team.goal))
        return Entry(position, "private", text=text, role=_(role.name), role_key=role.key)

    def _acquainted(self, position: int, event: Event) -> Entry | None:
        text = companions(self.view, event)
        return Entry(position, "private", text=text) if text else None

    def _divined(self, position: int, event: Event) -> Entry:
        return Entry(position, "private", text=divination(self.view, event))

    def _statement(self, position: int, event: Event) -> Entry:
        said = event["manner"] == "say"
        removed = self._removed(event)
        speaker = self.seats[event["seat"]]
        theirs = event["seat"] != self.view.seat and speaker.kind != "computer"
        there = said and not removed
        words = f"{event['window']}:{event['seat']}"
        return Entry(
            position,
            "statement",
            text=event.data.get("text", ""),
            speaker=speaker,
            silent=event["manner"] != "say",
            label=label_text(event.labels),
            removed=removed,
            report=f"report:{words}" if self.may_report and theirs and there else "",
            take_out=f"remove_words:{words}" if self.may_take_out and there else "",
        )

    def _removed(self, event: Event) -> str:
        """Why the words of a statement are gone; "" where they are not. At a blind table nobody
        learns whether a person took them back."""
        if not _is_removed(event):
            return ""
        seat = self.seats[event["seat"]]
        if not seat.kind:
            return _("These words were taken out.")
        if seat.erased:
            return _("Whoever sat here has taken these words back.")
        return _("The host took these words out.")

    def _vote(self, position: int, event: Event) -> Entry:
        targets = event.data.get("targets")
        return Entry(
            position,
            "vote",
            speaker=self.seats[event["seat"]],
            target=self.seats[targets[0]] if targets else None,
            label=label_text(event.labels),
        )

    def _drawn(self, position: int, event: Event) -> Entry | None:
        if event["purpose"] != "tie":
            return None
        tied = names([self.view.name(s) for s in event["among"]])
        drawn = self.view.name(event["result"])
        text = _("{tied} have equally many votes. Drawn by lot: {drawn}.")
        return Entry(position, "moderator", text=text.format(tied=tied, drawn=drawn))

    def _out(self, position: int, event: Event) -> Entry:
        key = event.data.get("role", "")
        name = self.view.name(event["seat"])
        role = role_name(self.ruleset.name, key)
        text = _("{name} is out, and was the {role}.") if key else _("{name} is out.")
        return Entry(
            position,
            "out",
            text=text.format(name=name, role=role),
            speaker=self.seats[event["seat"]],
            role=role,
            role_key=key,
        )

    def _game_over(self, position: int, event: Event) -> Entry:
        text = f"{REASONS.get(event['reason'], '')} {headline(self.ruleset.name, event['winner'])}"
        return Entry(position, "over", text=text.strip())


def _is_removed(event: Event) -> bool:
    said = event.kind == "statement" and event["manner"] == "say"
    return said and not event.data.get("text")


def phase_title(phase: str, day: int, number: int, rounds: int) -> str:
    """ "Night", "Round 2 of 3", "The vote" """
    if phase == "night":
        return _("Night") if day <= 1 else _("Night {day}").format(day=day)
    if phase == "talk":
        if number:
            return _("Round {number} of {rounds}").format(number=number, rounds=rounds)
        return _("Day {day}").format(day=day)
    return {"vote": _("The vote"), "over": _("The end"), "": _("The players gather")}.get(
        phase, phase
    )


def headline(ruleset: str, winner: str) -> str:
    """Who won, in a sentence."""
    return capital(wins(ruleset, winner))


def wins(ruleset: str, winner: str) -> str:
    """Who won, as it goes on after a colon: "the village wins." """
    team = next((t for t in rulesets.get(ruleset).teams if t.key == winner), None)
    return _("{team} wins.").format(team=_(team.name)) if team else _("nobody wins.")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def companions(view: View, event: Event) -> str:
    """Whom an acquaintance tells this viewer of."""
    others = [view.name(s) for s in event["seats"] if s != view.seat]
    if not others or (view.seat and view.seat not in event["seats"]):
        return ""
    role = role_name(view.state.ruleset, event["role"])
    return _("{names} is the other {role}.").format(names=names(others), role=role)


def divination(view: View, event: Event) -> str:
    """What the Seer learned, told to the Seer."""
    targets = names([view.name(s) for s in event["targets"]])
    if event["found"]:
        return _("You looked at {targets}: the Werewolf is one of the two.").format(targets=targets)
    return _("You looked at {targets}: neither is the Werewolf.").format(targets=targets)


def _divination_of(view: View, event: Event) -> str:
    """What the Seer learned, told to the others at the end."""
    targets = names([view.name(s) for s in event["targets"]])
    if event["found"]:
        return _("Looked at {targets}: one of the two was the Werewolf.").format(targets=targets)
    return _("Looked at {targets}: neither was the Werewolf.").format(targets=targets)


def knowledge(view: View, *, of_another: bool = False) -> list[str]:
    """Everything the viewer's seat privately knows beyond its role, in sentences.

    `of_another`: in words for somebody else, at the end.
    """
    found = []
    for event in view.events:
        if event.audience.kind != "seats" or view.seat not in event.audience.seats:
            continue
        if event.kind == "acquainted":
            found.append(companions(view, event))
        elif event.kind == "divined":
            found.append((_divination_of if of_another else divination)(view, event))
    return [text for text in found if text]
