"""What happened and what is asked, in the ruleset's own words, as one seat's prompt tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from agents.model.quoting import quoted, seat
from agents.scene import Scene
from game.engine.events import PUBLIC, RECORD, Event
from game.engine.forms import Option
from game.engine.ruleset import role_of
from game.engine.wording import SEATS, WindowWords, facts, figures

EVERYONE, NOBODY, UNSURE = "everyone", "nobody", "Uncertain"  # in a model's answer
_KEY = re.compile(r"[\w.-]+")


class Reader:
    """What figures stand for, to the seat of `scene`: it is "you", other names stand as data."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def seat(self, number: int) -> str:
        return "you" if number == self._scene.seat else seat(number, self._scene)

    def listed(self, names: Sequence[str]) -> str:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def role(self, key: str) -> str:
        return role_of(self._scene.ruleset, key).name

    def option(self, kind: str, word: str) -> str:
        windows = self._scene.ruleset.wording.windows
        return windows[kind].options.get(word, word) if kind in windows else word


def news(event: Event, scene: Scene) -> str:
    """What this seat is told of `event`; "" for what needs no words, or is told by `together` or
    `dealt`."""
    told_elsewhere = scene.ruleset.wording.event(event.kind).prompt_together
    if told_elsewhere or any(event is first for first in _first(scene)):
        return ""
    found = _part(event, scene)
    return f"You{found[3:]}" if found.startswith("you ") else found


def _part(event: Event, scene: Scene) -> str:
    sentence = scene.ruleset.wording.event(event.kind).prompt.of(_facts(event, scene))
    return sentence.format(**_figures(event, scene))


def _facts(event: Event, scene: Scene) -> dict[str, Any]:
    return facts(event, scene.seat, scene.ruleset.deck)


def _figures(event: Event, scene: Scene) -> dict[str, str]:
    """The event's data in words. A text that is no key may be a player's: it is quoted."""
    texts = {
        key: value.replace("_", " ") if _KEY.fullmatch(value) else quoted(value)
        for key, value in event.data.items()
        if isinstance(value, str) and key != "role" and key not in SEATS
    }
    return {**figures(event, scene.seat, Reader(scene)), **texts}


def together(scene: Scene) -> dict[str, str]:
    """window -> its answers in one line, of the kinds that are told so."""
    found: dict[str, list[Event]] = {}
    for event in scene.view.events:
        if scene.ruleset.wording.event(event.kind).prompt_together:
            found.setdefault(event["window"], []).append(event)
    return {window: _line(events, scene) for window, events in found.items()}


def _line(events: Sequence[Event], scene: Scene) -> str:
    words = scene.ruleset.wording.event(events[0].kind).prompt_together
    each = ", ".join(_part(event, scene) for event in events)
    return words.of(_facts(events[0], scene)).format(each=each)


def dealt(scene: Scene) -> list[str]:
    """What this seat alone was told before anything was asked; the rest stands with the talk."""
    return [told for event in _first(scene) if (told := _part(event, scene))]


def _first(scene: Scene) -> Iterator[Event]:
    """The private events before the first window that this seat saw open: the same at every
    turn."""
    for event in scene.view.events:
        if event.kind == "window_opened":
            return
        if event.audience != PUBLIC:
            yield event


def heading(event: Event, scene: Scene) -> str:
    """The heading of the phase that `event` opens."""
    words = scene.ruleset.wording.phase(event["phase"])
    sentence = words.prompt.of(event.data) or words.title.of(event.data)
    return sentence.format(**{**event.data, "rounds": scene.ruleset.rounds})


def asked(scene: Scene) -> WindowWords:
    """The words for the window that `scene` is before."""
    return scene.ruleset.wording.window(scene.window.kind)


def option(value: Option, scene: Scene) -> str:
    """What an answer calls an option: a player's name, or a word's label."""
    if isinstance(value, int):
        return scene.view.name(value)
    return Reader(scene).option(scene.window.kind, value)


def hearers(scene: Scene) -> str:
    """Who hears what is said in the window, in a sentence."""
    if told := asked(scene).hears:
        return told
    if scene.window.hears == PUBLIC:
        return "Everyone hears it."
    others = _others(scene)
    return f"Only {others} will hear it." if others else "Nobody else hears it."


def seen(scene: Scene) -> str:
    """Who sees what is chosen in the window, in a sentence; "" where the answer is for the record
    alone, as the question says itself."""
    if (told := asked(scene).hears) or scene.window.hears == RECORD:
        return told
    if scene.window.hears == PUBLIC:
        return "Everyone will see your answer."
    others = _others(scene)
    if scene.ruleset.wording.phase(scene.view.state.phase).light == "day":
        return f"{f'Only {others} will see' if others else 'Nobody else sees'} your answer."
    sees = f"only {others} will see" if others else "nobody sees"
    return f"It is night, and {sees} what you do."


def _others(scene: Scene) -> str:
    audience = scene.window.audience_of(scene.seat)
    reader = Reader(scene)
    return reader.listed([reader.seat(s) for s in audience.seats if s != scene.seat])
