"""What a rater is shown of a unit: words and seat names, and nothing that tells where from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.seat_names import renamer
from webapp.study.game_reveal import GameReveal, reveal_of
from webapp.study.instruments import Instrument
from webapp.study.models import Stimulus, Unit
from webapp.study.public_talk import PublicTalk, SpokenTurn, talk_of

SLOTS = ("a", "b")  # what stands left (or alone), what stands right


def slots(unit: Unit, stimuli: Sequence[Stimulus]) -> list[str]:
    """What pages call each of a unit's stimuli, which stand in the order they are shown in: a side,
    or a seat of a ranking."""
    if unit.kind == Unit.RANKING:
        return [f"s{stimulus.place}" for stimulus in stimuli]
    return list(SLOTS[: len(stimuli)])


@dataclass(frozen=True)
class ShownLine:
    """A line of the conversation. note: no words of the speaker's, but what happened instead."""

    speaker: str
    text: str
    note: bool = False


@dataclass(frozen=True)
class RatedWords:
    """Something rated. `stimulus` (its id) is the server's; pages know it as `slot`."""

    slot: str
    stimulus: int
    speaker: str
    text: str


@dataclass(frozen=True)
class Shown:
    """A unit as a page shows it.

    context: the lines before the rated words, or the whole talk where a player or a game is
    rated. speaker: whose words are rated, "" for a game. instruction: what a check asks for. deeds:
    what everybody was and did, where an item asks about it.
    """

    kind: str
    context: tuple[ShownLine, ...]
    speaker: str
    sides: tuple[RatedWords, ...]
    instruction: str = ""
    deeds: GameReveal | None = None


def shown(unit: Unit, *, swapped: bool = False) -> Shown:
    """What raters see of a unit; swapped: the rival stands left, players in the reverse order."""
    stimuli = sorted(unit.stimuli.all(), key=lambda s: s.place, reverse=swapped)
    if unit.kind == Unit.ATTENTION or unit.game is None:
        text = instruction(unit.expected)
        return Shown(unit.kind, (), "", _sides(stimuli, "", [text] * len(stimuli)), text)
    talk = talk_of(unit.game)
    if unit.kind == Unit.UTTERANCE:
        line = talk.at(unit.position)
        texts = [_words(unit, s, line) for s in stimuli]
        before = talk.before(unit.position, unit.campaign.context)
        return Shown(
            unit.kind, _entries(before), line.speaker, _sides(stimuli, line.speaker, texts)
        )
    speaker = talk.names[unit.seat - 1] if unit.seat else ""
    asked = Instrument.of(unit.campaign.instrument).asked_of(unit.kind, unit.situations)
    return Shown(
        unit.kind,
        (*_entries(talk.spoken), *_votes(talk)),
        speaker,
        _players(unit, stimuli, talk) or _sides(stimuli, speaker, [""] * len(stimuli)),
        deeds=reveal_of(unit.game) if any(d.deeds for d in asked) else None,
    )


def _players(unit: Unit, stimuli: list[Stimulus], talk: PublicTalk) -> tuple[RatedWords, ...]:
    """The players of a ranking."""
    if unit.kind != Unit.RANKING:
        return ()
    rows = zip(slots(unit, stimuli), stimuli, strict=True)
    return tuple(RatedWords(slot, s.pk, talk.names[s.place - 1], "") for slot, s in rows)


def instruction(expected: int | None) -> str:
    """What an attention check says, in so many words."""
    return _(
        "This is a check that the questions are being read. Please choose {value} for every"
        " question on this page."
    ).format(value=expected)


def _sides(stimuli: list[Stimulus], speaker: str, texts: list[str]) -> tuple[RatedWords, ...]:
    rows = zip(SLOTS, stimuli, texts, strict=False)
    return tuple(RatedWords(slot, s.pk, speaker, text) for slot, s, text in rows)


def _words(unit: Unit, stimulus: Stimulus, line: SpokenTurn) -> str:
    if stimulus.place == 2:
        return rival_words(unit, stimulus)
    return line.text or _("(These words were taken out.)")


def rival_words(unit: Unit, stimulus: Stimulus) -> str:
    """A rival's words, with seat names for those that people chose."""
    assert unit.game is not None
    names = list(unit.game.players.order_by("seat").values_list("name", flat=True))
    return renamer(names, talk_of(unit.game).names)(stimulus.text)


def _entries(lines: Iterable[SpokenTurn]) -> tuple[ShownLine, ...]:
    return tuple(_entry(line) for line in lines)


def _entry(line: SpokenTurn) -> ShownLine:
    if line.silent:
        return ShownLine(line.speaker, _("says nothing."), note=True)
    if line.removed:
        return ShownLine(line.speaker, _("said something that was taken out."), note=True)
    return ShownLine(line.speaker, line.text)


def _votes(talk: PublicTalk) -> Iterable[ShownLine]:
    for voter, target in talk.votes:
        text = _("votes for {name}.").format(name=target) if target else _("votes for nobody.")
        yield ShownLine(voter, text, note=True)
