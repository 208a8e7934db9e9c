"""What raters see of a finished game beside items that ask about it: roles, nights and votes.

The ruleset's names of seats replace the names that people chose.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from game import cached_games
from game.engine import rulesets, visibility
from game.engine.ruleset import role_of, team_named
from game.engine.visibility import View
from game.models import Game
from webapp.play.page.game_course import course_of
from webapp.play.page.narrator import Narrator
from webapp.study.games.public_talk import PublicTalk, talk_of


@dataclass(frozen=True)
class RevealedSeat:
    name: str
    role: str
    team: str
    night: tuple[str, ...]  # what it learned at night, as sentences
    votes: str  # the names that it voted for, in order, as text
    end: str  # a sentence if it is out of the game, "" otherwise


@dataclass(frozen=True)
class GameReveal:
    rows: tuple[RevealedSeat, ...]
    winner: str
    # (title of the day, its secret events as text). Empty for games with one vote.
    nights: tuple[tuple[str, str], ...] = ()


def reveal_of(game: Game) -> GameReveal:
    """Return the reveal of a finished game. Cached by the game's version and the language."""
    return _cached_reveal(game.pk, game.code, game.version, get_language())


@lru_cache(maxsize=256)
def _cached_reveal(pk: int, code: str, version: int, language: str | None) -> GameReveal:
    # `code` is only part of the cache key: a restored database can use a pk for another game.
    game = Game.objects.get(pk=pk)
    log, talk = cached_games.cached_game(game), talk_of(game)
    state = log.view(visibility.MODERATOR).state
    ruleset = rulesets.get(state.ruleset)
    rows = []
    for seat, name in enumerate(talk.names, 1):
        role = role_of(ruleset, state.roles[seat])
        view = log.view(visibility.seat(seat))
        view = replace(view, state=replace(view.state, seats=talk.names))
        rows.append(
            RevealedSeat(
                name=name,
                role=_(role.name),
                team=_(team_named(ruleset, role.team).name),
                night=tuple(Narrator.of(view).private_facts(view, is_of_another=True)),
                votes=_format_votes(talk, seat),
                end=_("Out.") if seat in state.out else "",
            )
        )
    winner = Narrator(ruleset, talk.names).headline(state.winner)
    return GameReveal(tuple(rows), winner, _night_texts(log.view(visibility.AFTERMATH), talk))


def _night_texts(view: View, talk: PublicTalk) -> tuple[tuple[str, str], ...]:
    texts_by_night: dict[int, list[str]] = {}
    for step in course_of(view, talk.names) if talk.course else ():
        if step.is_secret:
            texts_by_night.setdefault(step.day, []).append(step.text)
    title, nights = _("Day {number}"), texts_by_night.items()
    return tuple((title.format(number=day), " ".join(texts)) for day, texts in nights)


def _format_votes(talk: PublicTalk, seat: int) -> str:
    """Return the names that a seat voted for ("–": abstained), a line for each named ballot."""
    if not talk.course:
        own_name = talk.names[seat - 1]
        return ", ".join(vote.target or "–" for vote in talk.votes if vote.voter == own_name)
    vote_texts = []
    for step in talk.course:
        for target, voters in (step.votes or {}).items():
            if seat in voters:
                name = talk.names[target - 1] if target else "–"
                vote_text = _("{ballot} of day {day}: {name}")
                vote_texts.append(vote_text.format(ballot=step.text, day=step.day, name=name))
    return "\n".join(vote_texts)
