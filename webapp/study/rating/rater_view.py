"""A unit as raters see it: texts and seat names, and nothing that reveals their source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.chosen_name_replacer import build_name_replacer
from game.models import Game
from webapp.play.page.game_course import CourseStep, lasting_facts
from webapp.play.page.narrator import join_names
from webapp.study.games.game_reveal import GameReveal, reveal_of
from webapp.study.games.public_talk import PublicTalk, SpokenTurn, talk_of
from webapp.study.games.situations import PROFILE
from webapp.study.models import Seating, Stimulus, Unit
from webapp.study.rating.stimuli import SLOTS, shown_order, slot_names, unit_dimensions


@dataclass(frozen=True)
class ShownLine:
    """A line of the conversation.

    Attributes:
        is_note: Whether it is an event instead of a speaker's text.
        apart: A remark beside the speaker that sets the text apart, mostly "".
    """

    speaker: str
    text: str
    is_note: bool = False
    apart: str = ""


@dataclass(frozen=True)
class RatedText:
    """A rated text or player, which pages know by its `slot` and never by its stimulus' id."""

    slot: str
    stimulus: int
    speaker: str
    text: str
    apart: str = ""


@dataclass(frozen=True)
class RenderedUnit:
    """A unit as a page shows it.

    Attributes:
        context: The lines before the rated text, or the whole talk if a player or a game is rated.
            In a longer game it includes the events before and between them.
        speaker: The speaker of the rated text, "" for a game.
        instruction: The text of an attention check.
        deeds: Each player's role and actions, if an item asks about them.
        moment: In a longer game, the day of the rated text and the facts settled by then, such as
            deaths and badges.
        profiles: (player, profile), if an item asks about profiles.
    """

    kind: str
    context: tuple[ShownLine, ...]
    speaker: str
    sides: tuple[RatedText, ...]
    instruction: str = ""
    deeds: GameReveal | None = None
    moment: str = ""
    profiles: tuple[tuple[str, str], ...] = ()


def render_unit(unit: Unit, *, swapped: bool = False, rotation: int = 0) -> RenderedUnit:
    """Render a unit for raters, with its items in their `shown_order`."""
    stimuli = shown_order(unit.stimuli.all(), swapped=swapped, rotation=rotation)
    if unit.kind == Unit.ATTENTION or unit.game is None:
        text = check_instruction(unit.expected)
        return RenderedUnit(
            unit.kind, (), "", _rated_items(stimuli, "", [text] * len(stimuli)), text
        )
    talk = without_withdrawn(talk_of(unit.game), unit.game)
    if unit.kind == Unit.UTTERANCE:
        line = talk.at(unit.position)
        texts = [_rated_text(unit, s, line) for s in stimuli]
        context_turns = talk.before(unit.position, unit.campaign.context)
        sides = _rated_items(stimuli, line.speaker, texts, line.apart)
        context = _context_lines(talk, context_turns, unit.position)
        return RenderedUnit(
            unit.kind, context, line.speaker, sides, moment=_moment_text(talk, line)
        )
    speaker = talk.names[unit.seat - 1] if unit.seat else ""
    return RenderedUnit(
        unit.kind,
        whole_talk(talk),
        speaker,
        _ranked_players(unit, stimuli, talk) or _rated_items(stimuli, speaker, [""] * len(stimuli)),
        deeds=reveal_of(unit.game) if any(d.deeds for d in unit_dimensions(unit)) else None,
        profiles=_shown_profiles(unit, talk),
    )


def without_withdrawn(talk: PublicTalk, game: Game) -> PublicTalk:
    """Return the talk without the text of participants who withdrew their data.

    The text itself is deleted later (`ethics.participant_erasure`).
    """
    seats = set(
        Seating.objects.filter(
            slot__game=game, participant__erasure__isnull=False, participant__erasure__words_at=None
        ).values_list("seat", flat=True)
    )
    if not seats:
        return talk
    spoken = (replace(line, text="") if line.seat in seats else line for line in talk.spoken)
    return replace(talk, spoken=tuple(spoken))


def _shown_profiles(unit: Unit, talk: PublicTalk) -> tuple[tuple[str, str], ...]:
    """Return the profiles of the rated players."""
    if PROFILE not in unit.situations or not talk.profiles:
        return ()
    seats = [unit.seat] if unit.seat else range(1, len(talk.names) + 1)
    return tuple((talk.names[seat - 1], talk.profiles[seat - 1]) for seat in seats)


def whole_talk(talk: PublicTalk) -> tuple[ShownLine, ...]:
    """Return the whole talk with its events, for pages that rate a player or a game."""
    return (
        _context_lines(talk, talk.spoken, talk.last + 1) if talk.course else _talk_and_votes(talk)
    )


def spoken_lines(talk: PublicTalk) -> Iterator[ShownLine]:
    """Yield the whole talk under headings for days, or for rounds if there is only one day."""
    days = len({line.day for line in talk.spoken}) > 1
    phases = list(dict.fromkeys(line.phase for line in talk.spoken))
    heading = ""
    for phase, lines in groupby(talk.spoken, lambda line: line.phase):
        turns = list(lines)
        number = phases.index(phase) + 1
        current_heading = (
            _day_heading(turns[0].day) if days else _("Round {number}.").format(number=number)
        )
        if current_heading != heading and (days or len(phases) > 1):
            heading = current_heading
            yield ShownLine("", heading, is_note=True)
        yield from _turn_lines(turns)


def _ranked_players(unit: Unit, stimuli: list[Stimulus], talk: PublicTalk) -> tuple[RatedText, ...]:
    """Return the players of a ranking, () for other units."""
    if unit.kind != Unit.RANKING:
        return ()
    rows = zip(slot_names(unit, stimuli), stimuli, strict=True)
    return tuple(RatedText(slot, s.pk, talk.names[s.place - 1], "") for slot, s in rows)


def check_instruction(expected: int | None) -> str:
    """Return the text of an attention check."""
    return _(
        "This is a check that the questions are being read. Please choose {value} for every"
        " question on this page."
    ).format(value=expected)


def _rated_items(
    stimuli: list[Stimulus], speaker: str, texts: list[str], apart: str = ""
) -> tuple[RatedText, ...]:
    rows = zip(SLOTS, stimuli, texts, strict=False)
    return tuple(RatedText(slot, s.pk, speaker, text, apart) for slot, s, text in rows)


def _rated_text(unit: Unit, stimulus: Stimulus, line: SpokenTurn) -> str:
    if stimulus.place >= Stimulus.FIRST_SYSTEM:
        return system_answer_text(unit, stimulus)
    return line.text or _("(These words were taken out.)")


def system_answer_text(unit: Unit, stimulus: Stimulus) -> str:
    """Return a rival's text, with seat names in place of those that people chose."""
    assert unit.game is not None
    chosen = list(unit.game.players.order_by("seat").values_list("name", flat=True))
    return build_name_replacer(chosen, talk_of(unit.game).names)(stimulus.text)


def _moment_text(talk: PublicTalk, line: SpokenTurn) -> str:
    if not talk.course:
        return ""
    return " ".join((_day_heading(line.day), *lasting_facts(talk.course, line.position)))


def _day_heading(number: int) -> str:
    return _("Day {number}.").format(number=number)


def _context_lines(
    talk: PublicTalk, lines: Sequence[SpokenTurn], until: int
) -> tuple[ShownLine, ...]:
    """Return the turns and the events before them, up to position `until`."""
    if not talk.course or not lines:
        return tuple(_turn_lines(lines))
    first = lines[0].position
    first_position = (
        max((line.position for line in talk.spoken if line.position < first), default=0) + 1
    )
    steps = [step for step in talk.course if first_position <= step.position < until]
    rows: list[SpokenTurn | CourseStep] = [*lines, *steps]
    current_day = -1
    context_lines: list[ShownLine] = []
    ordered = sorted(rows, key=lambda row: row.position)
    for day, day_rows in groupby(ordered, lambda row: row.day):
        if day > current_day:
            current_day = day
            context_lines.append(ShownLine("", _day_heading(current_day), is_note=True))
        for _is_turn, run in groupby(day_rows, lambda row: isinstance(row, SpokenTurn)):
            rows_of_kind = list(run)
            turns = [row for row in rows_of_kind if isinstance(row, SpokenTurn)]
            events = [row for row in rows_of_kind if isinstance(row, CourseStep)]
            context_lines += [*_turn_lines(turns), *(_event_line(talk, step) for step in events)]
    return tuple(context_lines)


def _turn_lines(lines: Iterable[SpokenTurn]) -> Iterator[ShownLine]:
    """Yield turns as lines. Consecutive silent passes share one line."""
    for is_silent_pass, run in groupby(lines, lambda line: line.is_silent_pass):
        if not is_silent_pass:
            yield from map(_turn_line, run)
            continue
        speakers = list(dict.fromkeys(line.speaker for line in run))
        text = ngettext("{names} says nothing.", "{names} say nothing.", len(speakers))
        yield ShownLine("", text.format(names=join_names(speakers)), is_note=True)


def _event_line(talk: PublicTalk, step: CourseStep) -> ShownLine:
    """Return an event as a line. A ballot lists the votes: "The vote: Dot and Eli for Fay."."""
    if step.votes is None:
        return ShownLine("", step.text, is_note=True)
    vote_texts = []
    for target, voters in step.votes.items():
        text = _("{voters} for {name}") if target else _("{voters} for nobody")
        name = talk.names[target - 1] if target else ""
        vote_texts.append(
            text.format(voters=join_names([talk.names[v - 1] for v in voters]), name=name)
        )
    return ShownLine("", f"{step.text}: {'; '.join(vote_texts)}.", is_note=True)


def _turn_line(line: SpokenTurn) -> ShownLine:
    if line.is_silent:
        return ShownLine(line.speaker, _("says nothing."), is_note=True)
    if line.is_removed:
        return ShownLine(line.speaker, _("said something that was taken out."), is_note=True)
    return ShownLine(line.speaker, line.text, apart=line.apart)


def _talk_and_votes(talk: PublicTalk) -> tuple[ShownLine, ...]:
    votes = []
    for voter, target in talk.votes:
        text = _("votes for {name}.").format(name=target) if target else _("votes for nobody.")
        votes.append(ShownLine(voter, text, is_note=True))
    return (*_turn_lines(talk.spoken), *votes)
