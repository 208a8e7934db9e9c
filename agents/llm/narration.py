"""What happened and what is asked, in the ruleset's own words, as one seat's prompt tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from agents.decision import Decision, Request
from agents.llm.quoting import quoted, seat
from game.engine.events import PUBLIC, RECORD, Event
from game.engine.forms import Option
from game.engine.ruleset import role_of
from game.engine.wording import SEATS, WindowWords, facts, figures

EVERYONE, NOBODY, UNSURE = "everyone", "nobody", "Uncertain"  # in a model's answer
_KEY = re.compile(r"[\w.-]+")


class Reader:
    """The names that figures stand for, as one seat reads them: itself is "you"."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    def seat(self, number: int) -> str:
        return "you" if number == self._decision.seat else seat(number, self._decision)

    def listed(self, names: Sequence[str]) -> str:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def role(self, key: str) -> str:
        return role_of(self._decision.ruleset, key).name

    def option(self, kind: str, word: str) -> str:
        windows = self._decision.ruleset.wording.windows
        return windows[kind].options.get(word, word) if kind in windows else word


def news(event: Event, decision: Decision) -> str:
    """Return what this seat is told of `event`.

    Returns "" for what needs no words, or is told by `together` or `dealt`.
    """
    told_elsewhere = decision.ruleset.wording.event(event.kind).prompt_together
    if told_elsewhere or any(event is first for _, first in _first(decision)):
        return ""
    text = _part(event, decision)
    return f"You{text[3:]}" if text.startswith("you ") else text


def _part(event: Event, decision: Decision) -> str:
    sentence = decision.ruleset.wording.event(event.kind).prompt.of(_facts(event, decision))
    return sentence.format(**_figures(event, decision))


def _facts(event: Event, decision: Decision) -> dict[str, Any]:
    return facts(event, decision.seat, decision.ruleset.deck)


def _figures(event: Event, decision: Decision) -> dict[str, str]:
    """Return the event's data in words. A text that is no key may be a player's: it is quoted."""
    texts = {
        key: value.replace("_", " ") if _KEY.fullmatch(value) else quoted(value)
        for key, value in event.data.items()
        if isinstance(value, str) and key != "role" and key not in SEATS
    }
    told = {**figures(event, decision.seat, Reader(decision)), **texts}
    if event.data.get("targets") == [decision.seat] == [event.data.get("seat")]:
        told["targets"] = "yourself"
    return told


def together(decision: Decision) -> dict[str, str]:
    """Window -> its answers in one line, of the kinds that are told so."""
    events_by_window: dict[str, list[Event]] = {}
    for event in decision.view.events:
        if decision.ruleset.wording.event(event.kind).prompt_together:
            events_by_window.setdefault(event["window"], []).append(event)
    return {window: _line(events, decision) for window, events in events_by_window.items()}


def _line(events: Sequence[Event], decision: Decision) -> str:
    words = decision.ruleset.wording.event(events[0].kind).prompt_together
    each = ", ".join(_part(event, decision) for event in events)
    return words.of(_facts(events[0], decision)).format(each=each)


def dealt(decision: Decision) -> dict[int, str]:
    """Return what this seat alone learned before the first question, by position.

    The rest stands with the talk.
    """
    return {p: text for p, event in _first(decision) if (text := _part(event, decision))}


def _first(decision: Decision) -> Iterator[tuple[int, Event]]:
    """Yield the private events before the first window that this seat saw open.

    The same at every turn.
    """
    for position, event in enumerate(decision.view.events, 1):
        if event.kind == "window_opened":
            return
        if event.audience != PUBLIC:
            yield position, event


def heading(event: Event, decision: Decision) -> str:
    """Return the heading of the phase that `event` opens."""
    words = decision.ruleset.wording.phase(event["phase"])
    sentence = words.prompt.of(event.data) or words.title.of(event.data)
    return sentence.format(**{**event.data, "rounds": decision.ruleset.rounds})


def window_words(decision: Decision) -> WindowWords:
    """Return the words for the window that `scene` is before."""
    return decision.ruleset.wording.window(decision.window.kind)


def as_asked(request: Request) -> Request:
    """Return the request as a model gets it (`WindowWords.asked_as` borrows a kind's)."""
    window = request.decision.window
    words = request.decision.ruleset.wording.windows.get(window.kind)
    if not words or not words.asked_as:
        return request
    decision = replace(request.decision, window=replace(window, kind=words.asked_as))
    return replace(request, decision=decision)


def question(decision: Decision) -> str:
    """Return what the window asks, in its ruleset's words.

    Returns "" where these have none.

    Figures: `left` and `right`, the living beside this seat; `partners`, the living whom it knows
    to share its role; `first` and `choice`, who of them answered the question before it in this
    phase, and what. Facts of cases: `hunted`, its role is; `alone`, no such partner lives;
    `answered`, one of them answered before it.
    """
    state, reader = decision.view.state, Reader(decision)
    around = state.around(decision.seat) or (decision.seat,)
    role = role_of(decision.ruleset, decision.view.role)
    partners = [s for s in state.holders(role.key) if s in around and s != decision.seat]
    answered = _answered(decision)
    facts = {"hunted": role.hunted, "alone": not partners, "answered": bool(answered)}
    figures = _figures(answered[-1], decision) if answered else {}
    return (
        window_words(decision)
        .prompt.of(facts)
        .format(
            left=seat(around[-1], decision),
            right=seat(around[0], decision),
            partners=reader.listed([reader.seat(s) for s in partners]),
            first=figures.get("seat", ""),
            choice=figures.get("targets", ""),
        )
    )


def _answered(decision: Decision) -> list[Event]:
    """The others' answers to the same question in this phase, as far as this seat saw them."""
    view, kind = decision.view, decision.window.kind
    opened = next((position for position, _ in view.newest(["phase_opened"])), 0)
    later_events = view.events[opened:]
    return [
        e
        for e in later_events
        if e.kind == kind and e.data.get("seat") not in (None, decision.seat)
    ]


def option(value: Option, decision: Decision) -> str:
    """Return what an answer calls an option: a player's name, or a word's label."""
    if isinstance(value, int):
        return decision.view.name(value)
    return Reader(decision).option(decision.window.kind, value)


def hearers(decision: Decision) -> str:
    """Return who hears what is said in the window, in a sentence."""
    if hearers_text := window_words(decision).hears:
        return hearers_text
    if decision.window.answer_audience == PUBLIC:
        return "Everyone will hear what you say."
    other_names = _other_hearers(decision)
    return (
        f"Only {other_names} will hear what you say."
        if other_names
        else "Nobody else hears what you say."
    )


def audience_sentence(decision: Decision) -> str:
    """Return who sees what is chosen in the window, in a sentence.

    Returns "" where the answer is for the record alone, as the question says itself.
    """
    if (hearers_text := window_words(decision).hears) or decision.window.answer_audience == RECORD:
        return hearers_text
    if decision.window.answer_audience == PUBLIC:
        return "Everyone will see what you choose, and nothing else of your answer."
    other_names = _other_hearers(decision)
    if decision.ruleset.wording.phase(decision.view.state.phase).light == "day":
        return (
            f"{f'Only {other_names} will see' if other_names else 'Nobody else sees'} your answer."
        )
    sees = f"only {other_names} will see" if other_names else "nobody sees"
    return f"It is night, and {sees} what you do."


def _other_hearers(decision: Decision) -> str:
    audience = decision.window.audience_of(decision.seat)
    reader = Reader(decision)
    return reader.listed([reader.seat(s) for s in audience.seats if s != decision.seat])
