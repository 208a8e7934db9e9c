"""The design of a study and its parts: tables, factors, stages.

`Study.design` is `Design.to_json()`. A text file (TOML) can have the same data, so that the study
can be created elsewhere. `Design.from_json` raises `Refused` with a sentence for every error.
`study_plan.find_opening_errors` finds further errors, which prevent opening the study.
"""

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, get_args

from django.utils.translation import gettext_lazy as _
from pydantic import Field, StrictBool, StrictInt, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from agents.recipe import MAX_TEMPERATURE
from game.engine.declarations import BLIND
from webapp.study.design import participation_rules
from webapp.study.design.analysis_plan import AnalysisPlan
from webapp.study.design.exits import Bonus, Exit, ExitKind, Platform
from webapp.study.design.experiment_rules import ExperimentRules, SeatChoice
from webapp.study.design.setting_fields import DesignPart, Key, LongText, ShortText, setting

Minutes = Annotated[int, Field(strict=True, ge=0, le=240)]


class TableDesign(DesignPart):
    """The complete configuration of a table, as `play.tables` and the ruleset take it."""

    FIELDS_ADDED_LATER = ("switches", "claims", "backends", "temperature", "context")

    ruleset: str = "one-night"
    settings: dict[str, bool | int | str] = {}
    # 0 in an experiment, whose games have computer players only.
    people: StrictInt = setting(_("Number of human players"), default=1, ge=0, le=13)
    people_seats: tuple[int, ...] = setting(
        _("Participants’ seats"), _("Choose none to draw them equally often."), default=()
    )
    # In the order of people's seats. () draws the roles, so that no role reveals a person.
    people_roles: tuple[str, ...] = setting(
        _("Participants’ roles"), _("Choose none to draw them equally often."), default=()
    )
    backend: str = setting(_("Computer players"), default="house")
    method: str = setting(_("Method of the computer players"), default="full")
    plain: StrictBool = setting(
        _("Plain speech"),
        _("The built-in players speak directly, without idioms and side remarks."),
        default=False,
    )
    # Switches of methods that differ from the default. A method ignores those it does not have.
    switches: dict[str, str] = {}
    # Models that replace `backend` (`Recipe.backends`): for a kind of request, for the holder of a
    # badge ("office"), or after a failure ("weaker").
    backends: dict[str, str] = {}
    temperature: float | None = setting(
        _("Temperature"),
        _("Variation of answers. Leave empty for each model’s setting."),
        default=None, strict=True, ge=0, le=MAX_TEMPERATURE, allow_inf_nan=False,
    )  # fmt: skip
    context: str = setting(_("Conversation context of models"), default="")
    # Seat or role -> settings that differ there (`cast_form.CastForm`). A seat takes precedence.
    casting: dict[str, SeatChoice] = {}
    blind: StrictBool = setting(
        _("Hide which players are human"),
        _("All players use the name of their seat and speak at the same pace."),
        default=True,
    )
    # A face shows how much a computer player likes the viewer ("me"), or each player ("all").
    faces: Literal["me", "all", "hidden"] = setting(
        _("Faces of the computer players"), default="hidden"
    )
    personas: StrictBool = setting(_("Show the computer players’ personalities"), default=False)
    claims: StrictBool = setting(
        _("Show the claims panel"),
        _(
            "The panel appears next to the conversation: who claims which role, with which"
            " results. A program extracts the claims and can be wrong."
        ),
        default=False,
    )
    pace: str = setting(_("Pace"), default="natural")  # a key of `game.clock.PACES`
    # Clock of the ruleset -> seconds, where it differs from the usual limit.
    limits: dict[str, Annotated[int, Field(strict=True, ge=5, le=3600)]] = {}

    @property
    def game_settings(self) -> dict[str, bool | int | str]:
        """The settings of the table's game: those of the ruleset, and `blind` for every table."""
        return {**self.settings, BLIND: self.blind}

    @property
    def backend_names(self) -> set[str]:
        """All backends that seats may use, including that of the built-in players."""
        seats = [str(choice.get("backend") or "") for choice in self.casting.values()]
        return {self.backend, *self.backends.values(), *seats} - {""}


Label = Annotated[str, Field(max_length=100)]


class Level(DesignPart):
    """A level of a factor, with its name in the data and its label for people."""

    FIELDS_ADDED_LATER = ("label",)

    name: Key
    # The fields of the base table that it sets. Dicts are merged. `faculties` switches persona,
    # favor and strategy of the method on or off (`conditions`).
    table: dict[str, Any] = {}
    label: Label = ""


class Factor(DesignPart):
    """A factor. Its name and label are like those of a level."""

    FIELDS_ADDED_LATER = ("label",)

    name: Key
    levels: Annotated[tuple[Level, ...], Field(min_length=1, max_length=12)]
    label: Label = ""


class Quiz(DesignPart):
    """Yes/no questions on the rules."""

    questions: StrictInt = setting(
        _("Number of yes/no questions"), _("Enter 0 for no quiz."), default=5, ge=0, le=10
    )
    tries: StrictInt = setting(_("Attempts"), default=2, ge=1, le=5)
    then: Literal["out", "go_on"] = setting(_("After the last failed attempt"), default="out")


class Stage(DesignPart):
    """A stage of a participant's route. Its text is Markdown."""

    FIELDS_ADDED_LATER: ClassVar[tuple[str, ...]] = ("idle_minutes",)
    kind_label: ClassVar[Any] = ""  # the name of its kind for researchers
    page_title: ClassVar[Any] = ""  # the title of its page for participants

    title: ShortText = setting(_("Title"), _("Leave empty to use the default title."), default="")
    text: LongText = setting(
        _("Introduction"),
        _("You can use Markdown: an empty line between paragraphs, **bold**, - lists."),
        default="",
    )
    minutes: Minutes = setting(_("Time limit (minutes)"), _("Enter 0 for no limit."), default=0)
    idle_minutes: Minutes = setting(
        _("Maximum inactivity (minutes)"),
        _("A reminder comes one minute earlier. Enter 0 for no limit."),
        default=30,
    )
    each_game: StrictBool = setting(_("Repeat after each game"), default=False)

    @property
    def label(self) -> str:
        """The stage's own title, or the name of its kind for researchers."""
        return self.title or str(self.kind_label)


class ConsentStage(Stage):
    """The stage of consent.

    If `experience` is set, its page asks how well participants know the game (0 to 4). Those below
    `least_experience` are screened out.
    """

    FIELDS_ADDED_LATER = (*Stage.FIELDS_ADDED_LATER, "experience", "least_experience")

    kind_label = _("Consent")
    kind: Literal["consent"] = "consent"
    experience: StrictBool = False
    least_experience: Annotated[int, Field(strict=True, ge=0, le=4)] = 0


class BackgroundStage(Stage):
    """The stage of background questions."""

    kind_label = _("Questions about the participant")
    page_title = _("About you")
    kind: Literal["background"] = "background"
    # Required answer to the item `experience` of `background`, as the index of an option. 0 for no
    # requirement.
    least_experience: Annotated[int, Field(strict=True, ge=0, le=4)] = 0
    instruments: tuple[Key | dict[str, Any], ...] = ("background",)


class RulesStage(Stage):
    kind_label = _("Rules and quiz")
    page_title = _("How the game works")
    kind: Literal["rules"] = "rules"
    quiz: Quiz = Quiz()


class PracticeStage(Stage):
    kind_label = _("Practice round")
    page_title = _("Practice game")
    kind: Literal["practice"] = "practice"
    minutes: Minutes = 2


class GameStage(Stage):
    """The stage of waiting room and game, repeated `AssignmentRules.games_each` times."""

    kind_label = _("Waiting room and game")
    page_title = _("The game")
    kind: Literal["game"] = "game"


class QuestionnaireStage(Stage):
    """A stage of instruments, each a key or data."""

    kind_label = _("Questionnaire")
    page_title = _("Your impressions")
    kind: Literal["questionnaire"] = "questionnaire"
    instruments: tuple[Key | dict[str, Any], ...] = ()


class RatingsStage(Stage):
    """The stage in which participants rate items of a campaign, never of their own games."""

    FIELDS_ADDED_LATER = (*Stage.FIELDS_ADDED_LATER, "then", "settings")

    kind_label = _("Rating of other games")
    page_title = _("Rate other games")
    kind: Literal["ratings"] = "ratings"
    minutes: Annotated[int, Field(strict=True, ge=0, le=7 * 24 * 60)] = 0
    idle_minutes: Minutes = 0  # people may rate on several days
    # What follows when the time is over: the next stage, or the exit `timed_out`.
    then: Literal["go_on", "out"] = "go_on"
    # Settings of the campaign (`campaigns.STAGE_SETTINGS`). Only the design of a file or a copy has
    # them, to create the campaign of the new study.
    settings: dict[str, Any] = {}
    # The code of the campaign. "": the study creates one with `instrument` for its own games.
    campaign: str = ""
    instrument: Key = "guarded"
    items: Annotated[int, Field(strict=True, ge=1, le=1000)] = 10


class InterviewStage(Stage):
    kind_label = _("Closing interview")
    page_title = _("Looking back")
    kind: Literal["interview"] = "interview"
    instruments: tuple[Key | dict[str, Any], ...] = ("interview",)


class DebriefingStage(Stage):
    """The stage of debriefing, which may reveal people and roles."""

    kind_label = _("Debriefing")
    page_title = _("About this study")
    kind: Literal["debriefing"] = "debriefing"
    reveal: StrictBool = setting(_("Reveal who was human, and all roles"), default=False)


AnyStage = Annotated[
    ConsentStage | BackgroundStage | RulesStage | PracticeStage | GameStage | QuestionnaireStage
    | RatingsStage | InterviewStage | DebriefingStage,
    Field(discriminator="kind"),
]  # fmt: skip
# The classes of all stages, in the usual order of a study.
STAGE_CLASSES: tuple[type[Any], ...] = get_args(get_args(AnyStage)[0])
# The stages that ask questions, and their kinds.
QUESTION_STAGES = tuple(stage for stage in STAGE_CLASSES if "instruments" in stage.model_fields)
QUESTION_KINDS = tuple(str(stage.model_fields["kind"].default) for stage in QUESTION_STAGES)


class Design(DesignPart):
    """A complete design. If its table has no people, it is an experiment and has no stages."""

    FIELDS_ADDED_LATER = ("analysis", "experiment")

    version: Literal[1] = 1
    table: TableDesign = TableDesign()
    factors: Annotated[tuple[Factor, ...], Field(max_length=6)] = ()
    assignment: participation_rules.AssignmentRules = participation_rules.AssignmentRules()
    experiment: ExperimentRules = ExperimentRules()
    stages: Annotated[tuple[AnyStage, ...], Field(max_length=20)] = (
        ConsentStage(), RulesStage(), GameStage(), DebriefingStage(),
    )  # fmt: skip
    waiting: participation_rules.WaitingRoom = participation_rules.WaitingRoom()
    dropout: participation_rules.Dropout = participation_rules.Dropout()
    during: participation_rules.InPlayQuestions = participation_rules.InPlayQuestions()
    exits: dict[ExitKind, Exit] = {}
    currency: Annotated[str, Field(max_length=8)] = ""
    bonuses: Annotated[tuple[Bonus, ...], Field(max_length=3)] = ()
    platform: Platform = Platform()
    reading_factor: bool = setting(
        _("Participants may choose extended time"),
        _("They choose before the game. It then applies to everyone at their table."),
        default=True,
    )
    ethics: participation_rules.Ethics = participation_rules.Ethics()
    analysis: AnalysisPlan = AnalysisPlan()

    @model_validator(mode="before")
    @classmethod
    def _drop_default_stages_of_experiment(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "stages" in data:
            return data
        table = data.get("table")
        people = table.get("people") if isinstance(table, dict) else getattr(table, "people", None)
        return {**data, "stages": ()} if people == 0 else data

    @field_validator("stages")
    @classmethod
    def _require_stages_with_people(cls, stages: tuple[AnyStage, ...], info: ValidationInfo) -> Any:
        table = info.data.get("table")
        if not stages and table and table.people:
            raise PydanticCustomError("too_short", "too short", {"min_length": 1})
        return stages

    @property
    def is_experiment(self) -> bool:
        """Whether all games are played by computer players only."""
        return not self.table.people

    @property
    def rates_only(self) -> bool:
        """Whether the participants rate games of others and play none (`Study.rates_only`)."""
        kinds = {stage.kind for stage in self.stages}
        return "ratings" in kinds and "game" not in kinds

    @property
    def is_blind(self) -> bool:
        """Whether any condition hides who is a person."""
        levels = [level for factor in self.factors for level in factor.levels]
        return self.table.blind or any(level.table.get("blind") for level in levels)

    def format_money(self, amount: Decimal) -> str:
        """Return an amount for display, such as 4.50 GBP, or "" for 0."""
        return f"{amount:.2f} {self.currency}".strip() if amount else ""
