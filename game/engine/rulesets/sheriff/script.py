"""The seven-player game with a Sheriff of the Helmsman paper (SPEC 1.2)."""

from collections.abc import Mapping, Sequence
from typing import Any

from game.engine.declarations import effective_settings
from game.engine.events import PUBLIC, RECORD, Option, only_seats
from game.engine.forms import picking, speech
from game.engine.ruleset import Ruleset
from game.engine.ruleset_files import load_files
from game.engine.rulesets.sheriff.night import play_night
from game.engine.script_context import Script, ScriptContext, Step
from game.engine.side_questions import POLL_PEOPLE, RATE_LEADER
from game.engine.state import State
from game.engine.steps import end_game, open_ballot, open_poll, run_statement, seats_with_most_votes
from game.engine.visibility import View
from game.engine.windows import Window
from game.engine.wording import gettext_noop as _

SIDES = ("left", "right")
BADGE = "sheriff"
PERSON = "person"  # a value of `first_sheriff`: a person becomes the Sheriff
GAME_ENDS = "ends"  # a value of `sheriff_dies`


class SheriffGame(Ruleset):
    """The Sheriff game: seven seats, nights with secret choices, days of talk and a vote."""

    name = "sheriff"
    version = 1
    title = _("The Sheriff")
    summary = _("Seven players, several nights, and a Sheriff who speaks last. About half an hour.")
    deck = ("seer", "guard", "villager", "villager", "villager", "werewolf", "werewolf")
    seat_names = tuple(f"player_{number}" for number in range(1, len(deck) + 1))
    table_names = ("Alder", "Bryony", "Clover", "Fern", "Hazel", "Linden", "Rowan")
    default_role = "villager"
    rounds = 1
    max_words = 120
    needs_people_seats = True
    badge = BADGE
    files = load_files(__file__)
    teams, roles, settings, presets = files.teams, files.roles, files.settings, files.presets
    pictures, course, quiz, wording = files.pictures, files.course, files.quiz, files.wording

    def find_conflict(self, settings: Mapping[str, Any], people: int) -> str:
        if settings["election"]:
            return ""
        if settings["sheriff_seat"] and settings["first_sheriff"] != "anybody":
            return "Set first_sheriff to anybody when sheriff_seat is set."
        if settings["first_sheriff"] == PERSON and not settings["sheriff_seat"] and not people:
            return (
                "first_sheriff=person needs a person. "
                "Open a table with a person's seat in the browser."
            )
        return ""

    def has_attack_on(self, day: int, settings: Mapping[str, Any]) -> bool:
        return day > 1 or not settings.get("safe_first_night")

    def seat_of_option(self, option: Option, seat: int, state: State) -> int:
        """Return the seat that begins if the Sheriff chooses this side."""
        if option not in SIDES:
            return 0
        return next(iter(_order_after_sheriff(state, seat, str(option))), 0)

    def day_phases(self, day: int, settings: Mapping[str, Any]) -> list[tuple[str, int]]:
        election = ["election"] if day == 1 else []
        is_without_vote = day == 1 and effective_settings(self.settings, settings)["election_day"]
        talk = [] if is_without_vote else ["talk", "vote"]
        return [(phase, 0) for phase in ("night", "dawn", *election, *talk)]

    def speaking_order(self, view: View) -> list[int]:
        """Return the current order of speakers, [] outside of talk.

        In an election these are the candidates. Once the Sheriff has chosen a side, they are all
        living players, the Sheriff last.
        """
        state = view.state
        for position, event in view.newest_events(("candidates", "first_side")):
            if view.phase_position(position) != view.phase_position(len(view.events)):
                return []
            if event.kind == "candidates":
                return list(event["seats"])
            sheriff = state.badges[BADGE]
            return [*_order_after_sheriff(state, sheriff, event["targets"][0]), sheriff]
        return []

    def script(self, context: ScriptContext) -> Script:
        context.deal(self.deck)
        yield from _Game(self, context).play()


class _Game:
    """One game. `roles` is seat -> role key, `rules` has the effective value of every setting."""

    def __init__(self, ruleset: Ruleset, context: ScriptContext) -> None:
        self.ruleset, self.context = ruleset, context
        self.roles = dict(context.state.roles)
        self.rules = effective_settings(ruleset.settings, context.state.settings)
        # Not `rules`: games that began before this setting existed continue without it.
        settings = context.state.settings
        self.can_dead_see_roles = bool(settings.get("dead_see")) and not settings.get("blind")
        self.drawn_sheriff = 0 if self.rules["election"] else self._draw_sheriff()

    @property
    def living(self) -> tuple[int, ...]:
        return self.context.state.living()

    @property
    def sheriff(self) -> int:
        """The seat with the badge, 0 before anyone has it."""
        return self.context.state.badges.get(BADGE, 0)

    def play(self) -> Script:
        """Play from the first night to the end."""
        context, day = self.context, 0
        wolves = context.state.holders("werewolf")
        context.emit("acquainted", only_seats(*wolves), role="werewolf", seats=list(wolves))
        while True:
            day += 1
            context.open_phase("night", day=day)
            is_safe = not self.ruleset.has_attack_on(day, self.rules)
            killed = yield from play_night(context, self.roles, is_safe=is_safe)
            context.open_phase("dawn", day=day)
            if (yield from self._record_death(killed, "attack", day)):
                return
            if day == 1 and not (yield from self._give_first_badge()):
                return
            if day == 1 and self.rules["election_day"]:
                continue
            pseudo_vote = yield from self._talk(day)
            voted_out = yield from self._vote(day, pseudo_vote)
            if (yield from self._record_death(voted_out, "vote", day)):
                return

    # -- deaths and ends

    def _record_death(self, seat: int, cause: str, day: int) -> Step[bool]:
        """Record the death of `seat` (0: none). Return whether the game is over.

        A Sheriff who dies hands on the badge.
        """
        if seat:
            self.context.emit("out", PUBLIC, seat=seat, cause=cause, day=day)
        elif cause == "attack":
            is_hunting_night = self.ruleset.has_attack_on(day, self.rules)
            self.context.emit("quiet_night" if is_hunting_night else "safe_night", PUBLIC, day=day)
        winner, reason = self._end_result(day, cause)
        if reason:
            end_game(self.context, self.ruleset, winner, reason, self.roles)
            return True
        if seat and seat == self.sheriff:
            yield from self._hand_on_badge(seat)
        if seat in self.context.state.people and self.can_dead_see_roles:
            self._show_roles(seat)
        return False

    def _show_roles(self, seat: int) -> None:
        """Show all roles to the person in `seat`, who is out and has no badge to pass on."""
        for owner in self.context.seats:
            self.context.emit("role_revealed", only_seats(seat), seat=owner, role=self.roles[owner])
        self.context.emit("unveiled", only_seats(seat), seat=seat)

    def _end_result(self, day: int, cause: str) -> tuple[str, str]:
        """Return (winner, reason) if the game ends now, ("", "") if not.

        The table's own rules for the end come before a team's victory.
        """
        state, people = self.context.state, set(self.context.state.people)
        wolves = sum(self.roles[s] == "werewolf" for s in self.living)
        sheriff_seat = self.drawn_sheriff or self.rules["must_elect"]
        if sheriff_seat in state.out and not self.sheriff:
            return "", "void"
        if self.rules["sheriff_dies"] == GAME_ENDS and self.sheriff in state.out:
            return "", "sheriff_died"
        if self.rules["needs_people"] and people and not people & set(self.living):
            return "", "no_person_left"
        if cause == "vote" and day >= self.rules["max_rounds"]:
            return "", "too_long"
        if not wolves:
            return "village", "wolves_gone"
        if 2 * wolves >= len(self.living):
            return "werewolf", "wolves_equal"
        return "", ""

    # -- the badge

    def _eligible_leaders(self, seats: Sequence[int]) -> list[int]:
        """Return those of `seats` who may be the Sheriff, or all of them if no one may."""
        barred = () if self.rules["people_lead"] else self.context.state.people
        return [s for s in seats if s not in barred] or list(seats)

    def _draw_sheriff(self) -> int:
        """Draw the Sheriff of a game without an election.

        The result stays secret until the first day.
        """
        role, seats = self.rules["first_sheriff"], self.context.seats
        among: Sequence[int] = self.context.state.holders(role)
        if self.rules["sheriff_seat"]:
            among = [self.rules["sheriff_seat"]]
        elif role == PERSON:
            among = self.context.state.people
        return self.context.draw("sheriff", list(among) or self._eligible_leaders(seats), RECORD)

    def _give_first_badge(self) -> Step[bool]:
        """Give the badge to the first Sheriff. Return whether the game continues."""
        context, must_elect = self.context, self.rules["must_elect"]
        context.open_phase("election", day=1)
        context.give_badge(BADGE, self.drawn_sheriff or (yield from self._run_election(must_elect)))
        if must_elect and self.sheriff != must_elect:
            end_game(context, self.ruleset, "", "not_elected", self.roles)
            return False
        return True

    def _run_election(self, required_seat: int) -> Step[int]:
        """Run an election: candidates speak, everyone votes. Return the elected seat.

        In a tie the candidate who was drawn first wins. The required seat is always a candidate
        (0: none is required).
        """
        context = self.context
        lots = context.draw_order("candidates", self._eligible_leaders(self.living), RECORD)
        candidates = lots[: self.rules["candidates"]]
        if required_seat in self.living and required_seat not in candidates:
            candidates[-1] = required_seat
            # Logs of older games have no such draw: there the seat is last and loses every tie.
            if not context.is_next_logged("candidates"):
                candidates = context.draw_order("standing", candidates, RECORD)
        context.emit("candidates", PUBLIC, seats=candidates)
        for seat in candidates:
            legal = speech(self.ruleset.max_words)
            yield from run_statement(context, seat, legal, kind="candidacy")
        ballot = open_ballot(
            context, self.living, candidates, kind="election", may_abstain=True, allow_self=True
        )
        tied = seats_with_most_votes((yield from context.close_window(ballot)))
        return min(tied or candidates, key=candidates.index)

    def _hand_on_badge(self, old_holder: int) -> Step[None]:
        """Let the Sheriff who died name the next one."""
        context = self.context
        legal = picking(self._eligible_leaders(self.living))
        window = context.open_window(
            "heir",
            [old_holder],
            legal,
            turn=str(old_holder),
            answer_audience=PUBLIC,
            window_audience=PUBLIC,
            default="first",
        )
        heir = (yield from context.close_window(window))[old_holder].target
        assert heir is not None
        context.give_badge(BADGE, heir)

    # -- the day

    def _talk(self, day: int) -> Step[Window]:
        """Run the day's talk from the side that the Sheriff chooses. The Sheriff speaks last.

        Return the pseudo-vote, still open. The caller closes it after the vote opens, so that slow
        answers delay nobody.
        """
        context, sheriff = self.context, self.sheriff
        context.open_phase("talk", day=day)
        window = context.open_window(
            "first_side", [sheriff], picking(SIDES),
            answer_audience=PUBLIC, window_audience=PUBLIC, default="first",
        )  # fmt: skip
        side = (yield from context.close_window(window))[sheriff].action.targets[0]
        speaking_order = _order_after_sheriff(context.state, sheriff, str(side))
        legal = speech(self.ruleset.max_words)
        for seat in speaking_order:
            yield from run_statement(context, seat, legal)
        # A vote on record only, in which everyone but the Sheriff takes part.
        pseudo_vote = open_poll(
            context,
            "pseudo_vote",
            sorted(speaking_order),
            picking(self.living, allow_self=True, may_abstain=True),
            raters=self._raters_before("pseudo_vote"),
        )
        yield from context.wait_for(pseudo_vote)
        raters = self._raters_before("summing_up")
        yield from run_statement(context, sheriff, legal, kind="summing_up", raters=raters)
        return pseudo_vote

    def _raters_before(self, kind: str) -> Sequence[int] | None:
        """Return the seats that rate the others before a window of the day opens.

        None is the default of `ScriptContext.open_window`. "Others" are the living seats without
        the Sheriff.

        | window        | `poll_people` | all actions rated | only `rate_leader` | neither |
        |---------------|---------------|-------------------|--------------------|---------|
        | `pseudo_vote` | no            | None              | None               | None    |
        | `pseudo_vote` | yes           | None              | others             | None    |
        | `summing_up`  | no            | all living seats  | others             | None    |
        | `summing_up`  | yes           | None              | None               | None    |
        | `vote`        | any           | None              | others             | None    |

        With `poll_people` the pseudo-vote has the ratings that otherwise precede the Sheriff's
        speech: a pause for ratings after it would reveal that people are at the table.
        """
        is_rated_with_poll = self.rules[POLL_PEOPLE]
        if self.context.must_rate_first:
            return self.living if kind == "summing_up" and not is_rated_with_poll else None
        before_speech = "pseudo_vote" if is_rated_with_poll else "summing_up"
        if self.rules[RATE_LEADER] and kind in (before_speech, "vote"):
            return [s for s in self.living if s != self.sheriff]
        return None

    def _vote(self, day: int, pseudo_vote: Window) -> Step[int]:
        """Run the vote. Return the seat that is voted out, 0 for no one."""
        context = self.context
        context.open_phase("vote", day=day)
        raters = self._raters_before("vote")
        ballot = open_ballot(
            context, self.living, self.living, may_abstain=True, allow_self=True, raters=raters
        )
        yield from context.close_window(pseudo_vote)
        votes = yield from context.close_window(ballot)
        tied = seats_with_most_votes(votes)
        if len(tied) == 1:
            return tied[0]
        favorite = votes[self.sheriff].target if self.sheriff in votes else None
        if self.rules["sheriff_breaks_ties"] and favorite is not None and favorite in tied:
            context.emit("tie_broken", PUBLIC, among=tied, seat=self.sheriff, targets=[favorite])
            return favorite
        context.emit("undecided", PUBLIC, among=tied)
        return 0


def _order_after_sheriff(state: State, sheriff: int, side: str) -> list[int]:
    """Return the other living seats in order, from the side that the Sheriff chose.

    "left" begins at the next lower seat.
    """
    clockwise = state.others_around(sheriff)
    return list(clockwise if side == "right" else clockwise[::-1])
