"""Checks of a design's stages: their order, questions, quiz, ratings and debriefing."""

from collections import Counter
from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument
from webapp.study.design.rules_text import quiz_bank
from webapp.study.design.stages import (
    QUESTION_STAGES,
    BackgroundStage,
    ConsentStage,
    DebriefingStage,
    Design,
    GameStage,
    InterviewStage,
    PracticeStage,
    QuestionnaireStage,
    RatingsStage,
    RulesStage,
    TableDesign,
)
from webapp.study.models import Campaign
from webapp.study.sessions import questions
from webapp.study.sessions.participant_state import WAITING, route
from webapp.study.sessions.question_checks import find_logic_errors

# Stages that occur once at most, and not after each game.
SINGLE_STAGES = (
    ConsentStage, BackgroundStage, RulesStage, PracticeStage, GameStage, RatingsStage,
    DebriefingStage,
)  # fmt: skip


def find_errors(design: Design) -> list[str]:
    """Return a sentence for each error in the stages that prevents opening the study."""
    return [*_order_errors(design), *_question_errors(design)]


def _order_errors(design: Design) -> Iterator[str]:
    stages = design.stages
    counts = Counter(type(stage) for stage in stages)
    for stage_class in SINGLE_STAGES:
        if counts[stage_class] > 1:
            error_text = _("The stage “{stage}” appears {n} times. Keep only one.")
            yield error_text.format(stage=stage_class.kind_label, n=counts[stage_class])
    if not counts[ConsentStage]:
        text = _("Participants must agree first. Add the stage “{stage}”.")
        yield text.format(stage=ConsentStage.kind_label)
    elif not isinstance(stages[0], ConsentStage):
        yield _("Consent must come before everything else. Move that stage to the front.")
    for stage in stages:
        if isinstance(stage, ConsentStage) and not stage.text.strip():
            yield _("Enter the consent text.")
    games = [index for index, stage in enumerate(stages) if isinstance(stage, GameStage)]
    if not games and not counts[RatingsStage]:
        yield _("Add the stage “{stage}”: there is no game.").format(stage=GameStage.kind_label)
    for stage in stages:
        if stage.each_game and (not games or isinstance(stage, SINGLE_STAGES)):
            error_text = _("“{stage}” cannot be repeated after each game. Turn its repetition off.")
            yield error_text.format(stage=stage.label)
    if games:
        yield from _game_order_errors(design, games[0])


def _game_order_errors(design: Design, game_index: int) -> Iterator[str]:
    for index, stage in enumerate(design.stages):
        if isinstance(stage, RulesStage | PracticeStage) and index > game_index:
            error_text = _("“{stage}” must come before the game. Move it up.")
            yield error_text.format(stage=stage.label)
        is_for_later = isinstance(stage, RatingsStage | InterviewStage | DebriefingStage)
        if is_for_later and index < game_index:
            error_text = _("“{stage}” must come after the game. Move it down.")
            yield error_text.format(stage=stage.label)
        if isinstance(stage, DebriefingStage) and index < len(design.stages) - 1:
            error_text = _("“{stage}” reveals the study’s purpose. Move it behind all questions.")
            yield error_text.format(stage=stage.label)


def _question_errors(design: Design) -> Iterator[str]:
    rating_keys = {instrument.key for instrument in instruments.for_raters()}
    game_index = next((n for n, s in enumerate(design.stages) if isinstance(s, GameStage)), 0)
    for index, stage in enumerate(design.stages):
        if (
            isinstance(stage, RatingsStage)
            and not stage.campaign
            and stage.instrument not in rating_keys
        ):
            error_text = _("“{stage}” needs a rating questionnaire. “{key}” is none.")
            yield error_text.format(stage=stage.label, key=stage.instrument)
        if isinstance(stage, QUESTION_STAGES):
            is_before_game = index < game_index and not stage.each_game
            yield from _instrument_errors(stage, is_before_game)
        if (
            isinstance(stage, BackgroundStage)
            and stage.least_experience
            and questions.EXPERIENCE_INSTRUMENT not in stage.instruments
        ):
            error_text = _(
                "“{stage}” requires knowledge of the game but does not ask for it. Choose the"
                " questions “{title}”, or set the required knowledge to none."
            )
            title = instruments.get(questions.EXPERIENCE_INSTRUMENT).title
            yield error_text.format(stage=stage.label, title=title)
    yield from find_logic_errors(design.stages)


def _instrument_errors(
    stage: BackgroundStage | QuestionnaireStage | InterviewStage, is_before_game: bool
) -> Iterator[str]:
    name, keys = stage.label, list[str]()
    if not stage.instruments:
        yield _("“{stage}” has no questions. Choose some, or remove it.").format(stage=name)
    for instrument_ref in stage.instruments:
        if isinstance(instrument_ref, dict) and (errors := Instrument.check(instrument_ref)):
            yield from errors
            continue
        try:
            instrument = instruments.resolve(instrument_ref, {})
        except LookupError as unknown:
            yield _("“{stage}”: {what}").format(stage=name, what=unknown.args[0])
            continue
        keys.append(instrument.key)
        if error := instruments.why_not_askable(instrument):
            yield _("“{stage}”: {what}").format(stage=name, what=error)
        elif is_before_game and instrument.is_about_game:
            error = _("“{stage}” asks about a game before the first game. Move it down.")
            yield error.format(stage=name)
    if len(set(keys)) < len(keys):
        yield _("“{stage}” contains the same questions twice.").format(stage=name)


def find_content_errors(design: Design, tables: Sequence[TableDesign], owner: User) -> list[str]:
    """Return the errors in the quiz, ratings (of campaigns of `owner`) and debriefing."""
    return [*_quiz_errors(design, tables), *_rating_errors(design, owner), *_reveal_errors(design)]


def _quiz_errors(design: Design, tables: Sequence[TableDesign]) -> Iterator[str]:
    count = len(quiz_bank(tables))
    for stage in design.stages:
        if isinstance(stage, RulesStage) and stage.quiz.questions > count:
            error_text = _(
                "The quiz has {wanted} questions, but only {count} apply to all tables of this "
                "study. Reduce the number."
            )
            yield error_text.format(wanted=stage.quiz.questions, count=count)


def _rating_errors(design: Design, owner: User) -> Iterator[str]:
    stages = [stage for stage in design.stages if isinstance(stage, RatingsStage)]
    names = [stage.campaign or stage.instrument for stage in stages]
    if len(set(names)) < len(names):
        yield _("Two rating stages have the same questionnaire. Choose a different one for each.")
    rating_keys = {instrument.key for instrument in instruments.for_raters()}
    for stage in stages:
        if stage.campaign:
            yield from _campaign_errors(stage, owner)
        elif stage.instrument not in rating_keys:
            yield _("There is no rating questionnaire “{key}”.").format(key=stage.instrument)


def _campaign_errors(stage: RatingsStage, owner: User) -> Iterator[str]:
    campaign = Campaign.objects.filter(code=stage.campaign, study__owner=owner).first()
    if campaign is None:
        yield _("You have no ratings with the code {code}.").format(code=stage.campaign)
        return
    if campaign.rival is not None or campaign.choice.get("pick") == "sample":
        yield _(
            "The ratings {code} cannot add games while raters are working. Set them to rate all"
            " units, without comparisons."
        ).format(code=stage.campaign)
    if not campaign.study.rates_only:  # the study's own campaign is opened together with it
        return
    if campaign.units_per_rater != stage.items:
        yield _(
            "The ratings {code} give each rater {count} units, not {wanted}. Enter the same"
            " number in both."
        ).format(code=stage.campaign, count=campaign.units_per_rater, wanted=stage.items)
    if campaign.state != Campaign.OPEN:
        text = _("The ratings {code} are not open. Open that study first.")
        yield text.format(code=stage.campaign)


def _reveal_errors(design: Design) -> Iterator[str]:
    """Yield a sentence if a game comes after a debriefing that reveals people."""
    has_later_game = False
    for step in reversed(route(design)):
        has_later_game |= step.kind == WAITING
        if has_later_game and isinstance(step.stage, DebriefingStage) and step.stage.reveal:
            yield _(
                "The debriefing reveals who was human, but a game follows it. Move it behind the"
                " last game."
            )
            return
