"""Prompts for judges: the templates, a text file each, and a game as text.

They are not among the players' prompts, because the text of those decides how names are quoted.
Players' text is quoted by `quote_text`, so that it cannot imitate instructions.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from string import Template

from django.utils.translation import gettext as _

from agents.packs import pack_of
from agents.quotation import quote_text
from game import selectors
from game.engine import rulesets, visibility
from game.models import Game
from webapp.play.tables.rules_pages import section_text
from webapp.study.games.game_reveal import GameReveal
from webapp.study.games.public_talk import PublicTalk
from webapp.study.rating.rater_view import ShownLine, day_heading, turn_lines

FOLDER = Path(__file__).parent
Messages = list[dict[str, str]]


def fill_template(name: str, **fields: str) -> str:
    """Return a filled template. Empty fields leave no more than one empty line."""
    lines: list[str] = []
    for line in _load_template(name).substitute(fields).strip().split("\n"):
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line.rstrip())
    return "\n".join(lines)


@cache
def _load_template(name: str) -> Template:
    return Template((FOLDER / f"{name}.txt").read_text("utf-8"))


def build_messages(system: str, user: str) -> Messages:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def spoken_lines(talk: PublicTalk) -> Iterator[ShownLine]:
    """Yield the whole talk under headings for days, or for rounds if there is only one day."""
    has_days = len({turn.day for turn in talk.spoken}) > 1
    phases = list(dict.fromkeys(turn.phase for turn in talk.spoken))
    last_heading = ""
    for phase, group in groupby(talk.spoken, lambda turn: turn.phase):
        turns = list(group)
        if has_days:
            heading = day_heading(turns[0].day)
        else:
            heading = _("Round {number}.").format(number=phases.index(phase) + 1)
        if heading != last_heading and (has_days or len(phases) > 1):
            yield ShownLine("", heading, is_note=True)
            last_heading = heading
        yield from turn_lines(turns)


def format_lines(context: Iterable[ShownLine]) -> str:
    """Return the talk line by line. Only spoken text is in quotation marks."""
    return "\n".join(map(_format_line, context))


def _format_line(line: ShownLine) -> str:
    if line.is_note:
        return f"{line.speaker} {line.text}".strip()
    apart = f" ({line.apart})" if line.apart else ""
    return f"{line.speaker}{apart}: {quote_text(line.text)}"


def rules_of(game: Game) -> str:
    """Return the rules of a game with its settings: roles, winning conditions and steps."""
    ruleset = rulesets.get(game.ruleset)
    settings = selectors.view_for(game, visibility.PUBLIC).state.settings
    roles = [
        f"{pack_of(ruleset).counted(ruleset.deck.count(role.key), role.key)}: {_(role.does)}"
        for role in ruleset.roles
    ]
    wins = [f"{_(team.name)} wins: {_(team.wins)}" for team in ruleset.teams]
    sections = ruleset.describe_course(settings)
    steps = [f"{_(section.title)}: {section_text(section)}" for section in sections]
    return "\n".join((*roles, *wins, *steps))


def format_reveal(reveal: GameReveal) -> str:
    """Return each player's role, night results and vote, and the winners."""
    player_lines = []
    for row in reveal.rows:
        votes = f"Votes: {'; '.join(row.votes.splitlines())}." if row.votes else ""
        parts = [f"{row.name} was {row.role} ({row.team}).", *row.night, votes, row.end]
        player_lines.append(" ".join(filter(None, parts)))
    player_lines += [f"{title}: {text}" for title, text in reveal.nights]
    return "\n".join([*player_lines, reveal.winner])
