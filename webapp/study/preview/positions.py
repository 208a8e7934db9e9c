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
OWN_PATH = f"take/as/{PREVIEW_KEY}/"  # path of the made-up participant's own page
TABLE_PATH = f"games/{PREVIEW_KEY}/"
RATER_PATH = f"rate/as/{PREVIEW_KEY}/"  # path of the pages of the participant as a rater
RULES, RATINGS = "rules", "ratings"  # kinds of steps
# Moments of a step after its start, which is 0.
SEAT_OFFERED = 1  # of a waiting room: a seat is offered
PRACTICE_TABLE = 1  # of a practice game: its table, which follows an introduction
QUIZ = 1  # of the rules: the quiz, which follows their text
EXAMPLE, RATING_PAGE, SUBMISSION = 1, 2, 3  # of ratings: the worked example, a page, the last page
GAME_END = 99  # of a game: it is over; larger than any other moment
# Exits of visitors who did not begin.
EXITS_WITHOUT_PARTICIPANT = ("declined", "unsuitable", "full")
MAX_TOKEN_CHARS = 6000  # servers refuse addresses of more than about 8000 characters
MAX_TEXT_CHARS = 400  # texts of answers are cut to this length in the token
# An answer as `Position.answers` holds it: the fields of its row.
ANSWER_FIELDS = (
    "step", "moment", "instrument", "item", "about_seat", "number", "text", "choice",
)  # fmt: skip


@dataclass(frozen=True)
class Position:
    """Where a preview is, and all that the visitor has done before."""

    condition: int = 1  # index of the condition, from 1
    step: int = 0  # index in the route
    # What the step shows, from 0: the page of a questionnaire, the n-th question of a new kind to
    # the participant in a game (`made_up_data.play_until`), else one of `moments_of`.
    moment: int = 0
    exit: ExitKind | Literal[""] = ""  # the exit taken, "" for none
    tries: int = 0  # number of tries of the quiz
    is_trained: bool = False  # the rater has completed the example
    has_withdrawn: bool = False  # the answers were deleted
    # All answers given, each with the values of ANSWER_FIELDS.
    answers: Sequence[Sequence[Any]] = field(default=())

    def to_token(self, study: Study) -> str:
        """Return the position as text for an address, without the oldest answers if too long."""
        text = signing.dumps(asdict(self), salt=_salt(study), compress=True)
        if len(text) <= MAX_TOKEN_CHARS or not self.answers:
            return text
        # A quarter at a time, so that few tokens are signed, and at least one.
        newer_answers = self.answers[1 + len(self.answers) // 4 :]
        return replace(self, answers=newer_answers).to_token(study)

    @classmethod
    def from_token(cls, study: Study, token: str) -> Position:
        """Return the position of a token, the start if this site has not signed the token."""
        try:
            return cls(**signing.loads(token, salt=_salt(study)))
        except (signing.BadSignature, TypeError):  # TypeError: an older version had other fields
            return cls()


def _salt(study: Study) -> str:
    return f"preview/{study.code}"


def answer_values(answer: Response) -> list[Any]:
    """Return a stored answer as `Position.answers` holds it."""
    values = [getattr(answer, name) for name in ANSWER_FIELDS]
    values[ANSWER_FIELDS.index("text")] = answer.text[:MAX_TEXT_CHARS]
    return values


@dataclass(frozen=True)
class Stop:
    """An entry of the list in the bar of a preview."""

    value: str  # "STEP.MOMENT", or the kind of an exit
    label: str


def list_route_stops(design: Design) -> list[Stop]:
    """Return the stops at the steps, in the order of the route, without those at exits."""
    stops = []
    for step in route(design):
        title = format_title(step) or _("Consent")
        has_several_games = design.assignment.games_each > 1
        game_suffix = f" {step.game}" if step.game and has_several_games else ""
        for moment, name in moments_of(step):
            label = f"{step.index + 1}. {title}{game_suffix}" + (f" – {name}" if name else "")
            stops.append(Stop(f"{step.index}.{moment}", label))
    return stops


def list_exit_stops(design: Design) -> list[Stop]:
    """Return the stops at exits."""
    kinds = RATER_EXITS if design.rates_only else tuple(EXITS)
    return [Stop(kind, str(EXITS[kind])) for kind in kinds]


def moments_of(step: Step) -> Iterator[tuple[int, str]]:
    """Yield (moment, name) of the step's stops. The name is "" if the step's title is enough.

    A game has further moments between its stops: the questions of `made_up_data.play_until`.
    """
    yield 0, (_("start") if step.kind == GAME else "")
    if step.kind == WAITING:
        yield SEAT_OFFERED, _("ready to start")
    elif step.kind == PRACTICE:
        yield PRACTICE_TABLE, _("at the table")
    elif step.kind == GAME:
        yield GAME_END, _("end of the game")
    elif isinstance(step.stage, RulesStage) and step.stage.quiz.questions:
        yield QUIZ, _("quiz")
    elif step.kind == RATINGS:
        yield EXAMPLE, _("example")
        yield RATING_PAGE, _("page")
        yield SUBMISSION, _("submission")


def path_of(step: Step, moment: int) -> str:
    """Return the path of the page at a moment of a step, as participants have it.

    A rating page has a path of its own, to which the path for RATING_PAGE redirects.
    """
    if step.kind == GAME or (step.kind == PRACTICE and moment):
        return TABLE_PATH
    if step.kind == RULES and moment:
        return f"{OWN_PATH}?quiz=1"
    if step.kind == RATINGS and moment:
        return RATER_PATH + {EXAMPLE: "example", RATING_PAGE: ""}.get(moment, "all")
    return OWN_PATH


def moment_of_rating(path: str) -> int:
    """Return the moment of a step of ratings at which the page with that path is shown."""
    # The quiz has no moment of its own: like the example, it comes before the rater is trained.
    if path.endswith(("/example", "/quiz")):
        return EXAMPLE
    return SUBMISSION if path.endswith("/all") else RATING_PAGE
