"""The cards of the computer players on a table's page (SPEC 2.1, 2.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.favor_scale import INITIAL_FAVOR, favor_level
from agents.personas.big_five import FACTORS, Persona
from agents.personas.characters import CHARACTERS
from agents.personas.own_style import parse_own_style
from agents.recipe import METHODS, Recipe
from game.models import Player
from webapp.play.disclosure import Disclosure
from webapp.play.models import MindNote, Table
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.transcript_parts import Seat

# Reasons for a change of favor, addressed to the player that it concerns.
FAVOR_REASONS = {
    "vote": gettext_lazy("you want them out"),
    "accuse": gettext_lazy("you accused them"),
    "suspect": gettext_lazy("you doubted them"),
    "disagree": gettext_lazy("you contradicted them"),
    "report": gettext_lazy("you named them as a suspect"),
    "cleared": gettext_lazy("you cleared them"),
    "defend": gettext_lazy("you defended them"),
    "agree": gettext_lazy("you believed them"),
    "answered": gettext_lazy("you answered them"),
    "ignored": gettext_lazy("you ignored their question"),
    "sides": gettext_lazy("you suspect the same player"),
}


@dataclass(frozen=True)
class FavorChange:
    round: int  # the round before which it changed
    favor: int  # 1..100, after the change
    change: int  # the change in points of favor
    reason: str  # "" if unknown


@dataclass(frozen=True)
class FavorToward:
    seat: Seat
    level: int  # 1..5
    favor: int  # 1..100


@dataclass(frozen=True)
class FactorScore:
    name: str
    score: int  # 1..7


@dataclass(frozen=True)
class AgentCard:
    """Card of a computer player, as the table shows it (`#company`)."""

    seat: Seat
    level: int  # level of its favor toward the viewer, 1..5; 0: not shown
    favor: int  # its favor toward the viewer, 1..100
    history: list[FavorChange]
    toward: list[FavorToward]  # empty if the table shows only favors toward the viewer
    bars: list[FactorScore]  # empty if the table hides personas
    adjectives: str  # adjectives that sum up the scores
    character: str  # the name of a written character, "" for none
    description: str  # a sentence that describes the character

    @property
    def seat_with_favor(self) -> Seat:
        """The seat with this card's face, as the table shows it."""
        favor = self.favor if self.level else 0
        return replace(self.seat, face=self.level, favor=favor, has_card=True)


def build_agent_cards(
    snapshot: Snapshot, viewer: int, seats: Mapping[int, Seat]
) -> list[AgentCard]:
    """Build a card for each computer player, as the viewer's seat (0: none) sees them.

    Return [] at a blind table, and if the table shows neither faces nor personas.
    """
    table = snapshot.table
    has_cards = table is not None and (table.personas or table.faces != Table.HIDDEN)
    if table is None or not has_cards or not Disclosure(snapshot.game).can_show_agent_traits:
        return []
    agents = [player for player in snapshot.players if player.kind == Player.AGENT]
    cards = [_agent_card(snapshot, table, player, viewer, seats) for player in agents]
    return [card for card in cards if card.bars or card.level or card.toward]


def _agent_card(
    snapshot: Snapshot, table: Table, player: Player, viewer: int, seats: Mapping[int, Seat]
) -> AgentCard:
    recipe = player.recipe or {}
    has_favor = "favor" in METHODS[recipe.get("method", Recipe.method)].own_faculties
    notes = [n for n in snapshot.favor_notes if n.seat == player.seat]
    faces = table.faces if has_favor else Table.HIDDEN
    shows_favor = faces != Table.HIDDEN and viewer > 0
    favor = _latest_favor(notes, viewer)
    persona = Persona.of(recipe["persona"]) if table.personas and recipe.get("persona") else None
    name, description = _describe_character(persona) if persona else ("", "")
    return AgentCard(
        seat=seats[player.seat],
        level=favor_level(favor) if shows_favor else 0,
        favor=round(favor),
        history=_favor_changes(notes, viewer) if shows_favor else [],
        toward=_favors_toward_others(notes, player.seat, seats) if faces == Table.ALL else [],
        bars=factor_scores(persona) if persona else [],
        adjectives=persona.summary() if persona else "",
        character=name,
        description=description,
    )


def factor_scores(persona: Persona) -> list[FactorScore]:
    return [FactorScore(_(name), persona.scores[key]) for key, name in FACTORS.items()]


def _describe_character(persona: Persona) -> tuple[str, str]:
    """Return the (name, description) of a persona's written character, ("", "") for none."""
    if character := CHARACTERS.get(persona.character):
        return _(character.name), _(character.description)
    if persona.style:
        author_note = _("The person who set up this table wrote this character.")
        return parse_own_style(persona.style).character.name, author_note
    return "", ""


def _latest_favor(notes: list[MindNote], toward: int) -> float:
    favors = notes[-1].data["favor"] if notes else {}
    return float(favors.get(str(toward), INITIAL_FAVOR))


def _favor_changes(notes: list[MindNote], viewer: int) -> list[FavorChange]:
    changes, previous = [], INITIAL_FAVOR
    for note in notes:
        favor = float(note.data["favor"].get(str(viewer), previous))
        keys = note.data["why"].get(str(viewer), [])
        reasons = [str(FAVOR_REASONS[key]) for key in keys if key in FAVOR_REASONS]
        if favor != previous:
            change, number = round(favor - previous), note.round or note.day
            changes.append(FavorChange(number, round(favor), change, "; ".join(reasons)))
        previous = favor
    return changes


def _favors_toward_others(
    notes: list[MindNote], own_seat: int, seats: Mapping[int, Seat]
) -> list[FavorToward]:
    favors = {s: _latest_favor(notes, s) for s in seats if s != own_seat}
    return [FavorToward(seats[s], favor_level(f), round(f)) for s, f in favors.items()]
