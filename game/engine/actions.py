"""Actions: what a seat does in answer to a question. `forms` decides which actions are allowed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from game.engine.events import text_hash
from game.engine.text_checks import count_words, tidy

ActionKind = Literal["say", "skip", "over", "nothing", "pick", "abstain", "rate"]
PASSES: tuple[ActionKind, ...] = ("skip", "over")
UNCERTAIN = "uncertain"  # the role in a rating by a player who cannot tell
Option = int | str  # a seat (1..n), or a word such as "left"


@dataclass(frozen=True)
class Rating:
    """One seat's belief about another: a role's key or UNCERTAIN, and the confidence in it."""

    seat: int
    role: str
    confidence: int


@dataclass(frozen=True)
class Action:
    """What one seat does in answer to a question.

    Attributes:
        kind: the seat speaks (`say`), passes (`skip`, `over`, `nothing`), picks, abstains or rates.
            The log stores it as `manner`.
        text: the statement; for a choice, its reason.
        targets: seats (1..n), or words if the window's options are words; for a statement, the
            addressed seat.
        ratings: one for each player whose rating changes.
    """

    kind: ActionKind
    text: str = ""
    targets: tuple[Option, ...] = ()
    ratings: tuple[Rating, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that events carry."""
        data: dict[str, Any] = {"manner": self.kind}
        if self.kind == "say" or self.text:
            digest, words = text_hash(self.text), count_words(self.text)
            data |= {"text": self.text, "sha256": digest, "words": words}
        if self.kind == "pick" or (self.kind == "say" and self.targets):
            data["targets"] = list(self.targets)
        if self.kind == "rate":
            data["ratings"] = [dict(vars(rating)) for rating in self.ratings]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the action of a JSON form made by `to_json`."""
        ratings = tuple(Rating(**row) for row in data.get("ratings", ()))
        return cls(data["manner"], data.get("text", ""), tuple(data.get("targets", ())), ratings)


def say(text: str, to: Option | None = None) -> Action:
    return Action("say", text=tidy(text), targets=() if to is None else (to,))


def pick(*targets: Option) -> Action:
    return Action("pick", targets=targets)


def rate(*ratings: Rating) -> Action:
    return Action("rate", ratings=ratings)


NOTHING = Action("nothing")
ABSTAIN = Action("abstain")
