"""Two days: an election, a badge, a side, ratings, a look, whispers, a kill chosen in sequence."""

from __future__ import annotations

from game.engine.events import PUBLIC, to
from game.engine.forms import picking, rating, speech
from game.engine.roles import Line, Look, Role, Setting, Team
from game.engine.ruleset import Ruleset
from game.engine.steps import (
    finish,
    leaders,
    open_ballot,
    statement,
    talk_in_passes,
    until_morning,
)
from game.engine.table import Script, Step, Table
from game.engine.windows import Window
from game.engine.wording import gettext_noop
from tests.two_days.wording import WORDING

_ = gettext_noop
MAYOR = "mayor"  # the badge


class TwoDays(Ruleset):
    """Five seats, two werewolves who whisper; each day talk and a vote, then a look and a kill."""

    name = "two-days"
    version = 1
    title = _("Two days")
    summary = _("Five players, two days, a mayor. For tests.")
    seat_names = ("Ann", "Ben", "Cid", "Dot", "Eve")
    deck = ("augur", "villager", "villager", "werewolf", "werewolf")
    teams = (
        Team(
            "village",
            _("the village"),
            _("No Werewolf is left after two days."),
            _("Find the Werewolves."),
        ),
        Team(
            "werewolf",
            _("the werewolf team"),
            _("A Werewolf is left after two days."),
            _("Outlive the two days."),
        ),
    )
    usual = "villager"
    roles = (
        Role(
            "augur",
            _("Augur"),
            "village",
            _("Looks at one player each night and learns whether they are a Werewolf."),
            look=Look("omen", 1, (("werewolf", ("werewolf",)), ("clear", ()))),
        ),
        Role("villager", _("Villager"), "village", _("Knows nothing but their own role.")),
        Role(
            "werewolf",
            _("Werewolf"),
            "werewolf",
            _("Knows the other Werewolf."),
            knows="role",
            hunted=True,
        ),
    )
    settings = (
        Setting("election", _("Elect a mayor"), _("Else the mayor is drawn by lot."), True),
        Setting(
            "candidates",
            _("Candidates"),
            _("How many are drawn by lot to stand for mayor."),
            2,
            least=1,
            most=5,
            needs=("election", True),
        ),
        Setting(
            "speaks",
            _("The mayor speaks"),
            _("When it is the mayor’s turn."),
            "last",
            choices=(("first", _("first")), ("last", _("last"))),
        ),
    )
    wording = WORDING
    days = 2
    max_words = 30

    @property
    def steps(self) -> list[tuple[str, Line]]:
        return [
            (_("Day"), Line(_("{days} days of talk and a vote."), {"days": self.days})),
            (
                _("Night"),
                Line(
                    _(
                        "The Augur looks at a player. The Werewolves kill where both choose the"
                        " same one."
                    )
                ),
            ),
        ]

    def course(self, day: int) -> list[tuple[str, int]]:
        first = ["election"] if day == 1 else []
        return [(phase, 0) for phase in (*first, "talk", "vote", "night")]

    def script(self, table: Table) -> Script:
        table.deal(self.deck)
        roles = dict(table.state.roles)
        wolves = table.state.holders("werewolf")
        table.tell("acquainted", to(*wolves), role="werewolf", seats=list(wolves))
        for day in range(1, self.days + 1):
            if day == 1:
                yield from self._elect(table)
            yield from self._talk(table, day)
            yield from self._vote(table, day)
            yield from self._night(table, day, roles)
        alive = [roles[s] for s in table.state.living()]
        winner = "werewolf" if "werewolf" in alive else "village"
        finish(table, self, winner, "two_days", roles)

    def _elect(self, table: Table) -> Step[None]:
        """Candidates speak, everyone votes or abstains; a tie goes to whoever was drawn first."""
        settings = table.state.settings
        table.phase("election", day=1)
        drawn = table.order("candidates", table.seats, PUBLIC)
        if not settings.get("election", True):
            table.badge(MAYOR, drawn[0])
            return
        candidates = drawn[: settings.get("candidates", 2)]
        for seat in candidates:
            yield from statement(table, seat, speech(self.max_words), kind="candidacy")
        ballot = open_ballot(
            table, table.seats, candidates, kind="election", may_abstain=True, self_ok=True
        )
        most = leaders((yield from table.close(ballot)))
        table.badge(MAYOR, min(most or candidates, key=candidates.index))

    def _talk(self, table: Table, day: int) -> Step[None]:
        table.phase("talk", day=day)
        mayor, living = table.state.badges[MAYOR], table.state.living()
        others = [s for s in living if s != mayor]
        judged = table.open(
            "appraisal", [mayor], rating(others, self.deck), hears=to(mayor), knows=to(mayor),
            default="nothing",
        )  # fmt: skip
        yield from table.close(judged)
        side = table.open(
            "first_side", [mayor], picking(["left", "right"]), hears=PUBLIC, knows=PUBLIC
        )
        chosen = (yield from table.close(side))[mayor].action.targets[0]
        seats = [s for s in (*table.seats[mayor:], *table.seats[: mayor - 1]) if s in others]
        around = seats if chosen == "left" else seats[::-1]
        last = table.state.settings.get("speaks", "last") == "last"
        order = [*around, mayor] if last else [mayor, *around]
        legal = speech(self.max_words, may_skip=True, may_over=True, to=living)
        yield from talk_in_passes(
            table, "statement", order, legal, among=PUBLIC, talks_each=2, talks_all=6
        )

    def _vote(self, table: Table, day: int) -> Step[None]:
        table.phase("vote", day=day)
        living = table.state.living()
        votes = yield from table.close(open_ballot(table, living, living))
        if len(first := leaders(votes)) > 1:
            again = open_ballot(table, living, first, turn="again", self_ok=True)
            first = leaders((yield from table.close(again)))
        out = first[0] if len(first) == 1 else table.draw(f"tie/{day}", first, PUBLIC)
        table.tell("out", PUBLIC, seat=out, cause="vote")
        yield from self._hand_on(table, out)

    def _hand_on(self, table: Table, gone: int) -> Step[None]:
        """Whoever leaves with the badge gives it to one who stays."""
        if table.state.badges.get(MAYOR) != gone:
            return
        legal = picking(table.state.living())
        window = table.open("heir", [gone], legal, turn=str(gone), hears=PUBLIC, knows=PUBLIC)
        heir = (yield from table.close(window))[gone].target
        assert heir is not None
        table.badge(MAYOR, heir)

    def _night(self, table: Table, day: int, roles: dict[int, str]) -> Step[None]:
        table.phase("night", day=day)
        wolves = [s for s in table.state.living() if roles[s] == "werewolf"]
        prey = [s for s in table.state.living() if roles[s] != "werewolf"]
        killed = 0
        augury = self._open_augury(table, [s for s in prey if roles[s] == "augur"])
        if wolves and prey:
            killed = yield from self._hunt(table, wolves, prey)
        if augury:
            (augur,) = augury.seats
            seen = (yield from table.close(augury))[augur].target
            found = seen in table.state.holders("werewolf")
            table.tell("omen", to(augur), seat=augur, targets=[seen], found=found)
        yield from until_morning(table)
        if not killed:
            table.tell("quiet_night", PUBLIC)
            return
        table.tell("out", PUBLIC, seat=killed, cause="attack")
        yield from self._hand_on(table, killed)

    def _open_augury(self, table: Table, augurs: list[int]) -> Window | None:
        """Whom the augur looks at, where it lives: asked while the werewolves choose."""
        if not augurs:
            return None
        (augur,) = augurs
        legal = picking([s for s in table.state.living() if s != augur])
        return table.open("augury", [augur], legal, hears=to(augur), knows=to(augur), clock="night")

    def _hunt(self, table: Table, wolves: list[int], prey: list[int]) -> Step[int]:
        """Whom the werewolves kill: they choose one after the other, 0 where they disagree."""
        among = to(*wolves)
        if len(wolves) > 1:
            yield from talk_in_passes(
                table, "whisper", wolves, speech(self.max_words, may_over=True), among=among,
                talks_each=2, talks_all=4, clock="night", share=0.5,
            )  # fmt: skip
        chosen = set()
        for number, wolf in enumerate(wolves, 1):
            window = table.open(
                "attack", [wolf], picking(prey), turn=str(number), hears=among, knows=among,
                clock="night", share=0.5 + number / (2 * len(wolves) + 1),
            )  # fmt: skip
            chosen.add((yield from table.close(window))[wolf].target)
        return chosen.pop() or 0 if len(chosen) == 1 else 0
