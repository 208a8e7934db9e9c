"""Places in a preview: the condition, the step and the answers, written as a part of an address.

A preview stores nothing, so the address carries everything that a next page depends on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from django.core import signing
from django.utils.translation import gettext as _

from webapp.study.design.exits import EXITS, RATER_EXITS
from webapp.study.design.stages import Design, ExitKind, RulesStage
from webapp.study.models import Response, Study
from webapp.study.participant.stage_pages import format_title
from webapp.study.sessions.participant_steps import WAITING, Step, route
from webapp.study.sessions.practice import PRACTICE

KEY = "preview"  # key of the made-up participant, and of their game
OWN_PAGE, TABLE = f"take/as/{KEY}/", f"games/{KEY}/"
GAME_END = 99  # the moment of a game that is over
ASKING = ("background", "questionnaire", "interview")  # kinds of steps with questionnaires
WITHOUT_PERSON = ("declined", "unsuitable", "full")  # exits of visitors who did not begin
MAX_TOKEN_CHARS, MAX_TEXT_CHARS = 6000, 400
# An answer as `Position.answers` holds it: the fields of its row.
FIELDS = (
    "step", "moment", "instrument", "item", "about_seat", "number", "text", "choice",
)  # fmt: skip


@dataclass(frozen=True)
class Position:
    """A position in a preview.

    condition: from 1. step: index in the route. moment: which of the step's pages, from 0: a page
    of a questionnaire; a moment of a game; for other kinds see `moments_of`. exit: the exit taken,
    "" for none. tries: of the quiz. trained: whether the rater has been through the example.
    withdrew: whether their answers were deleted. answers: all that were given, as lists of FIELDS.
    """

    condition: int = 1
    step: int = 0
    moment: int = 0
    exit: ExitKind | Literal[""] = ""
    tries: int = 0
    trained: bool = False
    withdrew: bool = False
    answers: Sequence[Sequence[Any]] = field(default=())

    def token(self, study: Study) -> str:
        """Return the position as text for an address, without the oldest answers if too long."""
        text = signing.dumps(asdict(self), salt=_salt(study), compress=True)
        if len(text) <= MAX_TOKEN_CHARS or not self.answers:
            return text
        fewer = self.answers[1 + len(self.answers) // 4 :]
        return replace(self, answers=fewer).token(study)

    @classmethod
    def read(cls, study: Study, token: str) -> Position:
        """Return the position of a token, the beginning for one that this site did not write."""
        try:
            return cls(**signing.loads(token, salt=_salt(study)))
        except (signing.BadSignature, TypeError):
            return cls()


def _salt(study: Study) -> str:
    return f"preview/{study.code}"


def answer_row(row: Response) -> list[Any]:
    """Return a stored answer as `Position.answers` holds it."""
    values = [getattr(row, name) for name in FIELDS]
    values[FIELDS.index("text")] = row.text[:MAX_TEXT_CHARS]
    return values


@dataclass(frozen=True)
class Stop:
    """An entry of the bar's list. value: `step.moment`, or the kind of an exit."""

    value: str
    label: str


def stops(design: Design) -> list[Stop]:
    """Return the pages that the bar leads to, in the order of the route, without exits."""
    stop_list = []
    for step in route(design):
        title = step.stage.title or format_title(step.kind) or _("Agreeing to take part")
        number = f" {step.game}" if step.game and design.assignment.games_each > 1 else ""
        for moment, name in moments_of(step):
            label = f"{step.index + 1}. {title}{number}" + (f" – {name}" if name else "")
            stop_list.append(Stop(f"{step.index}.{moment}", label))
    return stop_list


def exit_stops(design: Design) -> list[Stop]:
    kinds = RATER_EXITS if design.rates_only else tuple(EXITS)
    return [Stop(kind, str(EXITS[kind])) for kind in kinds]


def moments_of(step: Step) -> Iterator[tuple[int, str]]:
    """Yield (moment, name) of a step's pages that the bar lists. A game has others in between."""
    yield 0, _("as it begins") if step.kind == "game" else ""
    if step.kind == WAITING:
        yield 1, _("the game can begin")
    elif step.kind == PRACTICE:
        yield 1, _("at the table")
    elif step.kind == "game":
        yield GAME_END, _("its end")
    elif isinstance(step.stage, RulesStage) and step.stage.quiz.questions:
        yield 1, _("the quiz")
    elif step.kind == "ratings":
        yield from ((1, _("the example")), (2, _("a page")), (3, _("handing in")))


def path_of(step: Step, moment: int) -> str:
    """Return the path of the page at a moment of a step, as the site has it for participants.

    The path of a page of ratings is completed by `mount`, because its address is made up.
    """
    if step.kind == "game" or (step.kind == PRACTICE and moment):
        return TABLE
    if step.kind == "rules" and moment:
        return f"{OWN_PAGE}?quiz=1"
    if step.kind == "ratings" and moment:
        return {1: f"rate/as/{KEY}/example", 2: f"rate/as/{KEY}/"}.get(moment, f"rate/as/{KEY}/all")
    return OWN_PAGE


def moment_of_rating(path: str) -> int:
    """Return the moment of a step of ratings at which a rater's page is shown."""
    if path.endswith(("/example", "/quiz")):
        return 1
    return 3 if path.endswith("/all") else 2
