"""Renders units for raters: texts and seat names, and nothing that reveals a text's source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from webapp.study.rating.stimuli import shown_stimuli, unit_dimensions


@dataclass(frozen=True)
class RatedText:
    """A rated text or player."""

    slot: str  # The name on the page (`stimuli`). Pages never contain the stimulus' id.
    stimulus: int  # id of the stimulus
    speaker: str
    text: str  # "" if a player or a game is rated
    apart: str = ""  # `SpokenTurn.apart`


@dataclass(frozen=True)
class RenderedUnit:
    """A unit as a page shows it."""

    kind: str
    # The lines before the rated text, or the whole talk if a player or a game is rated. In a game
    # of several days it includes the events before and between the lines.
    context: tuple[ShownLine, ...]
    speaker: str  # The speaker of the rated text, or the rated player. "" for a game.
    sides: tuple[RatedText, ...]  # the rated texts or players, in the order of the page
    instruction: str = ""  # the text of an attention check
    deeds: GameReveal | None = None  # each player's role and actions, if an item asks about them
    # In a game of several days, the day of the rated text and the facts settled by then, such as
    # deaths and badges.
    moment: str = ""
    # (player's name, profile), if an item asks about profiles.
    profiles: tuple[tuple[str, str], ...] = ()


def render_unit(unit: Unit, *, swapped: bool = False, rotation: int = 0) -> RenderedUnit:
    """Render a unit for raters, in the order of an assignment's `swapped` and `rotation`."""
    stimuli = shown_stimuli(unit, swapped=swapped, rotation=rotation)
    if unit.kind == Unit.ATTENTION or unit.game is None:
        return _render_check(unit, stimuli)
    talk = remove_withdrawn_texts(talk_of(unit.game), unit.game)
    if unit.kind == Unit.UTTERANCE:
        return _render_statement(unit, stimuli, talk)
    return _render_whole_talk(unit, stimuli, talk, unit.game)


def _render_check(unit: Unit, stimuli: Mapping[str, Stimulus]) -> RenderedUnit:
    """Render an attention check: the instruction takes the place of the rated text."""
    instruction = _(
        "This is a check that the questions are being read. Please choose {value} for every"
        " question on this page."
    ).format(value=unit.expected)
    sides = tuple(RatedText(slot, s.pk, "", instruction) for slot, s in stimuli.items())
    return RenderedUnit(unit.kind, (), "", sides, instruction)


def _render_statement(
    unit: Unit, stimuli: Mapping[str, Stimulus], talk: PublicTalk
) -> RenderedUnit:
    turn = talk.turn_at(unit.position)
    context_turns = talk.before(unit.position, unit.campaign.context)
    context = context_lines(talk, context_turns, unit.position)
    sides = tuple(
        RatedText(slot, s.pk, turn.speaker, _answer_text(unit, s, turn), turn.apart)
        for slot, s in stimuli.items()
    )
    moment = ""
    if talk.course:
        moment = " ".join((day_heading(turn.day), *lasting_facts(talk.course, turn.position)))
    return RenderedUnit(unit.kind, context, turn.speaker, sides, moment=moment)


def _render_whole_talk(
    unit: Unit, stimuli: Mapping[str, Stimulus], talk: PublicTalk, game: Game
) -> RenderedUnit:
    """Render a game, a player of it, or all its players to rank, after the whole talk."""
    rated_player = talk.names[unit.seat - 1] if unit.seat else ""
    is_ranking = unit.kind == Unit.RANKING
    sides = tuple(
        RatedText(slot, s.pk, talk.names[s.place - 1] if is_ranking else rated_player, "")
        for slot, s in stimuli.items()
    )
    return RenderedUnit(
        unit.kind,
        whole_talk(talk),
        rated_player,
        sides,
        deeds=reveal_of(game) if any(d.deeds for d in unit_dimensions(unit)) else None,
        profiles=_shown_profiles(unit, talk),
    )


def remove_withdrawn_texts(talk: PublicTalk, game: Game) -> PublicTalk:
    """Return the talk without the text of participants who withdrew their data.

    The text itself is deleted later (`ethics.participant_erasure`). Raters must not see it until
    then.
    """
    withdrawn = Seating.objects.filter(
        slot__game=game,
        participant__erasure__isnull=False,
        participant__erasure__texts_removed_at=None,
    )
    if not (seats := set(withdrawn.values_list("seat", flat=True))):
        return talk
    turns = (replace(turn, text="") if turn.seat in seats else turn for turn in talk.spoken)
    return replace(talk, spoken=tuple(turns))


def _answer_text(unit: Unit, stimulus: Stimulus, turn: SpokenTurn) -> str:
    """Return the text of a comparison system, or else what was said in the game."""
    if stimulus.place >= Stimulus.FIRST_SYSTEM:
        assert unit.game is not None
        return system_answer_text(unit.game, stimulus.text)
    return turn.text or _("(These words were taken out.)")


def system_answer_text(game: Game, text: str) -> str:
    """Return a comparison system's text, with seat names in place of those that people chose."""
    chosen_names = list(game.players.order_by("seat").values_list("name", flat=True))
    return build_name_replacer(chosen_names, talk_of(game).names)(text)


def _shown_profiles(unit: Unit, talk: PublicTalk) -> tuple[tuple[str, str], ...]:
    """Return (name, profile) of the rated players, if an item asks about profiles."""
    if PROFILE not in unit.situations or not talk.profiles:
        return ()
    seats = [unit.seat] if unit.seat else range(1, len(talk.names) + 1)
    return tuple((talk.names[seat - 1], talk.profiles[seat - 1]) for seat in seats)


@dataclass(frozen=True)
class ShownLine:
    """A line of the conversation."""

    speaker: str  # "" for an event without one, and for a heading
    text: str
    is_note: bool = False  # an event, a heading or a silence, not a spoken text
    apart: str = ""  # `SpokenTurn.apart`


def whole_talk(talk: PublicTalk) -> tuple[ShownLine, ...]:
    """Return the whole talk with its events, for pages that rate a player or a game."""
    if talk.course:
        return context_lines(talk, talk.spoken, talk.last + 1)
    votes = []  # the votes of a game with a single day
    for voter, target in talk.votes:
        text = _("votes for {name}.").format(name=target) if target else _("votes for nobody.")
        votes.append(ShownLine(voter, text, is_note=True))
    return (*turn_lines(talk.spoken), *votes)


def context_lines(talk: PublicTalk, turns: Sequence[SpokenTurn], end: int) -> tuple[ShownLine, ...]:
    """Return consecutive turns, and the events before and between them, under headings for days.

    The lines end before the position `end`. Without a course (`PublicTalk.course`) they are the
    turns alone.
    """
    if not talk.course or not turns:
        return tuple(turn_lines(turns))
    earlier_positions = (t.position for t in talk.spoken if t.position < turns[0].position)
    start = max(earlier_positions, default=0) + 1
    steps = [step for step in talk.course if start <= step.position < end]
    rows: list[SpokenTurn | CourseStep] = sorted([*turns, *steps], key=lambda row: row.position)
    last_day = -1
    lines: list[ShownLine] = []
    for day, day_rows in groupby(rows, lambda row: row.day):
        if day > last_day:
            last_day = day
            lines.append(ShownLine("", day_heading(day), is_note=True))
        for _is_turn, group in groupby(day_rows, lambda row: isinstance(row, SpokenTurn)):
            rows_of_kind = list(group)
            lines += turn_lines([row for row in rows_of_kind if isinstance(row, SpokenTurn)])
            lines += [_event_line(talk, row) for row in rows_of_kind if isinstance(row, CourseStep)]
    return tuple(lines)


def day_heading(number: int) -> str:
    return _("Day {number}.").format(number=number)


def turn_lines(turns: Iterable[SpokenTurn]) -> Iterator[ShownLine]:
    """Yield turns as lines. Consecutive silent passes share one line."""
    for is_silent_pass, group in groupby(turns, lambda turn: turn.is_silent_pass):
        if not is_silent_pass:
            yield from map(_turn_line, group)
            continue
        speakers = list(dict.fromkeys(turn.speaker for turn in group))
        text = ngettext("{names} says nothing.", "{names} say nothing.", len(speakers))
        yield ShownLine("", text.format(names=join_names(speakers)), is_note=True)


def _turn_line(turn: SpokenTurn) -> ShownLine:
    if turn.is_silent:
        return ShownLine(turn.speaker, _("says nothing."), is_note=True)
    if turn.is_removed:
        return ShownLine(turn.speaker, _("said something that was taken out."), is_note=True)
    return ShownLine(turn.speaker, turn.text, apart=turn.apart)


def _event_line(talk: PublicTalk, step: CourseStep) -> ShownLine:
    """Return an event as a line. A ballot lists the votes: "The vote: Dot and Eli for Fay."."""
    if step.votes is None:
        return ShownLine("", step.text, is_note=True)
    vote_texts = []
    for target, voters in step.votes.items():
        text = _("{voters} for {name}") if target else _("{voters} for nobody")
        name = talk.names[target - 1] if target else ""
        voter_names = join_names([talk.names[voter - 1] for voter in voters])
        vote_texts.append(text.format(voters=voter_names, name=name))
    return ShownLine("", f"{step.text}: {'; '.join(vote_texts)}.", is_note=True)
