"""The contest's game: days of talk in passes and a vote, nights of whispers and an attack."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from game.engine.common_wording import load_wording
from game.engine.events import MODERATOR, PUBLIC, Audience, only_seats
from game.engine.quiz import load_quiz
from game.engine.roles import IntroPicture, RulesSection, effective_settings
from game.engine.ruleset import Ruleset, TalkLimits
from game.engine.rulesets.aiwolf import settings_file
from game.engine.rulesets.aiwolf.cast import CASTS, HUMAN, NAMES, WOLF, intro_of, roles_of, teams_of
from game.engine.rulesets.aiwolf.night import LastBallot, Night, NightResult
from game.engine.rulesets.aiwolf.settings import (
    CHARACTERS,
    MAX_STATEMENT_WORDS,
    PRESETS,
    WORDS,
    limits_of,
    settings_of,
    statement_form,
)
from game.engine.script_context import Script, ScriptContext, Step
from game.engine.steps import end_game, open_ballot, run_talk_in_passes, seats_with_most_votes
from game.engine.text_checks import NO_LIMIT
from game.engine.visibility import View
from game.engine.wording import Wording
from game.engine.wording import gettext_noop as _

_WORDING = load_wording(__file__)
# Kinds of events and windows, and phases, that only the game with several Werewolves has.
_KINDS_OF_LARGE_GAME = ("evening", "whisper", "guard", "identified")
_QUESTIONS_OF_LARGE_GAME = ("whispers", "guard_self", "medium")
# The texts of the rules: by how statements are counted; then by whether the game has several
# Werewolves, who whisper, and by whether votes are shown.
_TALK = {
    WORDS: _(
        "Players speak in turn, in an order drawn for the day, each up to {talks} times, in at "
        "most {words} words each time. You can also say that you are done for today."
    ),
    CHARACTERS: _(
        "Players speak in turn, in an order drawn for the day, each up to {talks} times, in at "
        "most {base} characters, and {after} more after an @ with a name. Longer statements are"
        " cut."
    ),
}
_FIRST_EVENING = {
    True: _(
        "The Werewolves whisper. Everyone says hello; there is no vote. At night the "
        "Werewolves whisper again, and the Seer looks at a first player. No one dies."
    ),
    False: _(
        "Everyone says hello; there is no vote. At night the Seer looks at a first "
        "player. No one dies."
    ),
}
_VOTE = _(
    "Everyone votes at the same time, in secret. The player with the most votes is out; a tie is "
    "broken at random."
)
_VOTES_SHOWN = {
    True: _("Everyone sees the votes the next morning. Roles stay secret until the game ends."),
    False: _("Votes and roles stay secret until the game ends."),
}
_NIGHT = {
    True: _(
        "The Werewolves whisper and choose whom to attack; a tie is broken at random. "
        "The Seer looks at one player, and the Bodyguard protects one other player."
    ),
    False: _("The Werewolf chooses whom to attack, and the Seer looks at one player."),
}
_MORNING = _("In the morning everyone learns who died.")


class ContestGame(Ruleset):
    """The contest's game for 5 or 13 players (SPEC 1.3)."""

    version = 1
    default_role = "villager"
    max_words = MAX_STATEMENT_WORDS
    presets = PRESETS
    settings_file = _("the settings file of a contest server")

    def __init__(self, players: int) -> None:
        cast = CASTS[players]
        self.name, self.title, self.summary = cast.name, cast.title, cast.summary
        self.deck, self.roles, self.teams = cast.deck, roles_of(cast.deck), teams_of(cast.deck)
        self.seat_names = NAMES[:players]
        self.has_whispers = cast.deck.count("werewolf") > 1
        self.settings = settings_of(cast.passes, has_whispers=self.has_whispers)
        self.quiz, self.wording = load_quiz(__file__), _WORDING
        if not self.has_whispers:
            self.quiz = [q for q in self.quiz if q.key not in _QUESTIONS_OF_LARGE_GAME]
            self.wording = _without_large_game(_WORDING)

    def describe_course(self, settings: Mapping[str, Any]) -> list[RulesSection]:
        rules = effective_settings(self.settings, settings)
        figures = {
            "talks": rules["talk_per_agent"],
            "words": MAX_STATEMENT_WORDS,
            "base": rules["base_length"],
            "after": rules["mention_length"],
        }
        return [
            RulesSection(_("Day 0, the first evening"), (_FIRST_EVENING[self.has_whispers],)),
            RulesSection(_("Day"), (_TALK[rules["count"]],), figures),
            RulesSection(_("Vote"), (_VOTE, _VOTES_SHOWN[rules["vote_visibility"]])),
            RulesSection(_("Night"), (_NIGHT[self.has_whispers], _MORNING)),
        ]

    def has_vote_on(self, day: int) -> bool:
        return day > 0

    def talk_limits(self, kind: str, settings: Mapping[str, Any]) -> TalkLimits | None:
        prefix = {"statement": "talk", "whisper": "whisper" if self.has_whispers else ""}.get(kind)
        return limits_of(effective_settings(self.settings, settings), prefix) if prefix else None

    def read_settings(self, document: object) -> dict[str, bool | int | str]:
        return settings_file.read(document, self.deck, self.settings)

    def read_profiles(self, document: object) -> list[dict[str, str]]:
        return settings_file.read_profiles(document)

    @property
    def introduction(self) -> Sequence[IntroPicture]:
        return intro_of(self.deck)

    def day_phases(self, day: int, settings: Mapping[str, Any]) -> list[tuple[str, int]]:
        evening = ["evening"] if self.has_whispers else []
        phases = [*evening, "talk", "night"] if day == 0 else ["dawn", "talk", "vote", "night"]
        return [(phase, 0) for phase in phases]

    def speaking_order(self, view: View) -> list[int]:
        """Return the order of the day's talk, [] before it is drawn."""
        for position, event in view.newest_events(("drawn",)):
            if str(event["purpose"]).startswith("speakers/"):
                is_today = view.phase_position(position) == view.phase_position(len(view.events))
                return list(event["result"]) if is_today else []
        return []

    def script(self, context: ScriptContext) -> Script:
        context.deal(self.deck)
        yield from _Game(self, context).play()


def _without_large_game(wording: Wording) -> Wording:
    """Return the wording without the kinds that the game with one Werewolf lacks."""
    sections = {
        name: {
            k: text for k, text in getattr(wording, name).items() if k not in _KINDS_OF_LARGE_GAME
        }
        for name in ("events", "windows", "phases")
    }
    return replace(wording, **sections)


class _Game:
    """One game. `roles` is seat -> role key, `rules` has the effective value of every setting."""

    def __init__(self, ruleset: ContestGame, context: ScriptContext) -> None:
        self.ruleset, self.context = ruleset, context
        self.roles = dict(context.state.roles)
        self.rules = effective_settings(ruleset.settings, context.state.settings)

    @property
    def living(self) -> tuple[int, ...]:
        return self.context.state.living()

    def play(self) -> Script:
        """Play from the first evening to the end."""
        context, wolves = self.context, self.context.state.holders("werewolf")
        context.emit("acquainted", only_seats(*wolves), role="werewolf", seats=list(wolves))
        if self.ruleset.has_whispers:
            context.open_phase("evening", day=0)
            yield from self._night().play_evening()
        yield from self._talk(0)
        context.open_phase("night", day=0)
        result = yield from self._night().play_first_night()
        day, ballot, exiled = 0, LastBallot(), 0
        while True:
            day += 1
            context.open_phase("dawn", day=day)
            if self._announce_morning(day, result, exiled, ballot):
                return
            yield from self._talk(day)
            exiled, ballot = yield from self._vote(day)
            if self._end_if_over(day, "vote"):
                return
            context.open_phase("night", day=day)
            result = yield from self._night().play_later_night()

    def _night(self) -> Night:
        return Night(self.context, self.roles, self.rules)

    # -- the morning

    def _announce_morning(
        self, day: int, result: NightResult, exiled: int, ballot: LastBallot
    ) -> bool:
        """Announce the night's results and the last vote. Return whether the game ends.

        The `ballot` voted out the seat `exiled` on the previous day, 0 for none.
        """
        context = self.context
        if result.killed:
            context.emit("out", PUBLIC, seat=result.killed, cause="attack", day=day)
        elif day > 1:
            context.emit("quiet_night", PUBLIC, day=day)
        if self._end_if_over(day, "attack"):
            return True
        if self.rules["vote_visibility"]:
            self._publish_ballot("vote_shown", PUBLIC, day, ballot)
            wolves = only_seats(*(s for s in self.living if self.roles[s] == "werewolf"))
            self._publish_ballot("attack_shown", wolves, day, result.attack)
        self._send_species("divined", "seer", result.divined)
        self._send_species("identified", "medium", exiled)
        return False

    def _publish_ballot(self, kind: str, audience: Audience, day: int, ballot: LastBallot) -> None:
        """Publish the votes of the previous day's `ballot`, except abstentions."""
        for seat, answer in ballot.votes.items():
            if answer.target:
                facts = {"window": ballot.window, "seat": seat, "targets": [answer.target]}
                self.context.emit(kind, audience, **facts, day=day - 1)

    def _send_species(self, kind: str, role: str, target: int) -> None:
        """Send the species of `target` (0: no one) to the living holder of `role`."""
        seats = [s for s in self.living if self.roles[s] == role]
        if seats and target:
            species = WOLF if self.roles[target] == "werewolf" else HUMAN
            facts = {"seat": seats[0], "targets": [target], "species": species}
            self.context.emit(kind, only_seats(*seats), **facts)

    # -- the day

    def _talk(self, day: int) -> Step[None]:
        context = self.context
        context.open_phase("talk", day=day)
        order = context.draw_order(f"speakers/{day}", self.living, PUBLIC)
        yield from run_talk_in_passes(
            context,
            "statement",
            order,
            statement_form(self.rules, self.living),
            among=PUBLIC,
            limits=limits_of(self.rules, "talk"),
            is_simultaneous=self.rules["together"],
        )

    def _vote(self, day: int) -> Step[tuple[int, LastBallot]]:
        """Run the day's vote. Return (the exiled seat, 0 for none; the last ballot)."""
        context = self.context
        context.open_phase("vote", day=day)
        last = LastBallot()
        tied: list[int] = []
        for number in range(1, self.rules["vote_max_count"] + 1):
            ballot = open_ballot(
                context,
                self.living,
                self.living,
                turn="again" if number > 1 else "",
                allow_self=self.rules["allow_self_vote"],
                default="nothing" if self.rules["drop_invalid"] else "draw",
                is_secret=True,
            )
            last = LastBallot(ballot.key, (yield from context.close_window(ballot)))
            tied = seats_with_most_votes(last.votes)
            if len(tied) == 1:
                break
        if not tied:
            context.emit("undecided", PUBLIC, day=day)
            return 0, last
        exiled = tied[0] if len(tied) == 1 else context.draw(f"exile/{day}", tied, MODERATOR)
        context.emit("out", PUBLIC, seat=exiled, cause="vote", day=day)
        return exiled, last

    def _end_if_over(self, day: int, cause: str) -> bool:
        """End the game if a side has won or the last day is over. Return whether it has ended."""
        wolves = sum(self.roles[s] == "werewolf" for s in self.living)
        winner, reason = "", ""
        if not wolves:
            winner, reason = "village", "wolves_gone"
        elif 2 * wolves >= len(self.living):
            winner, reason = "werewolf", "wolves_equal"
        elif cause == "attack" and self.rules["max_day"] != NO_LIMIT:
            reason = "too_long" if day > self.rules["max_day"] else ""
        if reason:
            end_game(self.context, self.ruleset, winner, reason, self.roles)
        return bool(reason)
