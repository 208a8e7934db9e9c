"""Events and questions in the ruleset's own words, from one seat's point of view."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from agents.decision import Decision, Request
from agents.llm.quoting import join_names, seat
from agents.quotation import quoted
from game.engine.events import PUBLIC, RECORD, Event
from game.engine.forms import Option, Speech
from game.engine.ruleset import role_of
from game.engine.text_checks import NO_LIMIT
from game.engine.wording import SEAT_KEYS, WindowTexts, event_facts, event_figures

EVERYONE, NOBODY, UNSURE = "everyone", "nobody", "Uncertain"  # in a model's answer
_KEY = re.compile(r"[\w.-]+")


class Reader:
    """Formatter of figures for one seat. The seat itself is "you", other names are data."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    def seat(self, number: int) -> str:
        return "you" if number == self._decision.seat else seat(number, self._decision)

    def listed(self, names: Sequence[str]) -> str:
        return join_names(names)

    def role(self, key: str) -> str:
        return role_of(self._decision.ruleset, key).name

    def option(self, kind: str, word: str) -> str:
        windows = self._decision.ruleset.wording.windows
        return windows[kind].options.get(word, word) if kind in windows else word


def news(event: Event, decision: Decision) -> str:
    """Return the sentence for `event`, "" if it needs none.

    Events that `joint_lines` or `dealt_sentences` describe also give "".
    """
    is_told_elsewhere = decision.ruleset.wording.event(event.kind).prompt_together
    if is_told_elsewhere or any(event is first for _, first in _iter_dealt(decision)):
        return ""
    text = _part(event, decision)
    return f"You{text[3:]}" if text.startswith("you ") else text


def joint_lines(decision: Decision) -> dict[str, str]:
    """Return window -> its answers in one line, for kinds that are described together."""
    events_by_window: dict[str, list[Event]] = {}
    for event in decision.view.events:
        if decision.ruleset.wording.event(event.kind).prompt_together:
            events_by_window.setdefault(event["window"], []).append(event)
    return {window: _line(events, decision) for window, events in events_by_window.items()}


def dealt_sentences(decision: Decision) -> dict[int, str]:
    """Return the sentences for private events before the first window, by position.

    The other events are part of the talk.
    """
    return {p: text for p, event in _iter_dealt(decision) if (text := _part(event, decision))}


def heading(event: Event, decision: Decision) -> str:
    """Return the heading of the phase that `event` opens."""
    words = decision.ruleset.wording.phase(event["phase"])
    sentence = words.prompt.sentence_for(event.data) or words.title.sentence_for(event.data)
    return sentence.format(**{**event.data, "rounds": decision.ruleset.rounds})


def window_words(decision: Decision) -> WindowTexts:
    return decision.ruleset.wording.window(decision.window.kind)


def with_asked_wording(request: Request) -> Request:
    """Return the request as a model gets it.

    With `WindowTexts.asked_as`, a window borrows the wording of another kind.
    """
    window = request.decision.window
    words = request.decision.ruleset.wording.windows.get(window.kind)
    if not words or not words.asked_as:
        return request
    decision = replace(request.decision, window=replace(window, kind=words.asked_as))
    return replace(request, decision=decision)


def question(decision: Decision) -> str:
    """Return the window's question in its ruleset's words, "" if it has none.

    Figures of the wording:

    - `left`, `right`: the living neighbours of this seat
    - `partners`: the living neighbours known to share its role
    - `first`, `choice`: the partner that answered the question before this seat in this phase, and
      its answer
    - `number`, `all`: number of this talk of the seat today, and of all its talks today

    Facts of its cases:

    - `hunted`: whether the seat's role is hunted
    - `alone`: whether no such partner lives
    - `answered`: whether a partner answered first
    - `last`: whether this is the seat's last talk today
    - `votes`: whether there is a vote today
    """
    state, reader = decision.view.state, Reader(decision)
    around = state.others_around(decision.seat) or (decision.seat,)
    role = role_of(decision.ruleset, decision.view.role)
    partners = [s for s in state.holders(role.key) if s in around and s != decision.seat]
    answered = _answered(decision)
    facts = {"hunted": role.is_hunted, "alone": not partners, "answered": bool(answered)}
    facts |= {"last": decision.talks_left == 1, "votes": decision.ruleset.has_vote_on(state.day)}
    figures = _figures(answered[-1], decision) if answered else {}
    return (
        window_words(decision)
        .prompt.sentence_for(facts)
        .format(
            left=seat(around[-1], decision),
            right=seat(around[0], decision),
            partners=reader.listed([reader.seat(s) for s in partners]),
            first=figures.get("seat", ""),
            choice=figures.get("targets", ""),
            number=decision.talks_today + 1,
            all=decision.talks_today + decision.talks_left,
        )
    )


def option(value: Option, decision: Decision) -> str:
    """Return the name of an option in an answer: a player's name or a word's label."""
    if isinstance(value, int):
        return decision.view.name(value)
    return Reader(decision).option(decision.window.kind, value)


def speech_audience(decision: Decision) -> str:
    """Return a sentence that states the audience of a statement in the window."""
    if hearers_text := window_words(decision).hears:
        return hearers_text
    if decision.window.answer_audience == PUBLIC:
        return "Everyone will hear what you say."
    other_names = _other_hearers(decision)
    if other_names:
        return f"Only {other_names} will hear what you say."
    return "Nobody else hears what you say."


def choice_audience(decision: Decision) -> str:
    """Return a sentence that states the audience of the choice in the window.

    Returns "" if the answer is for the record alone, because the question says so itself.
    """
    words = window_words(decision)
    if (text := words.sees or words.hears) or decision.window.answer_audience == RECORD:
        return text
    if decision.window.answer_audience == PUBLIC:
        return "Everyone will see what you choose, and nothing else of your answer."
    other_names = _other_hearers(decision)
    if decision.ruleset.wording.phase(decision.view.state.phase).light == "day":
        subject = f"Only {other_names} will see" if other_names else "Nobody else sees"
        return f"{subject} your answer."
    sees = f"only {other_names} will see" if other_names else "nobody sees"
    return f"It is night, and {sees} what you do."


def length_text(legal: Speech) -> str:
    """Return the maximum length of a statement, as a noun phrase."""
    if legal.max_words != NO_LIMIT:
        return f"{legal.max_words} words"
    parts = [
        f"{most} characters {where}, spaces not counted"
        for most, where in (
            (legal.max_characters, "before the first @ with a name"),
            (legal.max_characters_after, "behind it"),
        )
        if most != NO_LIMIT
    ]
    return ", and at most ".join(parts) or "as many characters as you like"


def _part(event: Event, decision: Decision) -> str:
    words = decision.ruleset.wording.event(event.kind).prompt
    return words.sentence_for(_facts(event, decision)).format(**_figures(event, decision))


def _facts(event: Event, decision: Decision) -> dict[str, Any]:
    return event_facts(event, decision.seat, decision.ruleset.deck)


def _figures(event: Event, decision: Decision) -> dict[str, str]:
    """Return the event's data as text.

    A text that is not a key is quoted, because it may come from a player.
    """
    texts = {
        key: value.replace("_", " ") if _KEY.fullmatch(value) else quoted(value)
        for key, value in event.data.items()
        if isinstance(value, str) and key != "role" and key not in SEAT_KEYS
    }
    figure_texts = {**event_figures(event, decision.seat, Reader(decision)), **texts}
    if event.data.get("targets") == [decision.seat] == [event.data.get("seat")]:
        figure_texts["targets"] = "yourself"
    return figure_texts


def _line(events: Sequence[Event], decision: Decision) -> str:
    words = decision.ruleset.wording.event(events[0].kind).prompt_together
    answers_text = ", ".join(_part(event, decision) for event in events)
    return words.sentence_for(_facts(events[0], decision)).format(each=answers_text)


def _iter_dealt(decision: Decision) -> Iterator[tuple[int, Event]]:
    """Yield the private events before the first window that this seat saw open.

    They are the same at every turn.
    """
    for position, event in enumerate(decision.view.events, 1):
        if event.kind == "window_opened":
            return
        if event.audience != PUBLIC:
            yield position, event


def _answered(decision: Decision) -> list[Event]:
    """Return the other seats' answers to this question in this phase that the seat saw."""
    view, kind = decision.view, decision.window.kind
    opened = next((position for position, _ in view.newest_events(["phase_opened"])), 0)
    later_events = view.events[opened:]
    return [
        e
        for e in later_events
        if e.kind == kind and e.data.get("seat") not in (None, decision.seat)
    ]


def _other_hearers(decision: Decision) -> str:
    audience = decision.window.audience_of(decision.seat)
    reader = Reader(decision)
    return reader.listed([reader.seat(s) for s in audience.seats if s != decision.seat])
