"""Windows: questions to seats, their respondents, and the default answers for them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from game.engine.events import (
    ABSTAIN,
    BEFORE_FIRST_PHASE,
    NOTHING,
    PUBLIC,
    Action,
    Audience,
    Moment,
    Option,
    pick,
)
from game.engine.forms import Form, Illegal, Pick, Speech
from game.engine.seeded_random import SeededRandom

Clock = Literal["statement", "vote", "night", "poll"]
Default = Literal["nothing", "abstain", "draw", "first", "skip"]


@dataclass(frozen=True)
class Answer:
    """An accepted action, with labels for what the player did not freely produce."""

    action: Action
    labels: tuple[str, ...] = ()

    @property
    def target(self) -> int | None:
        """The one seat picked, None for an abstention."""
        return int(self.action.targets[0]) if self.action.targets else None


@dataclass(frozen=True)
class Window:
    """A question to one or more seats.

    Attributes:
        key: unique in the game. It is built from public facts only, so that it does not reveal
            hidden windows.
        kind: the kind of event that each answer becomes.
        legal: the form of an answer.
        answer_audience: the audience of the answers once the window is closed; None: each seat
            sees its own.
        window_audience: the audience that sees that the window is open.
        asks: which of `seats` are respondents.
        waits_for: whose answers the game needs before it continues.
        default: the action of a seat whose time runs out (`first`: it picks its first option).
        clock: which of the table's time limits and paces applies.
        share: the share of a night of fixed length by which the window must be answered, for
            windows in sequence.
        moment: when it opened. Its JSON form has only the pass, because the log has the rest.
    """

    key: str
    kind: str
    seats: tuple[int, ...]
    legal: Form
    answer_audience: Audience | None
    window_audience: Audience
    asks: Literal["everyone", "agents", "people"] = "everyone"
    waits_for: Literal["all", "people", "nobody"] = "all"
    default: Default = "draw"
    clock: Clock = "vote"
    share: float = 1.0
    moment: Moment = BEFORE_FIRST_PHASE

    @property
    def is_public_speech(self) -> bool:
        """Whether everyone hears the answers, which are statements."""
        return isinstance(self.legal, Speech) and self.answer_audience == PUBLIC

    @property
    def is_ballot(self) -> bool:
        """Whether several seats each pick one player, or no one: a vote, an election, a poll."""
        if not isinstance(self.legal, Pick) or self.legal.count != 1 or len(self.seats) < 2:
            return False
        return all(isinstance(option, int) for option in self.legal.options)

    @property
    def speech(self) -> Speech:
        """The form, of a window that asks for a statement."""
        if not isinstance(self.legal, Speech):
            raise TypeError(f"{self.key} asks for no statement")
        return self.legal

    @property
    def pick(self) -> Pick:
        """The form, of a window that asks for a choice."""
        if not isinstance(self.legal, Pick):
            raise TypeError(f"{self.key} asks for no choice")
        return self.legal

    def respondents(self, people: Collection[int]) -> list[int]:
        """Return the seats that are asked, in order, at a table with `people` in these seats."""
        if self.asks == "everyone":
            return list(self.seats)
        return [s for s in self.seats if (s in people) == (self.asks == "people")]

    def options_for(self, seat: int) -> tuple[Option, ...]:
        """Return the options that `seat` may name in its answer."""
        return self.legal.options_for(seat)

    def audience_of(self, seat: int) -> Audience:
        """Return who sees the answer of `seat` when the window is closed."""
        return self.answer_audience or Audience("seats", (seat,))

    def accept(self, seat: int, action: Action, names: Sequence[str]) -> Answer:
        """Return the answer as the rules accept it (`Form.amend`), or raise Illegal."""
        amended, labels = self.legal.amend(seat, action, names)
        self.check(seat, amended)
        return Answer(amended, labels)

    def check(self, seat: int, action: Action) -> None:
        """Raise Illegal unless `seat` may answer `action`."""
        if seat not in self.seats:
            raise Illegal("not_asked")
        self.legal.check(seat, action)

    def default_for(self, seat: int, rng: SeededRandom, label: str = "timeout") -> Answer:
        """Return the rules' answer for a seat that did not answer (SPEC, "Time-outs of people")."""
        if self.default == "draw":
            return Answer(self.legal.draw_action(seat, rng, f"{self.key}/{seat}/default"), (label,))
        if self.default == "first":
            return Answer(pick(*self.options_for(seat)[: self.pick.count]), (label,))
        actions = {"nothing": NOTHING, "abstain": ABSTAIN, "skip": Action("skip")}
        return Answer(actions[self.default], (label,))

    def fallback_for(self, seat: int, rng: SeededRandom, label: str) -> Answer:
        """Return the default answer of an agent, a drawn one if the rules forbid to abstain."""
        answer = self.default_for(seat, rng, label)
        if answer.action == ABSTAIN and isinstance(self.legal, Pick) and not self.legal.may_abstain:
            return replace(self, default="draw").default_for(seat, rng, label)
        return answer

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `window_opened` carries."""
        data = {
            **vars(self),
            "seats": list(self.seats),
            "legal": self.legal.to_json(),
            # The log's names of the two audiences. Others would change the digests of old games.
            "hears": str(self.answer_audience) if self.answer_audience else "",
            "knows": str(self.window_audience),
        }
        del data["moment"], data["answer_audience"], data["window_audience"]
        if self.share == 1:
            del data["share"]
        return {**data, "pass": self.moment.pass_} if self.moment.pass_ else data

    @classmethod
    def from_json(cls, data: Mapping[str, Any], opened: Moment) -> Self:
        """Return the window of a JSON form made by `to_json`, in the phase opened at `opened`."""
        return cls(
            **{
                **{k: v for k, v in data.items() if k not in ("pass", "hears", "knows")},
                "moment": replace(opened, pass_=data.get("pass", 0)),
                "seats": tuple(data["seats"]),
                "legal": Form.from_json(data["legal"]),
                "answer_audience": Audience.parse(data["hears"]) if data["hears"] else None,
                "window_audience": Audience.parse(data["knows"]),
            }
        )
