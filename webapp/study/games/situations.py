"""Finds the situations of a game's statements, to which two items of Guarded refer (the last two).

A statement is in a situation if a Seer has just named its speaker, or if it closes the talk. Only
workers find situations (`webapp.play.readings`), and store them.
"""

from collections.abc import Callable, Collection, Mapping

from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game import selectors
from game.engine import rulesets, visibility
from game.engine.declarations import Role
from game.engine.visibility import View
from game.models import Game
from webapp.play import readings
from webapp.study.models import Situations

CALLED, NAMED, CLOSING = "called_werewolf", "one_of_two", "closing"
KEYS = (CALLED, NAMED, CLOSING)
# The situation of units of players and rankings: all seats of the game have a profile.
PROFILE = "profile"
# Situation -> value of `agents.talk.dialogue.Dialogue.findings_about`.
CLAIM_FORMS = {CALLED: "alone", NAMED: "among"}


def _join_role_names(is_wanted: Callable[[Role], bool]) -> str:
    """Return the names of the matching roles of all rulesets, joined by " / "."""
    roles = (role for name in rulesets.names() for role in rulesets.get(name).roles)
    return " / ".join(dict.fromkeys(_(role.name) for role in roles if is_wanted(role)))


_role_names = lazy(_join_role_names, str)
# Names of roles, such as "Seer / Augur". Lookers look at living players.
_LOOKER = _role_names(lambda role: role.look is not None and not role.look.is_of_exiled)
_HUNTED = _role_names(lambda role: role.is_hunted)
LABELS = {
    CALLED: format_lazy(
        gettext_lazy("the {looker} just called the speaker a {hunted}"),
        looker=_LOOKER,
        hunted=_HUNTED,
    ),
    NAMED: format_lazy(
        gettext_lazy("the {looker} just named the speaker as one of two"), looker=_LOOKER
    ),
    CLOSING: gettext_lazy("the talk is closing"),
}
ALL_LABELS = {**LABELS, PROFILE: gettext_lazy("players were given a profile")}


def find_situations(game: Game) -> dict[int, list[str]]:
    """Return position of a statement in the public transcript (from 1) -> its situations."""
    view = selectors.view_for(game, visibility.PUBLIC)
    situations = _claims_by_position(view)
    for position in _closing_positions(view):
        situations.setdefault(position, []).append(CLOSING)
    return dict(sorted(situations.items()))


def _closing_positions(view: View) -> set[int]:
    """Return the positions of statements that close a talk.

    These are statements in the last round or pass of a day that has several, the last statement of
    a speaker before "Over", and a lead, whose kind closes the talk.
    """
    wording = rulesets.get(view.state.ruleset).wording
    rounds: dict[int, dict[tuple[int, int], list[int]]] = {}  # day -> round or pass -> positions
    newest: dict[tuple[int, int], int] = {}  # (day, seat) -> position of the seat's newest turn
    positions = set()
    for turn in view.turns:
        event = view.events[turn.position - 1]
        if event.kind in wording.windows and wording.window(event.kind).says == "lead":
            positions.add(turn.position)
        day_and_seat = (turn.moment.day, turn.seat)
        if event["manner"] == "over" and day_and_seat in newest:
            positions.add(newest[day_and_seat])
        newest[day_and_seat] = turn.position
        if wording.phase(turn.moment.phase).is_talk:
            day = rounds.setdefault(turn.moment.day, {})
            number = (turn.moment.phase_number, turn.moment.pass_)
            day.setdefault(number, []).append(turn.position)
    days_with_rounds = [list(day.values()) for day in rounds.values() if len(day) > 1]
    positions |= {position for day in days_with_rounds for position in day[-1]}
    return positions & {turn.position for turn in view.turns if turn.text}


def _claims_by_position(view: View) -> dict[int, list[str]]:
    """Return position -> situations CALLED and NAMED of that statement.

    Only claims since the speaker's last statement count.
    """
    # These modules load megabytes, which a web process needs only here.
    from agents.packs import pack_of
    from agents.talk.dialogue import Dialogue

    pack = pack_of(rulesets.get(view.state.ruleset))
    dialogue = Dialogue.of(view, pack)
    spoken = [turn for turn in view.turns if turn.text]  # the turns that `dialogue.statements` has
    keys_by_position = {}
    for number, turn in enumerate(spoken):
        claim_forms = Dialogue(pack, dialogue.statements[:number]).findings_about(turn.seat)
        if keys := [key for key, form in CLAIM_FORMS.items() if form in claim_forms]:
            keys_by_position[turn.position] = keys
    return keys_by_position


def situations_of(game: Game) -> Mapping[int, list[str]] | None:
    """Return position of a statement (from 1) -> its situations, None if no worker has read it."""
    row = Situations.objects.filter(game=game, game_version=game.version).first()
    return {int(position): keys for position, keys in row.keys_by_position.items()} if row else None


def unread_games(games: Collection[Game]) -> list[Game]:
    """Return those of the games that no worker has read in their current state."""
    return readings.games_to_read(Situations, games)


def request_reading(games: Collection[Game]) -> None:
    """Queue the unread ones of the games for a worker, after the commit."""
    readings.request_readings(Situations, games, "study.situations")


def store_situations(game: Game) -> None:
    """Find the situations of a game and store them. Loads `agents.understanding`."""
    # Read the version before the game, so that a concurrent change makes the row outdated.
    game_version = game.version
    found_situations = find_situations(game)
    Situations.objects.update_or_create(
        game=game, defaults={"game_version": game_version, "keys_by_position": found_situations}
    )
