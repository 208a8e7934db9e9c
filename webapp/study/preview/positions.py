"""Positions in a preview: condition, step and answers as a signed token, and the list of stops.

A preview stores nothing, so its addresses contain everything that later pages depend on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from django.core import signing
from django.utils.translation import gettext as _

from webapp.study.design.exits import EXITS, RATER_EXITS, ExitKind
from webapp.study.design.stages import Design, RulesStage
from webapp.study.models import Response, Study
from webapp.study.participant.stage_pages import format_title
from webapp.study.sessions.participant_state import GAME, WAITING, Step, route
from webapp.study.sessions.practice import PRACTICE

PREVIEW_KEY = "preview"  # key of the made-up participant, and of their game
# Paths of the made-up participant's own page, of their table, and of their pages as a rater.
OWN_PAGE, TABLE = f"take/as/{PREVIEW_KEY}/", f"games/{PREVIEW_KEY}/"
RATER_PAGES = f"rate/as/{PREVIEW_KEY}/"
GAME_END = 99  # moment at which a game is over, larger than any other
EXITS_WITHOUT_PARTICIPANT = (
    "declined",
    "unsuitable",
    "full",
)  # exits of visitors who did not begin
MAX_TOKEN_CHARS, MAX_TEXT_CHARS = 6000, 400
# An answer as `Position.answers` holds it: the fields of its row.
ANSWER_FIELDS = (
    "step", "moment", "instrument", "item", "about_seat", "number", "text", "choice",
)  # fmt: skip


@dataclass(frozen=True)
class Position:
    """A position in a preview."""

    condition: int = 1  # index of the condition, from 1
    step: int = 0  # index in the route
    # Which page of the step, from 0: a page of a questionnaire, a moment of a game, else one of
    # `moments_of`.
    moment: int = 0
    exit: ExitKind | Literal[""] = ""  # the exit taken, "" for none
    tries: int = 0  # number of tries of the quiz
    is_trained: bool = False  # the rater has completed the example
    has_withdrawn: bool = False  # the answers were deleted
    # All answers given, each with the values of ANSWER_FIELDS.
    answers: Sequence[Sequence[Any]] = field(default=())

    def build_token(self, study: Study) -> str:
        """Return the position as text for an address, without the oldest answers if too long."""
        text = signing.dumps(asdict(self), salt=_salt(study), compress=True)
        if len(text) <= MAX_TOKEN_CHARS or not self.answers:
            return text
        newer_answers = self.answers[1 + len(self.answers) // 4 :]
        return replace(self, answers=newer_answers).build_token(study)

    @classmethod
    def from_token(cls, study: Study, token: str) -> Position:
        """Return the position of a token, the start if this site has not signed the token."""
        try:
            return cls(**signing.loads(token, salt=_salt(study)))
        except (signing.BadSignature, TypeError):
            return cls()


def _salt(study: Study) -> str:
    return f"preview/{study.code}"


def answer_row(row: Response) -> list[Any]:
    """Return a stored answer as `Position.answers` holds it."""
    values = [getattr(row, name) for name in ANSWER_FIELDS]
    values[ANSWER_FIELDS.index("text")] = row.text[:MAX_TEXT_CHARS]
    return values


@dataclass(frozen=True)
class Stop:
    """An entry of the list in the bar of a preview."""

    value: str  # "STEP.MOMENT", or the kind of an exit
    label: str


def list_stops(design: Design) -> list[Stop]:
    """Return the stops before the exits, in the order of the route."""
    stops = []
    for step in route(design):
        title = format_title(step) or _("Consent")
        number = f" {step.game}" if step.game and design.assignment.games_each > 1 else ""
        for moment, name in moments_of(step):
            label = f"{step.index + 1}. {title}{number}" + (f" – {name}" if name else "")
            stops.append(Stop(f"{step.index}.{moment}", label))
    return stops


def list_exit_stops(design: Design) -> list[Stop]:
    """Return the stops at exits."""
    kinds = RATER_EXITS if design.is_rating_only else tuple(EXITS)
    return [Stop(kind, str(EXITS[kind])) for kind in kinds]


def moments_of(step: Step) -> Iterator[tuple[int, str]]:
    """Yield (moment, name) of the step's stops. Games have further moments between them."""
    yield 0, _("start") if step.kind == GAME else ""
    if step.kind == WAITING:
        yield 1, _("ready to start")
    elif step.kind == PRACTICE:
        yield 1, _("at the table")
    elif step.kind == GAME:
        yield GAME_END, _("end of the game")
    elif isinstance(step.stage, RulesStage) and step.stage.quiz.questions:
        yield 1, _("quiz")
    elif step.kind == "ratings":
        yield from ((1, _("example")), (2, _("page")), (3, _("submission")))


def path_of(step: Step, moment: int) -> str:
    """Return the path of the page at a moment of a step, as participants have it.

    A rating page has a path of its own, to which the path for moment 2 redirects.
    """
    if step.kind == GAME or (step.kind == PRACTICE and moment):
        return TABLE
    if step.kind == "rules" and moment:
        return f"{OWN_PAGE}?quiz=1"
    if step.kind == "ratings" and moment:
        return RATER_PAGES + {1: "example", 2: ""}.get(moment, "all")
    return OWN_PAGE


def moment_of_rating(path: str) -> int:
    """Return the moment of a step of ratings at which the page with that path is shown."""
    if path.endswith(("/example", "/quiz")):
        return 1
    return 3 if path.endswith("/all") else 2
