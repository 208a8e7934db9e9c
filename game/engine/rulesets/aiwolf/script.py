"""The contest's game: days of talk in passes and a vote, nights of whispers and an attack."""

from collections.abc import Mapping, Sequence
from typing import Any

from game.engine.declarations import effective_settings
from game.engine.events import MODERATOR, PUBLIC, Audience, only_seats
from game.engine.ruleset import Ruleset, TalkLimits
from game.engine.ruleset_files import load_files
from game.engine.rulesets.aiwolf import settings_file
from game.engine.rulesets.aiwolf.night import LastBallot, Night, NightResult
from game.engine.rulesets.aiwolf.talk_rules import MAX_STATEMENT_WORDS, limits_of, statement_form
from game.engine.script_context import Script, ScriptContext, Step
from game.engine.steps import end_game, open_ballot, run_talk_in_passes, seats_with_most_votes
from game.engine.text_checks import NO_LIMIT
from game.engine.visibility import View
from game.engine.wording import gettext_noop as _

HUMAN, WOLF = "human", "werewolf"  # the two species


class LargeVillage(Ruleset):
    """The contest's game for thirteen players (SPEC 1.3)."""

    name = "aiwolf-13"
    version = 1
    title = _("The large village")
    summary = _("Thirteen players, three Werewolves who whisper at night. About an hour.")
    default_role = "villager"
    max_words = MAX_STATEMENT_WORDS
    settings_file = _("the settings file of a contest server")
    seat_names: Sequence[str] = (
        *("Arlo", "Bram", "Cleo", "Dara", "Ezra", "Finn", "Greta"),
        *("Hugo", "Iris", "Jonas", "Kira", "Levi", "Mina"),
    )
    deck: Sequence[str] = (
        *("seer", "medium", "bodyguard", *("villager",) * 6),
        *("possessed", *("werewolf",) * 3),
    )
    files = load_files(__file__)
    teams, roles, settings, presets = files.teams, files.roles, files.settings, files.presets
    pictures, course, quiz, wording = files.pictures, files.course, files.quiz, files.wording

    @property
    def figures(self) -> dict[str, Any]:
        return {**super().figures, "werewolves": self.deck.count("werewolf")}

    @property
    def has_whispers(self) -> bool:
        """Whether several Werewolves play, who talk with each other in secret."""
        return self.deck.count("werewolf") > 1

    def has_vote_on(self, day: int) -> bool:
        return day > 0

    def talk_limits(self, kind: str, settings: Mapping[str, Any]) -> TalkLimits | None:
        rules = effective_settings(self.settings, settings)
        if kind == "statement":
            return limits_of(rules, "talk")
        return limits_of(rules, "whisper") if kind == "whisper" and self.has_whispers else None

    def read_settings(self, document: object) -> dict[str, bool | int | str]:
        return settings_file.read(document, self)

    def read_profiles(self, document: object) -> list[dict[str, str]]:
        return settings_file.read_profiles(document)

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


class SmallVillage(LargeVillage):
    """The contest's game for five players."""

    name = "aiwolf-5"
    title = _("The small village")
    summary = _(
        "Five players: a Seer, a Werewolf, and one who secretly helps it. About ten minutes."
    )
    seat_names = LargeVillage.seat_names[:5]
    deck = ("seer", "villager", "villager", "possessed", "werewolf")
    files = load_files(__file__, "small.toml")
    teams, roles, settings, presets = files.teams, files.roles, files.settings, files.presets
    pictures, course, quiz, wording = files.pictures, files.course, files.quiz, files.wording


class _Game:
    """One game. `roles` is seat -> role key, `rules` has the effective value of every setting."""

    def __init__(self, ruleset: LargeVillage, context: ScriptContext) -> None:
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
            statement_form(self.rules, "talk", self.living),
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
