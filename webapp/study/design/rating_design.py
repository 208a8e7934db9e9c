"""The settings of a stage of ratings: which units are rated, and how raters rate them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from django.utils.translation import gettext_lazy as _
from pydantic import AfterValidator, BeforeValidator, Field

from agents.personas.big_five import Persona
from agents.recipe import Recipe
from agents.switches import BadRecipe
from game.engine import rulesets
from webapp.study.design import compared_conditions, instruments
from webapp.study.design.analysis_plan import AnalysisPlan
from webapp.study.design.instruments import Instrument
from webapp.study.design.rating_quiz import InstructionQuiz
from webapp.study.design.value_checks import (
    Line,
    Part,
    Refused,
    Switch,
    Whole,
    one_of,
    refusing,
    setting,
)
from webapp.study.games import situations


def team_names() -> dict[str, str]:
    """Return team key -> name, for the teams of all rulesets."""
    all_teams = [team for name in rulesets.names() for team in rulesets.get(name).teams]
    return {team.key: str(_(team.name)) for team in all_teams}


UnitCount = Annotated[Whole, Field(ge=1, le=10_000)]
Situation = Annotated[str, one_of(*situations.KEYS)]
Team = Annotated[str, one_of(more_keys=team_names)]
QuotaKey = Annotated[str, one_of("", "any", *situations.KEYS)]
ComparedProperty = Annotated[str, one_of(*compared_conditions.KEYS)]
SORTED = AfterValidator(lambda values: tuple(sorted(values)))
MAX_ANSWERS = 6  # to one moment, side by side on a page
OR_EMPTY_TUPLE = BeforeValidator(lambda value: value or ())
OR_EMPTY_DICT = BeforeValidator(lambda value: value or {})


class UnitChoice(Part):
    """The choice of the units to rate.

    Attributes:
        per_condition: Size of a sample of each condition, unless `quotas` is set.
        words: Whether statements may be prepared lines that a rule chose (label `template`).
        quotas: Situation -> number of units of each condition.
        fill: Whether units are completed one by one (depth) or all started first (breadth).
    """

    LATER = ("words",)

    pick: Literal["all", "sample"] = setting(_("Which of them"), default="all")
    per_condition: UnitCount = setting(
        _("How many of each condition"),
        _("Or a mixture: fill in what follows, and this number is not used."),
        default=10,
    )
    situations: Annotated[tuple[Situation, ...], SORTED, OR_EMPTY_TUPLE] = setting(
        _("Only where"),
        _("Found in what was said before. With none of them chosen, what was said anywhere."),
        default=(),
    )
    speakers: Literal["agents", "all"] = setting(_("Whose"), default="agents")
    words: Literal["any", "own", "prepared"] = setting(
        _("Which words"),
        _("A guarded player speaks a prepared line where its rules choose one."),
        default="any",
    )
    teams: Annotated[tuple[Team, ...], SORTED, OR_EMPTY_TUPLE] = setting(
        _("Of those who truly play for"),
        _("By the cards that were dealt; raters aren’t told. With none chosen, anybody."),
        default=(),
    )
    compare: ComparedProperty = setting(_("What is compared"), default=compared_conditions.GAME)
    quotas: Annotated[dict[QuotaKey, UnitCount], OR_EMPTY_DICT] = {}
    fill: Literal["depth", "breadth"] = setting(_("Which come first"), default="depth")


class ExclusionLimits(Part):
    """The limits of the exclusion rules (`rating.exclusion`). A rule without a limit is off."""

    LATER = ("failed_checks", "gold_missed", "fast_percent", "same_in_a_row")

    failed_checks: Whole | None = setting(
        _("Attention checks failed or left out, at least"), default=None, ge=1, le=20
    )
    gold_missed: Whole | None = setting(
        _("Gold items missed or left out, at least"), default=None, ge=1, le=100
    )
    fast_percent: Whole | None = setting(
        _("Items answered in under 3 seconds, at least (percent)"), default=None, ge=1, le=100
    )
    same_in_a_row: Whole | None = setting(
        _("The same value in a row, at least (times)"), default=None, ge=5, le=1000
    )


def _check_instrument(value: Any) -> dict[str, Any]:
    """Return the instrument as data. `value` is its data, or the key of a built-in one."""
    if isinstance(value, str):
        try:
            value = instruments.get(value).data()
        except LookupError:
            sentence = _("There is no questionnaire “{key}” to rate with.")
            raise Refused([sentence.format(key=value[:40])]) from None
    if errors := Instrument.check(value):
        raise Refused(errors)
    instrument = Instrument.of(value)
    if instrument.for_participants:
        sentence = _("“{title}” is asked of a study’s participants, not of raters.")
        raise Refused([sentence.format(title=instrument.title)])
    return instrument.data()


def _check_rival(value: Any) -> dict[str, Any] | None:
    return None if value is None else _check_recipe(value)


def _check_recipe(value: Any) -> dict[str, Any]:
    try:
        recipe = Recipe.of(dict(value))
        if recipe.persona is not None:
            Persona.of(recipe.persona.data())
        return recipe.data()
    except BadRecipe as error:
        raise Refused([str(error)]) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Refused([str(_("The other system can’t be read: choose it again."))]) from None


class ComparedSystem(Part):
    """A system that answers at the moments of a log, and the condition that it stands for."""

    condition: Annotated[Line, Field(max_length=60)]
    recipe: Annotated[dict[str, Any], refusing(_check_recipe)]


class RatingDesign(Part):
    """The settings of a stage of ratings.

    Attributes:
        rival: Recipe of a system that answers at the same moments, if raters see several answers.
        more_rivals: Further ones.
        without_log: Whether the log's texts are only context and not rated (Guarded, Tables 2–4).
        lease_minutes: Time after which an unanswered unit may be assigned to another rater.
    """

    LATER: ClassVar[tuple[str, ...]] = ("more_rivals", "without_log")

    instrument: Annotated[dict[str, Any], refusing(_check_instrument)] = setting(
        _("The questions"), default_factory=lambda: instruments.get("guarded").data()
    )
    choice: UnitChoice = UnitChoice()
    rival: Annotated[dict[str, Any] | None, refusing(_check_rival)] = None
    rival_condition: Line = setting(
        _("The other’s condition is called"),
        _("In tables and exports; no rater ever sees it."),
        default="",
        max_length=60,
    )
    more_rivals: Annotated[tuple[ComparedSystem, ...], Field(max_length=MAX_ANSWERS - 1)] = ()
    without_log: Switch = setting(
        _("Not what was said in the game"),
        _("Only what the others would have said: two or more of them, side by side."),
        default=False,
    )
    context: Whole = setting(
        _("How much of the talk before it is shown"),
        _("Lines. Players and games are always shown with the whole talk."),
        default=8, ge=0, le=100,
    )  # fmt: skip
    raters_per_unit: Whole = setting(_("Raters of each"), default=3, ge=1, le=1000)
    units_per_rater: Whole = setting(_("To rate for each rater"), default=20, ge=1, le=1000)
    repeats: Whole = setting(
        _("Shown again, to each rater"),
        _("A few come a second time near the end: does a rater agree with oneself?"),
        default=0, ge=0, le=100,
    )  # fmt: skip
    attention: Whole = setting(
        _("Attention checks, for each rater"),
        _("They say plainly which value to choose."),
        default=0, ge=0, le=20,
    )  # fmt: skip
    lease_minutes: Whole = setting(
        _("Minutes a rater may be away"),
        _("After that, what is unanswered may go to somebody else."),
        default=60, ge=1, le=7 * 24 * 60,
    )  # fmt: skip
    exclusion: ExclusionLimits = ExclusionLimits()
    planned_analysis: AnalysisPlan = AnalysisPlan()
    quiz: InstructionQuiz = InstructionQuiz()
    break_after: Whole = setting(
        _("Pages between breaks"),
        _("A page that says how far one is and can be skipped; 0: none."),
        default=0, ge=0, le=1000,
    )  # fmt: skip
