"""Renders units for raters: texts and seat names, and nothing that reveals a text's source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from game.chosen_name_replacer import build_name_replacer
from game.models import Game
from webapp.play.page.game_course import lasting_facts
from webapp.study.games.game_reveal import GameReveal, reveal_of
from webapp.study.games.public_talk import PublicTalk, SpokenTurn, talk_of
from webapp.study.games.situations import PROFILE
from webapp.study.models import Seating, Stimulus, Unit
from webapp.study.rating.stimuli import shown_stimuli, unit_dimensions
from webapp.study.rating.talk_lines import ShownLine, context_lines, day_heading, whole_talk


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
        return system_answer_text(unit, stimulus)
    return turn.text or _("(These words were taken out.)")


def system_answer_text(unit: Unit, stimulus: Stimulus) -> str:
    """Return a comparison system's text, with seat names in place of those that people chose."""
    assert unit.game is not None
    chosen_names = list(unit.game.players.order_by("seat").values_list("name", flat=True))
    return build_name_replacer(chosen_names, talk_of(unit.game).names)(stimulus.text)


def _shown_profiles(unit: Unit, talk: PublicTalk) -> tuple[tuple[str, str], ...]:
    """Return (name, profile) of the rated players, if an item asks about profiles."""
    if PROFILE not in unit.situations or not talk.profiles:
        return ()
    seats = [unit.seat] if unit.seat else range(1, len(talk.names) + 1)
    return tuple((talk.names[seat - 1], talk.profiles[seat - 1]) for seat in seats)
