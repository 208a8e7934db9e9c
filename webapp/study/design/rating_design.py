"""The settings of ratings: which units are rated, and how raters rate them.

`RatingDesign` has those of a stage of ratings, `CampaignSettings` all those of a campaign.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Annotated, Any, ClassVar, Literal, Self

from django.utils.translation import gettext_lazy as _
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictInt,
    model_serializer,
    model_validator,
)

from agents.personas.big_five import Persona
from agents.recipe import BadRecipe, Recipe
from game.engine import rulesets
from webapp.study.design import instruments, validation_errors
from webapp.study.design.analysis_plan import AnalysisPlan
from webapp.study.design.exits import RATER_EXITS
from webapp.study.design.instruments import Instrument
from webapp.study.design.refusals import Refused, refusing
from webapp.study.design.setting_fields import (
    DesignPart,
    MultilineText,
    SingleLineText,
    Url,
    one_of,
    setting,
)
from webapp.study.games import situations

# What a campaign compares: games, or speakers within games.
COMPARE_GAMES, KIND, METHOD, ROLE, TEAM = "game", "kind", "method", "role", "team"
COMPARISON_LABELS = {
    COMPARE_GAMES: _("games, by their condition"),
    KIND: _("participants with computer players, within the games"),
    METHOD: _("model and method, within the games"),
    ROLE: _("roles, within the games"),
    TEAM: _("teams, within the games"),
}
# Comparisons that reveal who is a person at a blind table.
REVEALING_KEYS = (KIND, METHOD)
MAX_CONDITION_CHARS = 60  # length of the column in the database


def team_names() -> dict[str, str]:
    """Return team key -> name, for the teams of all rulesets."""
    all_teams = [team for name in rulesets.names() for team in rulesets.get(name).teams]
    return {team.key: str(_(team.name)) for team in all_teams}


UnitCount = Annotated[StrictInt, Field(ge=1, le=10_000)]
Situation = Annotated[str, one_of(*situations.KEYS)]
Team = Annotated[str, one_of(more_keys=team_names)]
QuotaKey = Annotated[str, one_of("", "any", *situations.KEYS)]
ComparedProperty = Annotated[str, one_of(*COMPARISON_LABELS)]
SORTED = AfterValidator(lambda values: tuple(sorted(values)))
MAX_ANSWERS = 6  # this many answers to one moment fit side by side on a page
OR_EMPTY_TUPLE = BeforeValidator(lambda value: value or ())
OR_EMPTY_DICT = BeforeValidator(lambda value: value or {})
OR_EMPTY_TEXT = BeforeValidator(lambda value: value or "")


QuizText = Annotated[SingleLineText, Field(min_length=1, max_length=400)]


def parse_questions(plain_text: str) -> list[dict[str, Any]]:
    """Parse the questions of a plain text, or raise `Refused`."""
    lines = map(str.strip, plain_text.splitlines())
    blocks = [list(block) for has_text, block in groupby(lines, bool) if has_text]
    questions, errors = [], []
    for number, (text, *options) in enumerate(blocks, 1):
        right = [n for n, option in enumerate(options) if option.startswith("+")]
        if text[:1] in "+-" or any(option[:1] not in "+-" for option in options):
            sentence = _("Write question {n} on one line and each option below it, after - or +.")
            errors.append(sentence.format(n=number))
        elif len(options) < 2 or len(right) != 1:
            sentence = _("Give question {n} at least two options, one of them correct (after +).")
            errors.append(sentence.format(n=number))
        else:
            option_texts = [option[1:].strip() for option in options]
            questions.append({"text": text, "options": option_texts, "right": right[0]})
    if errors:
        raise Refused(errors)
    return questions


def format_questions(questions: Sequence[Mapping[str, Any]]) -> str:
    """Return the plain text that `parse_questions` reads."""
    blocks = []
    for question in questions:
        marked_options = (
            f"{'+' if n == question['right'] else '-'} {option}"
            for n, option in enumerate(question["options"])
        )
        blocks.append("\n".join([question["text"], *marked_options]))
    return "\n\n".join(blocks)


class RatingQuizQuestion(DesignPart):
    """A question of the quiz. `right` is the index of the right option, from 0."""

    text: QuizText
    options: Annotated[tuple[QuizText, ...], Field(min_length=2, max_length=8)]
    right: Annotated[StrictInt, Field(ge=0)]

    @model_validator(mode="after")
    def _check_right(self) -> Self:
        if self.right >= len(self.options):
            text = _("enter an option’s number, counted from 0")
            validation_errors.raise_errors([(("right",), text)])
        return self


class InstructionQuiz(DesignPart):
    """The quiz before the ratings: questions on the instructions, or none, with limited tries.

    Researchers write plain text: a question on one line, then each option on a line, after "+" if
    it is right and after "-" if it is wrong. An empty line separates questions.
    """

    tries: StrictInt = setting(
        _("Attempts before the rater leaves (failed the quiz)"), default=2, ge=1, le=20
    )
    questions: Annotated[tuple[RatingQuizQuestion, ...], Field(max_length=10)] = ()

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return {} if there are no questions. It replaces the serializer of DesignPart."""
        return handler(self) if self.questions else {}


class UnitChoice(DesignPart):
    """The choice of the units to rate."""

    FIELDS_ADDED_LATER = ("words",)

    pick: Literal["all", "sample"] = setting(_("Units"), default="all")
    # Size of a sample of each condition, unless `quotas` is set.
    per_condition: UnitCount = setting(
        _("Number per condition"), _("Not used if you fill in the mixture below."), default=10
    )
    situations: Annotated[tuple[Situation, ...], SORTED, OR_EMPTY_TUPLE] = setting(
        _("Situations"),
        _("Detected in the preceding conversation. Choose none to include all statements."),
        default=(),
    )
    speakers: Literal["agents", "all"] = setting(_("Speakers"), default="agents")
    # Whether units are prepared lines that a rule chose (label `template`), the model's own text,
    # or both.
    words: Literal["any", "own", "prepared"] = setting(
        _("Type of text"),
        _("A guarded computer player speaks a prepared line in certain situations."),
        default="any",
    )
    teams: Annotated[tuple[Team, ...], SORTED, OR_EMPTY_TUPLE] = setting(
        _("Teams"),
        _("By the roles in the game. Raters do not see them. Choose none to include all teams."),
        default=(),
    )
    compare: ComparedProperty = setting(_("Comparison"), default=COMPARE_GAMES)
    # Situation -> number of units of each condition.
    quotas: Annotated[dict[QuotaKey, UnitCount], OR_EMPTY_DICT] = {}
    # Whether raters complete unit after unit (depth) or start all first (breadth).
    fill: Literal["depth", "breadth"] = setting(_("Order of units"), default="depth")


class ExclusionLimits(DesignPart):
    """The limits of the exclusion rules (`rating.exclusion`). A rule without a limit is off."""

    FIELDS_ADDED_LATER = ("failed_checks", "gold_missed", "fast_percent", "same_in_a_row")

    failed_checks: StrictInt | None = setting(
        _("Minimum number of failed or skipped attention checks"), default=None, ge=1, le=20
    )
    gold_missed: StrictInt | None = setting(
        _("Minimum number of missed or skipped gold items"), default=None, ge=1, le=100
    )
    fast_percent: StrictInt | None = setting(
        _("Minimum share of answers in under 3 seconds (percent)"), default=None, ge=1, le=100
    )
    same_in_a_row: StrictInt | None = setting(
        _("Minimum run of identical values"), default=None, ge=5, le=1000
    )


def _check_instrument(value: Any) -> dict[str, Any]:
    """Return the instrument as data. `value` is its data, or the key of a built-in one."""
    if isinstance(value, str):
        try:
            value = instruments.get(value).to_json()
        except LookupError:
            sentence = _("There is no rating questionnaire called “{key}”.")
            raise Refused([sentence.format(key=value[:40])]) from None
    if errors := Instrument.check(value):
        raise Refused(errors)
    instrument = Instrument.from_json(value)
    if instrument.is_for_participants:
        sentence = _("“{title}” is for participants of a study, not for raters.")
        raise Refused([sentence.format(title=instrument.title)])
    return instrument.to_json()


def _check_recipe(value: Any) -> dict[str, Any]:
    try:
        recipe = Recipe.of(dict(value))
        if recipe.persona is not None:
            Persona.of(recipe.persona.data())
        return recipe.data()
    except BadRecipe as error:
        raise Refused([str(error)]) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Refused([str(_("The other system cannot be read. Choose it again."))]) from None


class ComparedSystem(DesignPart):
    """A system that answers at the moments of a game, and the condition of its answers."""

    condition: Annotated[SingleLineText, Field(max_length=MAX_CONDITION_CHARS)]
    recipe: Annotated[dict[str, Any], refusing(_check_recipe)]


class RatingDesign(DesignPart):
    """The settings of a stage of ratings."""

    FIELDS_ADDED_LATER: ClassVar[tuple[str, ...]] = ("more_rivals", "without_log")

    instrument: Annotated[dict[str, Any], refusing(_check_instrument)] = setting(
        _("Questionnaire"), default_factory=lambda: instruments.get("guarded").to_json()
    )
    choice: UnitChoice = UnitChoice()
    # Recipe of another system that answers at the rated moments of the games. Raters then see
    # several answers to each.
    rival: Annotated[
        dict[str, Any] | None,
        refusing(lambda value: None if value is None else _check_recipe(value)),
    ] = None
    rival_condition: SingleLineText = setting(
        _("Name of the other condition"),
        _("It appears in tables and exports. Raters never see it."),
        default="",
        max_length=MAX_CONDITION_CHARS,
    )
    more_rivals: Annotated[tuple[ComparedSystem, ...], Field(max_length=MAX_ANSWERS - 1)] = ()
    # Whether the statements of the games are only context (Guarded, Tables 2-4).
    without_log: StrictBool = setting(
        _("Hide what was said in the game"),
        _("Show only what the other systems would have said: at least two of them, side by side."),
        default=False,
    )
    context: StrictInt = setting(
        _("Number of previous statements shown"),
        _("Players and games always come with the full conversation."),
        default=8, ge=0, le=100,
    )  # fmt: skip
    raters_per_unit: StrictInt = setting(_("Raters per unit"), default=3, ge=1, le=1000)
    units_per_rater: StrictInt = setting(_("Units per rater"), default=20, ge=1, le=1000)
    repeats: StrictInt = setting(
        _("Repeated units per rater"),
        _("They appear a second time near the end, to measure the consistency of each rater."),
        default=0, ge=0, le=100,
    )  # fmt: skip
    attention: StrictInt = setting(
        _("Attention checks per rater"),
        _("They state which value to choose."),
        default=0, ge=0, le=20,
    )  # fmt: skip
    lease_minutes: StrictInt = setting(
        _("Maximum inactivity of a rater (minutes)"),
        _("After that, unanswered units can go to another rater."),
        default=60, ge=1, le=7 * 24 * 60,
    )  # fmt: skip
    exclusion: ExclusionLimits = ExclusionLimits()
    quiz: InstructionQuiz = InstructionQuiz()
    break_after: StrictInt = setting(
        _("Pages between breaks"),
        _("A break shows the rater’s progress and can be skipped. Enter 0 for no breaks."),
        default=0, ge=0, le=1000,
    )  # fmt: skip
    planned_analysis: AnalysisPlan = AnalysisPlan()


class RaterExit(DesignPart):
    """Completion code and return address of one exit of raters, "" for none."""

    code: Annotated[SingleLineText, Field(max_length=40), OR_EMPTY_TEXT] = ""
    url: Annotated[Url, OR_EMPTY_TEXT] = ""


def _serialize_exits(exits: dict[str, RaterExit]) -> dict[str, Any]:
    """Return the exits that have a code or an address, in the format of a design."""
    return {
        kind: {"code_kind": "same" if exit_data.code else "none", **exit_data.to_json()}
        for kind, exit_data in exits.items()
        if exit_data.code or exit_data.url
    }


class CampaignSettings(RatingDesign):
    """Settings of a campaign: its own, and those that its study stores for it."""

    FIELDS_ADDED_LATER: ClassVar[tuple[str, ...]] = ()  # a row always has every setting

    name: SingleLineText = setting(_("Study name"), default="", min_length=1, max_length=120)
    seed: SingleLineText = setting(
        _("Seed"),
        _("The same seed gives the same sample and the same orders."),
        default="",
        min_length=1,
        max_length=80,
    )
    consent: MultilineText = setting(
        _("Consent text for raters"), default="", min_length=1, max_length=20_000
    )
    listed_only: StrictBool = setting(
        _("Listed raters only"),
        _(
            "The shared link is turned off, and each rater needs a personal link. Enter a "
            "list of raters under “Links” to get a link for each."
        ),
        default=False,
    )
    least_experience: StrictInt = setting(
        _("Required experience"),
        _("All raters state how well they know the game. Raters with less "
                     "experience are turned away."),
        default=0, ge=0, le=4,
    )  # fmt: skip
    time_limit: StrictInt = setting(
        _("Time limit in minutes"),
        _(
            "The time starts when a rater agrees to take part. Enter 0 for no limit. "
            "Ratings made in time count."
        ),
        default=0, ge=0, le=7 * 24 * 60,
    )  # fmt: skip
    exits: Annotated[
        dict[Annotated[str, one_of(*RATER_EXITS)], RaterExit], PlainSerializer(_serialize_exits)
    ] = {}


def normalize_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return these settings of a campaign in their stored form, or raise `Refused`."""
    if unknown := sorted(set(settings) - set(CampaignSettings.model_fields)):
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    normalized = CampaignSettings.from_json(settings).to_json()
    return {name: normalized[name] for name in settings}
