"""Checks of a design's stages: their order, their questions, and the exits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from webapp.study.design import conditions, instruments
from webapp.study.design.exits import EXITS
from webapp.study.design.instruments import Instrument
from webapp.study.design.stages import (
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
    Stage,
)
from webapp.study.design.value_checks import Refused, url_check
from webapp.study.planning import ethics_checks
from webapp.study.sessions import screening
from webapp.study.sessions.questions import logic_faults

STAGES = {
    ConsentStage: gettext_lazy("Agreeing to take part"),
    BackgroundStage: gettext_lazy("Questions about the person"),
    RulesStage: gettext_lazy("The rules, with a quiz"),
    PracticeStage: gettext_lazy("A practice round"),
    GameStage: gettext_lazy("The waiting room and the game"),
    QuestionnaireStage: gettext_lazy("A questionnaire"),
    RatingsStage: gettext_lazy("Rating other games"),
    InterviewStage: gettext_lazy("A closing interview"),
    DebriefingStage: gettext_lazy("What it was about"),
}
ONCE = (
    ConsentStage,
    BackgroundStage,
    RulesStage,
    PracticeStage,
    GameStage,
    RatingsStage,
    DebriefingStage,
)
ASKS = (BackgroundStage, QuestionnaireStage, InterviewStage)


def name_of(stage: Stage) -> str:
    """Return the stage's own title, or the name of its kind."""
    return stage.title or str(STAGES[type(stage)])


def find_errors(design: Design) -> list[str]:
    """Return sentences that say what keeps the study from opening, and what to do."""
    all_faults = [*_order(design), *_questions(design), *_people(design), *_exits(design)]
    return [*all_faults, *ethics_checks.find_errors(design)]


def _order(design: Design) -> Iterator[str]:
    stages = design.stages
    counts = Counter(type(stage) for stage in stages)
    for kind in ONCE:
        if counts[kind] > 1:
            fault_text = _("“{stage}” is there {n} times: take out all but one.")
            yield fault_text.format(stage=STAGES[kind], n=counts[kind])
    if not counts[ConsentStage]:
        yield _("Participants have to agree first: add the stage “{stage}”.").format(
            stage=STAGES[ConsentStage]
        )
    elif not isinstance(stages[0], ConsentStage):
        yield _("Participants agree before anything else: move that stage to the front.")
    for stage in stages:
        if isinstance(stage, ConsentStage) and not stage.text.strip():
            yield _("Write the text that participants agree to.")
    games = [at for at, stage in enumerate(stages) if isinstance(stage, GameStage)]
    if not games and not counts[RatingsStage]:
        yield _("There is no game: add the stage “{stage}”.").format(stage=STAGES[GameStage])
    for stage in stages:
        if stage.each_game and (not games or isinstance(stage, ONCE)):
            fault_text = _("“{stage}” can’t come after each game: let it come once.")
            yield fault_text.format(stage=name_of(stage))
    if games:
        yield from _around(design, games[0])


def _around(design: Design, game: int) -> Iterator[str]:
    """Yield sentences about stages on the wrong side of the game."""
    for at, stage in enumerate(design.stages):
        if isinstance(stage, RulesStage | PracticeStage) and at > game:
            fault_text = _("“{stage}” belongs before the game: move it up.")
            yield fault_text.format(stage=name_of(stage))
        if isinstance(stage, RatingsStage | InterviewStage | DebriefingStage) and at < game:
            fault_text = _("“{stage}” belongs after the game: move it down.")
            yield fault_text.format(stage=name_of(stage))
        if isinstance(stage, DebriefingStage) and at < len(design.stages) - 1:
            fault_text = _(
                "“{stage}” tells what it was about: nothing is asked after it. Move it last."
            )
            yield fault_text.format(stage=name_of(stage))


def _questions(design: Design) -> Iterator[str]:
    instrument_keys = {one.key for one in instruments.for_raters()}
    game = next((n for n, s in enumerate(design.stages) if isinstance(s, GameStage)), 0)
    for at, stage in enumerate(design.stages):
        if (
            isinstance(stage, RatingsStage)
            and not stage.campaign
            and stage.instrument not in instrument_keys
        ):
            fault_text = _("“{stage}” needs an instrument: raters have none called “{key}”.")
            yield fault_text.format(stage=name_of(stage), key=stage.instrument)
        if isinstance(stage, ASKS):
            yield from _instrument_faults(stage, before=at < game and not stage.each_game)
        if (
            isinstance(stage, BackgroundStage)
            and stage.least_experience
            and (screening.INSTRUMENT not in stage.instruments)
        ):
            fault_text = _(
                "“{stage}” lets only those on who know the game, and does not ask it: choose the"
                " questions “{title}”, or let anybody on."
            )
            title = instruments.get(screening.INSTRUMENT).title
            yield fault_text.format(stage=name_of(stage), title=title)
    yield from logic_faults(design.stages)


def _instrument_faults(
    stage: BackgroundStage | QuestionnaireStage | InterviewStage, before: bool
) -> Iterator[str]:
    """Yield sentences about instruments that cannot be used at a stage.

    before: no game has been played yet.
    """
    name, keys = name_of(stage), list[str]()
    if not stage.instruments:
        yield _("“{stage}” asks nothing: choose its questions, or take it out.").format(stage=name)
    for instrument_ref in stage.instruments:
        if isinstance(instrument_ref, dict) and (wrong := Instrument.check(instrument_ref)):
            yield from wrong
            continue
        try:
            one = (
                instruments.get(instrument_ref)
                if isinstance(instrument_ref, str)
                else Instrument.of(instrument_ref)
            )
        except LookupError as unknown:
            yield _("“{stage}”: {what}").format(stage=name, what=unknown.args[0])
            continue
        keys.append(one.key)
        if problem := instruments.why_not_askable(one):
            yield _("“{stage}”: {what}").format(stage=name, what=problem)
        elif before and one.of_a_game:
            problem = _("“{stage}” asks about a game before there was one: move it down.")
            yield problem.format(stage=name)
    if len(set(keys)) < len(keys):
        yield _("“{stage}” asks the same questions twice.").format(stage=name)


def _people(design: Design) -> Iterator[str]:
    """Yield a sentence if so many people cannot meet in so many games."""
    assignment, each = design.assignment, design.assignment.games_each
    cells = conditions.count_conditions(design)
    if assignment.distinct_conditions and each > cells:
        yield ngettext(
            "There is only {n} condition, and nobody is to play one twice: let each play {n} game,"
            " or allow it.",
            "There are only {n} conditions, and nobody is to play one twice: let each play {n}"
            " games at most, or allow it.",
            cells,
        ).format(n=cells)
    if design.waiting.least > design.waiting.most:
        yield _("In the waiting room the least wait is longer than the longest one.")


def _exits(design: Design) -> Iterator[str]:
    for kind, out in design.exits.items():
        exit_name = EXITS[kind]
        if out.code_kind == "same" and not out.code.strip():
            yield _("Write the code for {who}.").format(who=exit_name)
        if out.code_kind != "same" and out.code.strip():
            fault_text = _(
                "There is a code for {who}, but it is not to be shown: choose “one for all”."
            )
            yield fault_text.format(who=exit_name)
        if out.pay and not design.currency.strip():
            fault_text = _("There is pay for {who}: say in which currency.")
            yield fault_text.format(who=exit_name)
        try:
            url_check(_("The address for {who}").format(who=exit_name))(out.url)
        except Refused as refused:
            yield from refused.sentences


def notes(design: Design) -> list[str]:
    """Return sentences that do not keep the study from opening but should be known."""
    return [*_notes(design), *ethics_checks.notes(design)]


def _notes(design: Design) -> Iterator[str]:
    waiting, exits = design.waiting, design.exits
    if design.currency or any(out.pay for out in exits.values()):
        paid = {kind for kind, out in exits.items() if out.pay}
        if "completed" not in paid:
            yield _("Nobody is paid for coming to the end.")
        if "waited_out" not in paid:
            yield _("Those who waited in vain get no pay.")
        if "completed" in paid:
            for kind in ("technical", "full", "left"):
                if kind not in paid:
                    yield _("There is no pay for {who}.").format(who=EXITS[kind])
    if waiting.leave_paid_after > waiting.most:
        yield _("Nobody can leave the waiting room with pay: the longest wait comes before that.")
    if waiting.at_most == "begin":
        yield (
            _("Games that begin with computer players in open seats count like any other.")
            if waiting.short_counts
            else _(
                "Games that begin with computer players in open seats don’t count: others play them"
                " again."
            )
        )
    if design.blind and not waiting.least:
        note_text = _(
            "Who waits no time at all may guess that no other person comes: set a least wait."
        )
        yield note_text
    if any(isinstance(stage, RatingsStage) for stage in design.stages):
        yield _("Nobody rates own games: those who come first find few games to rate.")
