"""A study's design as data: `Study.design` is `Design.data()`.

A design can also be a text file (TOML), so that the same study can be created elsewhere. Reading
one raises `Refused` with a sentence for every fault. `study_plan.find_opening_errors` returns what
else prevents opening the study.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from agents.recipe import MAX_TEMPERATURE
from webapp.study.design.analysis_plan import AnalysisPlan
from webapp.study.design.experiment_rules import ExperimentRules, SeatChoice
from webapp.study.design.value_checks import Key, Part, Switch

Text = Annotated[str, Field(max_length=20_000)]
Line = Annotated[str, Field(max_length=200)]
Minutes = Annotated[int, Field(strict=True, ge=0, le=240)]
Days = Annotated[int, Field(strict=True, ge=0, le=10_000)]


class TableDesign(Part):
    """The whole configuration of a table, as `play.tables` and the ruleset take it.

    people: how many seats are people's, 0 in an experiment; people_seats: which, none where they
    are drawn so that seats come equally often; people_roles: the roles dealt to people, in the
    order of their seats, none where they are drawn so that no role tells who is a person. switches:
    those of methods that differ from the usual; they hold where the method has them. backends:
    other models than `backend` (`Recipe.backends`): for a kind of request, while a player holds a
    badge (office), or after a failure (weaker). temperature: of models, none for their own.
    context: what of the talk a request holds, "" for the method's own. casting: what is otherwise
    in a seat or for who is dealt a role (seat or role -> as casting.CastForm made it; a seat's own
    takes precedence). claims: the table shows the sheet of claims.
    """

    LATER = ("switches", "claims", "backends", "temperature", "context")

    ruleset: str = "one-night"
    settings: dict[str, bool | int | str] = {}
    people: Annotated[int, Field(strict=True, ge=0, le=13)] = 1
    people_seats: tuple[int, ...] = ()
    people_roles: tuple[str, ...] = ()
    backend: str = "house"
    method: str = "full"
    plain: Switch = False
    switches: dict[str, str] = {}
    backends: dict[str, str] = {}
    temperature: Annotated[
        float | None, Field(strict=True, ge=0, le=MAX_TEMPERATURE, allow_inf_nan=False)
    ] = None
    context: str = ""
    casting: dict[str, SeatChoice] = {}
    blind: Switch = True
    faces: Literal["me", "all", "hidden"] = "hidden"
    personas: Switch = False
    claims: Switch = False
    pace: str = "natural"
    limits: dict[str, Annotated[int, Field(strict=True, ge=5, le=3600)]] = {}

    @property
    def backend_names(self) -> set[str]:
        """The backends that any seat may have, with that of the built-in players."""
        seats = [str(choice.get("backend") or "") for choice in self.casting.values()]
        return {self.backend, *self.backends.values(), *seats} - {""}


Label = Annotated[str, Field(max_length=100)]


class Level(Part):
    """A level of a factor: the fields of the base table that it sets (dicts are merged).

    name: in the data. label: for people, "" for the name. table: may also have `faculties`, which
    switches persona, favor and strategy of the method on or off (`conditions`).
    """

    LATER = ("label",)

    name: Key
    table: dict[str, Any] = {}
    label: Label = ""


class Factor(Part):
    """A factor. name, label: as in a level."""

    LATER = ("label",)

    name: Key
    levels: Annotated[tuple[Level, ...], Field(min_length=1, max_length=12)]
    label: Label = ""


class AssignmentRules(Part):
    """Assignment of games to conditions and of people to games.

    games: valid games wanted of each condition. games_each: games of one participant. deals:
    `shared`: repetition i of every condition has the same deal; `fresh`: each its own.
    """

    games: Annotated[int, Field(strict=True, ge=1, le=1000)] = 10
    games_each: Annotated[int, Field(strict=True, ge=1, le=10)] = 1
    deals: Literal["shared", "fresh"] = "shared"
    distinct_conditions: Switch = True  # nobody plays a condition twice
    meet_once: Switch = False  # no two people are in one game twice


class WaitingRoom(Part):
    """Rules of the waiting room. Times in seconds.

    least: minimum wait for everybody, so that the waiting time reveals nothing (blind studies).
    short_counts: whether a game with computer players in open seats is valid.
    """

    least: Annotated[int, Field(strict=True, ge=0, le=600)] = 0
    ready: Annotated[int, Field(strict=True, ge=5, le=120)] = 20
    leave_paid_after: Annotated[int, Field(strict=True, ge=0, le=3600)] = 300
    most: Annotated[int, Field(strict=True, ge=30, le=3600)] = 600
    at_most: Literal["begin", "end"] = "end"  # begin with computer players, or pay and end
    short_counts: Switch = False


class Dropout(Part):
    """What happens if a participant is away from a game, or leaves its questions unanswered.

    grace: seconds without an open page until the policy acts. missed: questions missed in a row
    until it acts although a page is open; 0 for never. counts: whether a game in which it acted is
    valid.
    """

    LATER = ("missed",)

    policy: Literal["wait", "stand_in", "end"] = "stand_in"
    grace: Annotated[int, Field(strict=True, ge=10, le=900)] = 60
    missed: Annotated[int, Field(strict=True, ge=0, le=20)] = 5
    counts: Switch = False


class During(Part):
    """Questions that people are asked during play, beside the game's own."""

    confidence: Switch = False  # role and confidence of every living player before each action
    polls: Switch = False  # straw polls, as the computer players answer them
    why: Switch = False  # a line of reason with a vote
    reliability: Switch = (
        False  # before and after the Sheriff's speech; statements are sorted by it
    )


class Quiz(Part):
    """Yes/no questions on the rules, drawn from the ruleset's own.

    then: what happens after the last wrong try.
    """

    questions: Annotated[int, Field(strict=True, ge=0, le=10)] = 5
    tries: Annotated[int, Field(strict=True, ge=1, le=5)] = 2
    then: Literal["out", "go_on"] = "out"


class Stage(Part):
    """A stage of the route.

    title, text: shown at its top (text is Markdown). minutes: 0 for no limit. each_game: it follows
    every game instead of coming once. idle_minutes: who gives no sign of life for so long leaves as
    `abandoned`; 0 for never. Consent, practice and games have rules of their own.
    """

    LATER: ClassVar[tuple[str, ...]] = ("idle_minutes",)

    title: Line = ""
    text: Text = ""
    minutes: Minutes = 0
    idle_minutes: Minutes = 30
    each_game: Switch = False


class ConsentStage(Stage):
    """The stage of consent.

    experience: whether the page asks for experience with the game, from 0 (none) to 4.
    least_experience: participants below it are screened out; 0 for nobody.
    """

    LATER = (*Stage.LATER, "experience", "least_experience")

    kind: Literal["consent"] = "consent"
    experience: Switch = False
    least_experience: Annotated[int, Field(strict=True, ge=0, le=4)] = 0


class BackgroundStage(Stage):
    """The stage of background questions.

    least_experience: experience required to continue, an index of the options of `background`'s
    item `experience`; 0 for no requirement.
    """

    kind: Literal["background"] = "background"
    least_experience: Annotated[int, Field(strict=True, ge=0, le=4)] = 0
    instruments: tuple[Key | dict[str, Any], ...] = ("background",)


class RulesStage(Stage):
    kind: Literal["rules"] = "rules"
    quiz: Quiz = Quiz()


class PracticeStage(Stage):
    kind: Literal["practice"] = "practice"
    minutes: Minutes = 2


class GameStage(Stage):
    """The waiting room and the game, as often as `AssignmentRules.games_each` says."""

    kind: Literal["game"] = "game"


class QuestionnaireStage(Stage):
    """A stage of instruments, by key or as data. `who-is-human` asks about every other seat."""

    kind: Literal["questionnaire"] = "questionnaire"
    instruments: tuple[Key | dict[str, Any], ...] = ()


class RatingsStage(Stage):
    """The stage in which participants rate items of a campaign, never of their own games.

    campaign: its code; "" for one that the study creates with `instrument` for its own games. then:
    what happens when the time is over: the next stage, or the exit `timed_out`. settings: of the
    campaign (`campaigns.OF_STAGE`), in a file or a copy; a study created from it gets a campaign
    with them.
    """

    LATER = (*Stage.LATER, "then", "settings")

    kind: Literal["ratings"] = "ratings"
    minutes: Annotated[int, Field(strict=True, ge=0, le=7 * 24 * 60)] = 0
    idle_minutes: Minutes = 0  # people may rate on several days
    then: Literal["go_on", "out"] = "go_on"
    settings: dict[str, Any] = {}
    campaign: str = ""
    instrument: Key = "guarded"
    items: Annotated[int, Field(strict=True, ge=1, le=1000)] = 10


class InterviewStage(Stage):
    kind: Literal["interview"] = "interview"
    instruments: tuple[Key | dict[str, Any], ...] = ("interview",)


class DebriefingStage(Stage):
    """The stage of debriefing. reveal: whether people and roles are revealed."""

    kind: Literal["debriefing"] = "debriefing"
    reveal: Switch = False


AnyStage = Annotated[
    ConsentStage | BackgroundStage | RulesStage | PracticeStage | GameStage | QuestionnaireStage
    | RatingsStage | InterviewStage | DebriefingStage,
    Field(discriminator="kind"),
]  # fmt: skip

ExitKind = Literal[
    "completed", "declined", "screened_out", "unsuitable", "quiz_early", "quiz_failed",
    "waited_out", "full", "timed_out", "abandoned", "left", "removed", "technical",
]  # fmt: skip


class Exit(Part):
    """What participants get at an exit.

    code_kind: `same` for all, `own`: drawn for each, or none. pay: in the study's currency.
    """

    text: Text = ""
    code_kind: Literal["none", "same", "own"] = "none"
    code: Line = ""
    url: Annotated[str, Field(max_length=400)] = ""
    pay: Annotated[Decimal, Field(ge=0, le=1000, decimal_places=2)] = Decimal(0)


BonusRule = Literal["won", "survived", "guessed_human"]


class Bonus(Part):
    """Pay in addition to that of the exit.

    won: for each game that the participant's team won. survived: for each game at whose end they
    were still in it. guessed_human: for each other player whom they correctly identified as a
    person or a computer player. amount: for one case. most: limit of all of a participant's
    together, 0 for none.
    """

    rule: BonusRule
    amount: Annotated[Decimal, Field(gt=0, le=1000, decimal_places=2)]
    most: Annotated[Decimal, Field(ge=0, le=10_000, decimal_places=2)] = Decimal(0)


class Platform(Part):
    """The service that recruits participants and pays them.

    most_minutes: the longest duration it allows, 0 for no limit. rewards: exits that it pays with
    its own reward, for the people it sent. All other pay is up to the researcher.
    """

    most_minutes: Annotated[int, Field(strict=True, ge=0, le=1440)] = 0
    rewards: tuple[ExitKind, ...] = ("completed",)


class Ethics(Part):
    """A study's answers to the questions of an ethics board.

    Days count from the study's closing; 0: not decided. retention_days: until all personal data are
    deleted. identity_days: until outside names and payments are. withdraw_days: how long after
    their exit participants can have their data deleted; 0 for as long as the data are kept. terms:
    of the model providers. publish_words: a tick box for it is offered. consent_again: consent is
    asked again after the debriefing.
    """

    controller: Line = ""
    contact: Line = ""
    board: Line = ""
    legal_basis: Annotated[str, Field(max_length=1000)] = ""
    least_age: Annotated[int, Field(strict=True, ge=0, le=99)] = 0
    retention_days: Days = 0
    identity_days: Days = 0
    withdraw_days: Days = 0
    terms: Text = ""
    publish_words: Switch = False
    consent_again: Switch = False


class Design(Part):
    """A complete design. version: of this format. analysis: the tests named beforehand.

    A design whose table has no people is an experiment: it has no stages.
    """

    LATER = ("analysis", "experiment")

    version: Literal[1] = 1
    table: TableDesign = TableDesign()
    factors: Annotated[tuple[Factor, ...], Field(max_length=6)] = ()
    assignment: AssignmentRules = AssignmentRules()
    experiment: ExperimentRules = ExperimentRules()
    stages: Annotated[tuple[AnyStage, ...], Field(max_length=20)] = (
        ConsentStage(),
        RulesStage(),
        GameStage(),
        DebriefingStage(),
    )
    waiting: WaitingRoom = WaitingRoom()
    dropout: Dropout = Dropout()
    during: During = During()
    exits: dict[ExitKind, Exit] = {}
    currency: Annotated[str, Field(max_length=8)] = ""
    bonuses: Annotated[tuple[Bonus, ...], Field(max_length=3)] = ()
    platform: Platform = Platform()
    reading_factor: Annotated[bool, Field()] = True  # extra time may be chosen before seating
    ethics: Ethics = Ethics()
    analysis: AnalysisPlan = AnalysisPlan()

    @model_validator(mode="before")
    @classmethod
    def _experiment_without_stages(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "stages" in data:
            return data
        table = data.get("table")
        people = table.get("people") if isinstance(table, dict) else getattr(table, "people", None)
        return {**data, "stages": ()} if people == 0 else data

    @field_validator("stages")
    @classmethod
    def _stages_of_people(cls, stages: tuple[AnyStage, ...], info: ValidationInfo) -> Any:
        table = info.data.get("table")
        if not stages and table and table.people:
            raise PydanticCustomError("too_short", "too short", {"min_length": 1})
        return stages

    @property
    def is_experiment(self) -> bool:
        """Whether computer players play all games by themselves."""
        return not self.table.people

    @property
    def rates_only(self) -> bool:
        """Whether its participants rate games of others and play none."""
        kinds = {stage.kind for stage in self.stages}
        return "ratings" in kinds and "game" not in kinds

    @property
    def blind(self) -> bool:
        """Whether nobody may learn who is a person, in any condition."""
        settings = [self.table.blind]
        for factor in self.factors:
            settings += [
                bool(level.table.get("blind", self.table.blind)) for level in factor.levels
            ]
        return any(settings)

    def format_money(self, amount: Decimal) -> str:
        """Return an amount for display, such as 4.50 GBP, or "" for 0."""
        return f"{amount:.2f} {self.currency}".strip() if amount else ""
