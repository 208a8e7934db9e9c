"""Tables of the board of players, overall and by role (`measures.board`)."""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import exp

from webapp.measures.board import FEW_GAMES, PEOPLE, Boards, Player, build_boards
from webapp.measures.game_record import GameRecord
from webapp.study.results.result_table import ResultTable, format_ends

HEADERS = ("Board", "Player", "Games", "Won, %", "Strength", "95% CI", "Chance, %")
HELP = "Who wins against whom, by Bradley and Terry's model: higher is stronger."
NOTES = (
    "A game counts as one comparison, shared equally by its pairs of a winning and a losing seat."
    " Won: the share of a player's comparisons that it won. Strength: in log-odds, 0 on average"
    " over the board. Chance: to win a comparison with an average player of the board.",
    "CI: by a jackknife over whole games, as all seats of a game win or lose together. Boards are"
    " never compared with each other.",
)
ROLE_NOTE = (
    "Strength: 0 on average over the players of the role. All roles are fitted together, "
    "so the strength and the roles of the opponents count."
)


def board_table(
    conditions: Mapping[str, Sequence[GameRecord]], *, by_role: bool = False
) -> ResultTable | None:
    """Return the boards of each ruleset, of systems or of systems in one role.

    Returns None if no two players met.
    """
    table = ResultTable("Board of players", HEADERS, text_columns=2, key="board-of-players")
    if by_role:
        title, headers = "Board of players by role", ("Board", "Role", *HEADERS[1:])
        table = ResultTable(title, headers, text_columns=3, key="board-by-role", folded=True)
    table.help = HELP
    by_ruleset: dict[str, list[GameRecord]] = {}
    for game in chain.from_iterable(conditions.values()):
        by_ruleset.setdefault(game.ruleset, []).append(game)
    table.note(*NOTES, *[ROLE_NOTE] * by_role)
    have_met = False
    for ruleset, games in by_ruleset.items():
        boards = build_boards(games, by_role=by_role)
        have_met |= boards.have_met
        _add_board_rows(table, boards, ruleset if len(by_ruleset) > 1 else "")
    return table if have_met else None


def _add_board_rows(table: ResultTable, boards: Boards, ruleset: str) -> None:
    for number, board in enumerate(boards.boards, 1):
        label = " ".join(filter(None, (ruleset, str(number))))
        for standing in board.standings:
            role = [standing.role] if standing.role else []
            is_few = standing.games < FEW_GAMES
            table.add(
                label,
                *role,
                standing.name,
                f"{standing.games} (few)" if is_few else standing.games,
                f"{100 * standing.won:.0f}",
                f"{standing.strength:.2f}",
                format_ends(standing.interval, 2),
                f"{100 / (1 + exp(-standing.strength)):.0f}",
            )
        table.note(f"Board {label}: {board.games} games.")
    standings = [standing for board in boards.boards for standing in board.standings]
    names = "; ".join(_player_label(s.name, s.role) for s in standings if s.games < FEW_GAMES)
    if names:
        table.note(f"Fewer than {FEW_GAMES} games, so the rank is unreliable: {names}.")
    reasons = {Player(s.name, s.role): s.reason for s in standings if s.reason}
    _note_by_reason(table, "No interval", reasons)
    _note_by_reason(table, "On no board", boards.left_out)
    if boards.undecided:
        table.note(f"Excluded games without a winner: {boards.undecided}.")
    if any(standing.name == PEOPLE for standing in standings):
        table.note("All people are one player, as each of them plays few games.")


def _note_by_reason(table: ResultTable, heading: str, reasons: Mapping[Player, str]) -> None:
    for reason in dict.fromkeys(reasons.values()):
        names = "; ".join(_player_label(*player) for player in reasons if reasons[player] == reason)
        table.note(f"{heading}, because {reason}: {names}.")


def _player_label(name: str, role: str) -> str:
    return f"{name} as {role}" if role else name
