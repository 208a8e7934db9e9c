"""Windows: questions to seats, what may be answered, and what happens to those who don't."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from game.engine.draws import Draws
from game.engine.events import PUBLIC, Audience, text_hash
from game.engine.moments import BEFORE, Moment
from game.engine.words import count_words, fault, tidy

Manner = Literal["say", "skip", "over", "nothing", "pick", "abstain"]


class Illegal(Exception):
    """An answer the rules don't allow. `code` names the reason, `params` fill its sentence."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code, params)
        self.code, self.params = code, params


@dataclass(frozen=True)
class Action:
    """What a seat does: speaks (`say`), passes (`skip`, `over`, `nothing`), picks or abstains.

    `targets` are seats (1..n), or strings where the window's options are strings.
    """

    manner: Manner
    text: str = ""
    targets: tuple[int | str, ...] = ()

    def data(self) -> dict[str, Any]:
        """The JSON form that events carry."""
        if self.manner == "say":
            words = count_words(self.text)
            return {
                "manner": "say",
                "text": self.text,
                "sha256": text_hash(self.text),
                "words": words,
            }
        if self.manner == "pick":
            return {"manner": "pick", "targets": list(self.targets)}
        return {"manner": self.manner}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Action:
        """The action that `data()` gave."""
        return cls(data["manner"], data.get("text", ""), tuple(data.get("targets", ())))


def say(text: str) -> Action:
    return Action("say", text=tidy(text))


def pick(*targets: int | str) -> Action:
    return Action("pick", targets=targets)


NOTHING = Action("nothing")
ABSTAIN = Action("abstain")


@dataclass(frozen=True)
class Answer:
    """An action as it counts: with labels for what its player did not freely produce."""

    action: Action
    labels: tuple[str, ...] = ()

    @property
    def target(self) -> int | None:
        """The one seat picked, None for an abstention."""
        return int(self.action.targets[0]) if self.action.targets else None


@dataclass(frozen=True)
class Legal:
    """What may be answered. `form`: "speech" or "pick".

    speech: at most `max_words` words; `may_skip`, `may_over` allow passing.
    pick: exactly `count` different `options`; `self_ok` allows one's own seat.
    """

    form: Literal["speech", "pick"]
    max_words: int = 0
    may_skip: bool = False
    may_over: bool = False
    options: tuple[int | str, ...] = ()
    count: int = 1
    self_ok: bool = False
    may_abstain: bool = False


@dataclass(frozen=True)
class Window:
    """A question to one or more seats.

    key: unique in the game and built from public facts only, so that it tells nothing of hidden
    windows. kind: the kind of event each answer becomes. hears: who sees the answers once the
    window is closed; None: each seat its own. knows: who sees that the window is open.
    asks: whether people, agents or everyone of `seats` is asked; waits_for: whose answers the
    game waits for before it goes on. default: what a seat that lets the time run out does.
    clock: which of the table's time limits and paces applies. moment: when it opened; told by the
    log around it, of which only the pass stands in the window's own data.
    """

    key: str
    kind: str
    seats: tuple[int, ...]
    legal: Legal
    hears: Audience | None
    knows: Audience
    asks: Literal["everyone", "agents", "people"] = "everyone"
    waits_for: Literal["all", "people", "nobody"] = "all"
    default: Literal["nothing", "abstain", "draw"] = "draw"
    clock: Literal["statement", "vote", "night", "poll"] = "vote"
    moment: Moment = BEFORE

    @property
    def public_speech(self) -> bool:
        """Whether everybody hears what is said in it."""
        return self.legal.form == "speech" and self.hears == PUBLIC

    def options_for(self, seat: int) -> tuple[int | str, ...]:
        """What `seat` may pick."""
        return tuple(o for o in self.legal.options if self.legal.self_ok or o != seat)

    def audience_of(self, seat: int) -> Audience:
        """Who sees `seat`'s answer when the window is closed."""
        return self.hears or Audience("seats", (seat,))

    def check(self, seat: int, action: Action) -> None:
        """Raise Illegal unless `seat` may answer `action`."""
        if seat not in self.seats:
            raise Illegal("not_asked")
        if self.legal.form == "speech":
            self._check_speech(action)
        else:
            self._check_pick(seat, action)

    def _check_speech(self, action: Action) -> None:
        passes = {"skip": self.legal.may_skip, "over": self.legal.may_over}
        if action.manner in passes and not passes[action.manner]:
            raise Illegal("no_pass")
        if action.manner == "say":
            if why := fault(action.text, self.legal.max_words):
                words = count_words(action.text) if why == "too_many_words" else 0
                raise Illegal(why, words=words, max_words=self.legal.max_words)
        elif action.manner not in (*passes, "nothing"):
            raise Illegal("not_a_statement")

    def _check_pick(self, seat: int, action: Action) -> None:
        if action.manner == "abstain":
            if not self.legal.may_abstain:
                raise Illegal("no_abstaining")
            return
        if action.manner != "pick":
            raise Illegal("not_a_choice")
        if len(action.targets) != self.legal.count or len(set(action.targets)) != self.legal.count:
            raise Illegal("wrong_count", count=self.legal.count)
        if not set(action.targets) <= set(self.options_for(seat)):
            raise Illegal("not_an_option")

    def default_for(self, seat: int, draws: Draws, label: str = "timeout") -> Answer:
        """What the rules do for a seat that did not answer (SPEC, "Time-outs of people")."""
        if self.default == "draw":
            chosen = draws.sample(
                f"{self.key}/{seat}/default", self.options_for(seat), self.legal.count
            )
            return Answer(pick(*chosen), (label,))
        return Answer(NOTHING if self.default == "nothing" else ABSTAIN, (label,))

    def fallback_for(self, seat: int, draws: Draws, label: str) -> Answer:
        """What an agent answers that could not: abstains where it may, else what is drawn."""
        found = self.default_for(seat, draws, label)
        if found.action.manner == "abstain" and not self.legal.may_abstain:
            return replace(self, default="draw").default_for(seat, draws, label)
        return found

    def data(self) -> dict[str, Any]:
        """The JSON form that `window_opened` carries."""
        data = {
            **vars(self),
            "seats": list(self.seats),
            "legal": {**vars(self.legal), "options": list(self.legal.options)},
            "hears": str(self.hears) if self.hears else "",
            "knows": str(self.knows),
        }
        del data["moment"]
        return {**data, "pass": self.moment.pass_} if self.moment.pass_ else data

    @classmethod
    def of(cls, data: Mapping[str, Any], opened: Moment) -> Window:
        """The window that `data()` gave, in the phase that opened at `opened`."""
        legal = {**data["legal"], "options": tuple(data["legal"]["options"])}
        return cls(
            **{
                **{key: value for key, value in data.items() if key != "pass"},
                "moment": replace(opened, pass_=data.get("pass", 0)),
                "seats": tuple(data["seats"]),
                "legal": Legal(**legal),
                "hears": Audience.parse(data["hears"]) if data["hears"] else None,
                "knows": Audience.parse(data["knows"]),
            }
        )


def speech(max_words: int, *, may_skip: bool = False, may_over: bool = False) -> Legal:
    return Legal("speech", max_words=max_words, may_skip=may_skip, may_over=may_over)


def picking(
    options: Iterable[int | str],
    count: int = 1,
    *,
    self_ok: bool = False,
    may_abstain: bool = False,
) -> Legal:
    return Legal(
        "pick", options=tuple(options), count=count, self_ok=self_ok, may_abstain=may_abstain
    )
