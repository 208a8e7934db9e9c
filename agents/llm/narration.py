"""Events, questions and mistakes as text for a prompt, in the ruleset's wording, for one seat."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from agents.decision import Decision, Request
from agents.llm.player_names import join_names, player_name
from agents.quotation import quote_text
from game.engine.events import PUBLIC, RECORD, Event, Option
from game.engine.forms import Illegal, Ratings, Speech
from game.engine.ruleset import role_of
from game.engine.text_checks import NO_LIMIT
from game.engine.wording import SEAT_KEYS, WindowTexts, event_facts, event_figures, sentence_for

# What a model answers in place of a name or role.
EVERYONE, NOBODY, UNSURE = "everyone", "nobody", "Uncertain"
# Code of an illegal statement -> the mistake, as a sentence to the model.
_MISTAKE_BY_CODE = {
    "empty": "there were no words in it",
    "markup": "it held tags of a markup language; use plain spoken words",
    "no_pass": "you can't pass here; say something",
}
_KEY = re.compile(r"[\w.-]+")


class PromptNames:
    """The names in prompts for one seat (`wording.Names`). The seat itself is "you"."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    def seat_name(self, number: int) -> str:
        return "you" if number == self._decision.seat else player_name(number, self._decision)

    def join_names(self, names: Sequence[str]) -> str:
        return join_names(names)

    def role_name(self, key: str) -> str:
        return role_of(self._decision.ruleset, key).name

    def option_text(self, kind: str, word: str) -> str:
        windows = self._decision.ruleset.wording.windows
        return windows[kind].options.get(word, word) if kind in windows else word


def event_sentence(event: Event, decision: Decision) -> str:
    """Return the sentence for `event`, "" if `joint_lines` or `dealt_sentences` has it."""
    is_in_joint_line = decision.ruleset.wording.event(event.kind).prompt_together
    if is_in_joint_line or any(event is dealt for _, dealt in _iter_dealt(decision)):
        return ""
    text = _event_text(event, decision)
    return f"You{text[3:]}" if text.startswith("you ") else text


def joint_lines(decision: Decision) -> dict[str, str]:
    """Return window -> its answers in one line, for kinds that are described together."""
    events_by_window: dict[str, list[Event]] = {}
    for event in decision.view.events:
        if decision.ruleset.wording.event(event.kind).prompt_together:
            events_by_window.setdefault(event["window"], []).append(event)
    return {window: _joint_line(events, decision) for window, events in events_by_window.items()}


def dealt_sentences(decision: Decision) -> dict[int, str]:
    """Return position -> sentence for the private events before the first window."""
    return {p: text for p, event in _iter_dealt(decision) if (text := _event_text(event, decision))}


def phase_heading(event: Event, decision: Decision) -> str:
    """Return the heading of the phase that `event` opens."""
    phase = decision.ruleset.wording.phase(event["phase"])
    sentence = sentence_for(phase.prompt, event.data) or sentence_for(phase.title, event.data)
    return sentence.format(**{**event.data, "rounds": decision.ruleset.rounds})


def window_wording(decision: Decision) -> WindowTexts:
    return decision.ruleset.wording.window(decision.window.kind)


def with_borrowed_wording(request: Request) -> Request:
    """Return the request with the kind of window whose wording it uses (`asked_as`)."""
    window = request.decision.window
    wording = request.decision.ruleset.wording.windows.get(window.kind)
    if not wording or not wording.asked_as:
        return request
    decision = replace(request.decision, window=replace(window, kind=wording.asked_as))
    return replace(request, decision=decision)


def question_text(decision: Decision) -> str:
    """Return the window's question in its ruleset's wording, "" if it has none.

    The wording may use these figures:

    - `left`, `right`: the living neighbours of this seat
    - `partners`: the living players known to share its role
    - `first`, `choice`: the partner that answered the question before this seat in this phase, and
      its answer
    - `number`, `all`: number of this talk of the seat today, and of all its talks today

    Its cases may test these facts:

    - `hunted`: whether the seat's role is hunted
    - `alone`: whether no such partner lives
    - `answered`: whether a partner answered first
    - `last`: whether this is the seat's last talk today
    - `votes`: whether there is a vote today
    """
    state, names = decision.view.state, PromptNames(decision)
    around = state.others_around(decision.seat) or (decision.seat,)
    role = role_of(decision.ruleset, decision.view.role)
    partners = [s for s in state.holders(role.key) if s in around and s != decision.seat]
    answers = _partner_answers(decision)
    facts = {"hunted": role.is_hunted, "alone": not partners, "answered": bool(answers)}
    facts |= {"last": decision.talks_left == 1, "votes": decision.ruleset.has_vote_on(state.day)}
    last_answer = _figures(answers[-1], decision) if answers else {}
    sentence = sentence_for(window_wording(decision).prompt, facts)
    return sentence.format(
        left=player_name(around[-1], decision),
        right=player_name(around[0], decision),
        partners=names.join_names([names.seat_name(s) for s in partners]),
        first=last_answer.get("seat", ""),
        choice=last_answer.get("targets", ""),
        number=decision.talks_today + 1,
        all=decision.talks_today + decision.talks_left,
    )


def option_name(value: Option, decision: Decision) -> str:
    """Return the name of an option in an answer: a player's name or a word's label."""
    if isinstance(value, int):
        return decision.view.name(value)
    return PromptNames(decision).option_text(decision.window.kind, value)


def quoted_option_name(value: Option, decision: Decision) -> str:
    """Return the name of an option in a sentence to a model."""
    return player_name(value, decision) if isinstance(value, int) else option_name(value, decision)


def speech_audience(decision: Decision) -> str:
    """Return a sentence that states who hears a statement in the window."""
    if text := window_wording(decision).hears:
        return text
    if decision.window.answer_audience == PUBLIC:
        return "Everyone will hear what you say."
    if other_names := _other_hearers(decision):
        return f"Only {other_names} will hear what you say."
    return "Nobody else hears what you say."


def choice_audience(decision: Decision) -> str:
    """Return a sentence that states who sees the choice in the window.

    Returns "" if the answer is for the record alone, because the question says so itself.
    """
    wording = window_wording(decision)
    if (text := wording.sees or wording.hears) or decision.window.answer_audience == RECORD:
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
    limits = (
        (legal.max_characters, "before the first @ with a name"),
        (legal.max_characters_after, "behind it"),
    )
    parts = [f"{n} characters {where}, spaces not counted" for n, where in limits if n != NO_LIMIT]
    return ", and at most ".join(parts) or "as many characters as you like"


def _event_text(event: Event, decision: Decision) -> str:
    text = decision.ruleset.wording.event(event.kind).prompt
    return sentence_for(text, _facts(event, decision)).format(**_figures(event, decision))


def _facts(event: Event, decision: Decision) -> dict[str, Any]:
    return event_facts(event, decision.seat, decision.ruleset.deck)


def _figures(event: Event, decision: Decision) -> dict[str, str]:
    """Return the event's data as text, quoted where it may come from a player."""
    figures = event_figures(event, decision.seat, PromptNames(decision))
    figures |= {
        key: value.replace("_", " ") if _KEY.fullmatch(value) else quote_text(value)
        for key, value in event.data.items()
        if isinstance(value, str) and key != "role" and key not in SEAT_KEYS
    }
    if event.data.get("targets") == [decision.seat] == [event.data.get("seat")]:
        figures["targets"] = "yourself"
    return figures


def _joint_line(events: Sequence[Event], decision: Decision) -> str:
    text = decision.ruleset.wording.event(events[0].kind).prompt_together
    answers_text = ", ".join(_event_text(event, decision) for event in events)
    return sentence_for(text, _facts(events[0], decision)).format(each=answers_text)


def _iter_dealt(decision: Decision) -> Iterator[tuple[int, Event]]:
    """Yield (position, event) of the private events before the first window that the seat saw.

    They are the same at every turn, so they belong to the frame of the prompts.
    """
    for position, event in enumerate(decision.view.events, 1):
        if event.kind == "window_opened":
            return
        if event.audience != PUBLIC:
            yield position, event


def _partner_answers(decision: Decision) -> list[Event]:
    """Return the answers of others to this question, in this phase, that the seat saw."""
    view, kind, no_partner = decision.view, decision.window.kind, (None, decision.seat)
    phase_start = next((position for position, _ in view.newest_events(["phase_opened"])), 0)
    events = view.events[phase_start:]
    return [e for e in events if e.kind == kind and e.data.get("seat") not in no_partner]


def _other_hearers(decision: Decision) -> str:
    seats, names = decision.window.audience_of(decision.seat).seats, PromptNames(decision)
    return names.join_names([names.seat_name(s) for s in seats if s != decision.seat])


def illegal_answer_text(illegal: Illegal, decision: Decision) -> str:
    """Return the mistake in an illegal answer, in a sentence by which a model can correct it."""
    legal = decision.window.legal
    if isinstance(legal, Speech):
        if illegal.code in ("too_many_words", "too_long"):
            return f"it was too long; at most {length_text(legal)}"
        return _MISTAKE_BY_CODE.get(
            illegal.code, "it can't be said like that; use plain spoken words"
        )
    options = decision.window.options_for(decision.seat)
    names = ", ".join(quoted_option_name(option, decision) for option in options)
    if isinstance(legal, Ratings):
        bounds = f"with a confidence from {legal.min_confidence} to {legal.max_confidence}"
        return f"give roles of this game to some of these: {names}, {bounds}"
    pick = decision.window.pick
    nobody = " or nobody" if pick.may_abstain else ""
    return f"choose exactly {pick.count} of these: {names}{nobody}"
