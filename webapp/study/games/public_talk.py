"""The public talk of a finished game turn by turn, with facts about the speakers.

`SpokenTurn.text` may be shown to raters and exported, because it has no name that a player chose.
The facts about the speaker (kind, model, method, labels) are for the researcher only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from agents.recipe import Recipe
from game import cached_games
from game.chosen_name_replacer import build_name_replacer
from game.engine import rulesets, visibility
from game.engine.labels import STAND_IN
from game.engine.visibility import View
from game.engine.wording import sentence_for
from game.models import Game, Player, Utterance
from webapp.play.models import LLMCall
from webapp.play.page.game_course import CourseStep, course_of
from webapp.study.toml_files import read_tables

NAMES_ITSELF_A_MODEL = gettext_noop("names itself a model")  # a flag of `Unit.flags`

_PHRASES = {
    kind: "|".join(phrases) for kind, phrases in read_tables(__file__, "model_phrases.toml").items()
}
_SELF_NAMING = re.compile(
    r"\b(?:{self_references}) (?:not |no )?(?:(?:{adjectives})[ -])*(?:{model_nouns})\b".format(
        **_PHRASES
    ),
    re.IGNORECASE,
)
_TELLTALE = re.compile(_PHRASES["telltales"], re.IGNORECASE)
PERSON, AGENT, MIXED = "person", "agent", "mixed"


@dataclass(frozen=True)
class SpokenTurn:
    position: int  # number in the public transcript, from 1
    index: int  # number among the turns, from 1
    seat: int
    speaker: str
    text: str  # "" if nothing was said, or if the text was removed
    is_silent: bool
    window: str
    phase: str  # "talk.DAY.ROUND"
    day: int = 0
    apart: str = ""  # heading of a statement with a special meaning ("stands for …"), "" for others
    utterance: UUID | None = None
    kind: str = AGENT  # PERSON or AGENT
    model: str = ""
    method: str = ""
    labels: tuple[str, ...] = ()
    is_silent_pass: bool = False  # whether it is a silent turn in a talk of passes
    # Number among the turns that count as context. A silent pass does not count, so it has the
    # place of the turn before.
    place: int = 0

    @property
    def is_removed(self) -> bool:
        """Whether something was said that has been removed."""
        return not self.is_silent and not self.text


class PublicVote(NamedTuple):
    """A vote in a public ballot, by the names of the seats."""

    voter: str
    target: str  # "" for an abstention


class SpeakerSystem(NamedTuple):
    """The models that spoke, and their methods, each joined by "+". Both are "" for people."""

    model: str
    method: str


@dataclass(frozen=True)
class PublicTalk:
    """The public talk of a game, and its public votes."""

    spoken: tuple[SpokenTurn, ...]
    votes: tuple[PublicVote, ...]
    names: tuple[str, ...]  # the ruleset's names of the seats
    last: int  # the last position of the public transcript
    # Events between the turns, with public ballots. Empty if there were only votes.
    course: tuple[CourseStep, ...] = ()
    # Contest profile of each seat. Empty unless all seats have one, because a seat without a
    # profile would reveal a person.
    profiles: tuple[str, ...] = ()

    def turn_at(self, position: int) -> SpokenTurn:
        """Return the turn at a position, or raise LookupError."""
        for turn in self.spoken:
            if turn.position == position:
                return turn
        raise LookupError(position)

    def before(self, position: int, max_turns: int) -> tuple[SpokenTurn, ...]:
        """Return the last `max_turns` context turns before a position, and silent passes there."""
        earlier = [turn for turn in self.spoken if turn.position < position]
        last_place = earlier[-1].place if earlier else 0
        return tuple(turn for turn in earlier if last_place - max_turns < turn.place)

    def kind_of(self, seat: int = 0) -> str:
        """Return who spoke for a seat (0: all seats): PERSON, AGENT or MIXED."""
        kinds = {turn.kind for turn in self.spoken if seat in (0, turn.seat)}
        return kinds.pop() if len(kinds) == 1 else MIXED

    def models_of(self, seat: int = 0) -> SpeakerSystem:
        """Return the models and methods that spoke for a seat (0: all seats)."""
        turns = [turn for turn in self.spoken if seat in (0, turn.seat)]
        models = sorted({turn.model for turn in turns} - {""})
        methods = sorted({turn.method for turn in turns} - {""})
        return SpeakerSystem("+".join(models), "+".join(methods))


def talk_of(game: Game) -> PublicTalk:
    """Return the talk of a finished game. Cached by the game's version and the language."""
    return _cached_talk(game.pk, game.code, game.version, get_language())


@lru_cache(maxsize=512)
def _cached_talk(pk: int, code: str, version: int, language: str | None) -> PublicTalk:
    # `code` is only part of the cache key: a restored database can use a pk for another game.
    game = Game.objects.get(pk=pk)
    log = cached_games.cached_game(game)
    view = log.view(visibility.PUBLIC)
    names = tuple(rulesets.get(game.ruleset).seat_names)[: len(view.state.seats)]
    facts = _SpeakerFacts(game, log.view(visibility.MODERATOR))
    course = course_of(view, names)
    return PublicTalk(
        spoken=tuple(_read_turns(view, names, facts)),
        votes=tuple(_read_votes(view, names)),
        names=names,
        last=len(view.events),
        course=() if all(step.votes for step in course) else tuple(course),
        profiles=_profiles(facts.players, names),
    )


def _read_turns(view: View, names: Sequence[str], facts: _SpeakerFacts) -> Iterator[SpokenTurn]:
    """Yield the turns of a public view, with `names` in place of those that players chose."""
    wording = rulesets.get(view.state.ruleset).wording
    statement_kinds = wording.kinds_of_shape("statement")
    rename = build_name_replacer(view.state.seats, names)
    positions_in_passes = {turn.position for turn in view.turns if turn.moment.pass_}
    index, place, phase, day = 0, 0, "", 0
    for position, event in enumerate(view.events, 1):
        if event.kind == "phase_opened":
            phase, day = f"{event['phase']}.{event['day']}.{event['round']}", event["day"]
        if event.kind not in statement_kinds:
            continue
        is_silent = event["manner"] != "say"
        is_silent_pass = is_silent and position in positions_in_passes
        index += 1
        place += not is_silent_pass
        heading = sentence_for(wording.event(event.kind).brief, event.data)
        yield SpokenTurn(
            position=position,
            index=index,
            seat=event["seat"],
            speaker=names[event["seat"] - 1],
            text=rename(event.data.get("text") or ""),
            is_silent=is_silent,
            window=event["window"],
            phase=phase,
            day=day,
            apart=_(heading) if heading else "",
            is_silent_pass=is_silent_pass,
            place=place,
            **facts.fields(event["window"], event["seat"]),
        )


def _read_votes(view: View, names: Sequence[str]) -> Iterator[PublicVote]:
    ballots = rulesets.get(view.state.ruleset).wording.public_ballots
    for event in view.events:
        if event.kind in ballots:
            targets = event.data.get("targets")
            yield PublicVote(names[event["seat"] - 1], names[targets[0] - 1] if targets else "")


def _profiles(players: Mapping[int, Player], names: Sequence[str]) -> tuple[str, ...]:
    """Return each seat's contest profile in a line, () unless all seats have one."""
    labels = {"age": _("age"), "gender": _("gender"), "personality": _("character")}
    recipes = [players[seat].recipe or {} for seat in range(1, len(names) + 1)]
    profiles = [recipe.get("profile") or {} for recipe in recipes]
    if not all(profiles):
        return ()
    return tuple(
        " · ".join(f"{labels.get(key, key)}: {text}" for key, text in profile.items())
        for profile in profiles
    )


class _SpeakerFacts:
    """Facts about speakers, from players, requests to models and the moderator's view."""

    def __init__(self, game: Game, view: View) -> None:
        kinds = rulesets.get(game.ruleset).wording.kinds_of_shape("statement")
        self.players = {p.seat: p for p in Player.objects.filter(game=game)}
        utterances = Utterance.objects.filter(game=game, event__isnull=False)
        rows = utterances.values_list("window", "seat", "pk")
        self.utterances = {(window, seat): pk for window, seat, pk in rows}
        self.labels = {(e["window"], e["seat"]): e.labels for e in view.events if e.kind in kinds}
        statement_calls = LLMCall.objects.filter(game=game, kind__in=kinds).order_by("pk")
        calls = statement_calls.values_list("window", "seat", "backend", "exchange__model")
        self.models = {(window, seat): model or backend for window, seat, backend, model in calls}

    def fields(self, window: str, seat: int) -> dict[str, Any]:
        """Return the fields of `SpokenTurn` with the facts about its speaker."""
        key = (window, seat)
        labels, player = self.labels.get(key, ()), self.players[seat]
        facts = {"utterance": self.utterances.get(key), "labels": labels}
        if player.kind == Player.PERSON and STAND_IN not in labels:
            return {**facts, "kind": PERSON}
        recipe = Recipe.of(player.recipe or {})
        model = self.models.get(key) or recipe.backend_for("statement")
        return {**facts, "kind": AGENT, "model": model, "method": recipe.method}


def find_model_flags(text: str) -> list[str]:
    """Return the flags of a text that calls its speaker a model or gives one away, else [].

    Statements of people are flagged as well, because they influence raters in the same way.
    """
    one_line = " ".join(text.replace("’", "'").split())
    is_telltale = _SELF_NAMING.search(one_line) or _TELLTALE.search(one_line)
    return [NAMES_ITSELF_A_MODEL] if is_telltale else []
