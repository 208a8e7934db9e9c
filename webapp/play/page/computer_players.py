"""The computer players on a table's page: their cards (SPEC 2.1, 2.2), and their pace.

One person alone with computer players may change their pace during the game, as may the host of a
table without people. At the pace quick the page of a person stands still between two of their
answers: it shows the game up to the first window that opened after the last answer. Everything that
the agents say until the person's next turn then appears together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.favor_scale import INITIAL_FAVOR, favor_level
from agents.personas.big_five import FACTORS, Persona
from agents.personas.characters import CHARACTERS
from agents.personas.own_style import parse_own_style
from agents.recipe import METHODS, Recipe
from game import clock
from game.cached_games import CachedGame
from game.engine import visibility
from game.engine.events import Event
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.disclosure import Disclosure
from webapp.play.models import MindNote, Table
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.transcript_parts import Seat
from webapp.play.visitors import Guest

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
PACE_KEY = "pace"  # session key of the pace that the browser chose last


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


@dataclass(frozen=True)
class PaceButtons:
    """Buttons for the computer players' pace (`#tempo`): `do=` values, "" for none."""

    slower: str
    faster: str
    next: str  # ends a pause that was made for pace
    skip: str  # continues at once, to the viewer's turn or to the end
    can_skip_to_end: bool  # the viewer gets no more turns
    is_instant: bool  # the viewer gets no more turns, and lines appear without pauses


def build_pace_buttons(
    game: Game,
    table: Table | None,
    players: Iterable[Player],
    *,
    is_host: bool,
    is_awaited: bool,
    is_playing: bool,
) -> PaceButtons | None:
    """Build the buttons of the pace, None if the viewer cannot change it.

    `is_awaited`: the table waits for the viewer. `is_playing`: they have a seat and are not out.
    """
    if not is_host or game.ended_at or not can_choose_pace(game, table, players):
        return None
    paces = _paces(players)
    index = paces.index(game.pace) if game.pace in paces else len(paces)
    # At the pace quick no line waits for a viewer who is out.
    can_play_out = not is_playing and clock.QUICK in paces
    is_instant = can_play_out and game.pace == clock.QUICK
    return PaceButtons(
        slower=f"pace:{paces[index - 1]}" if index else "",
        faster=f"pace:{paces[index + 1]}" if index + 1 < len(paces) else "",
        next="" if is_awaited or game.paused_at or is_instant else "next",
        skip=f"pace:{clock.QUICK}" if can_play_out else "next",
        can_skip_to_end=not is_playing,
        is_instant=is_instant,
    )


def _people_playing(players: Iterable[Player]) -> list[Player]:
    return [p for p in players if p.kind == Player.PERSON and p.left_at is None]


def _paces(players: Iterable[Player]) -> Sequence[str]:
    """Return the paces from slow to quick. The pace quick needs a person who plays."""
    return clock.PACE_STEPS if _people_playing(players) else clock.PACE_STEPS[:-1]


def can_choose_pace(game: Game, table: Table | None, players: Iterable[Player]) -> bool:
    """Return whether the pace can be chosen.

    The pace is fixed if several people play, for research, at a blind table, and if it is "even".
    """
    is_for_research = table is not None and table.research
    is_fixed = is_for_research or clock.is_even(game.pace)
    return len(_people_playing(players)) <= 1 and Disclosure(game).can_change_pace and not is_fixed


def check_pace(guest: Guest, pace: str = "") -> None:
    """Check that the guest may choose a pace now, or this `pace` if it is given.

    Raise Illegal: `not_begun`, `pace_fixed`, or `not_alone` for the pace quick if no person plays.
    """
    game, players = guest.game, guest.game.players.all()
    table = Table.objects.filter(game=game).first()
    if not game.started_at:
        raise Illegal("not_begun")
    if not can_choose_pace(game, table, players):
        raise Illegal("pace_fixed")
    if pace and pace not in _paces(players):
        raise Illegal("not_alone")


def preferred_pace(session: Mapping[str, Any], mode: str = "play") -> str:
    """Return the pace that this browser chose last, for the mode "play" or "watch"."""
    pace = str(session.get(PACE_KEY, ""))
    if pace == clock.QUICK and mode == "watch":
        return clock.BRISK
    return pace if pace in clock.PACES else "natural"


def count_events_shown(game: Game, position: CachedGame, player: Player | None) -> int | None:
    """Return how many events of the log a player's page shows at the pace quick.

    Return None if the page shows all events: at other paces, to other viewers, while a window is
    open to the person, and when they are out.
    """
    if game.pace != clock.QUICK or game.ended_at or game.paused_at:
        return None
    if player is None or not player.is_person_now or player.left_at:
        return None
    seat, log = player.seat, position.log
    awaited = (seat in o.asked for o in position.open_windows if o.window.waits_for != "nobody")
    if seat in position.view(visibility.PUBLIC).state.out or any(awaited):
        return None
    later = range(_events_at_last_answer(log, seat), len(log))
    return next((n for n in later if log[n].kind == "window_opened"), len(log))


def _events_at_last_answer(log: Sequence[Event], seat: int) -> int:
    """Return how many events there were when the seat's last window closed, 0 before that."""
    closed: dict[str, int] = {}  # window key -> how many events there were when it closed
    for number in range(len(log), 0, -1):
        event = log[number - 1]
        if event.kind == "window_closed":
            closed[event["window"]] = number
        elif event.kind == "window_opened" and event["key"] in closed and seat in event["seats"]:
            return closed[event["key"]]
    return 0
