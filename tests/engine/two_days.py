"""A ruleset for tests alone: two days, a private channel, a secret choice, a re-vote, a death."""

from __future__ import annotations

from game.engine.events import PUBLIC, to
from game.engine.roles import Line, Role, Ruleset, Team
from game.engine.rules import Script, Step, Table
from game.engine.steps import finish, leaders, open_ballot, talk_in_passes
from game.engine.windows import speech


class TwoDays(Ruleset):
    """Five seats, two werewolves who whisper; each day talk and a vote, then a kill at night."""

    name = "two-days"
    version = 1
    title = "Two days"
    summary = "For tests."
    seat_names = ("Ann", "Ben", "Cid", "Dot", "Eve")
    deck = ("villager", "villager", "villager", "werewolf", "werewolf")
    teams = (Team("village", "the village", "", ""), Team("werewolf", "the werewolves", "", ""))
    roles = (
        Role("villager", "Villager", "village", ""),
        Role("werewolf", "Werewolf", "werewolf", ""),
    )
    settings = ()
    days = 2

    @property
    def steps(self) -> list[tuple[str, Line]]:
        return []

    def script(self, table: Table) -> Script:
        table.deal(self.deck)
        roles = dict(table.state.roles)
        wolves = table.state.holders("werewolf")
        table.tell("acquainted", to(*wolves), role="werewolf", seats=list(wolves))
        for day in range(1, self.days + 1):
            table.phase("talk", day=day)
            order = table.order(f"order/{day}", table.state.living(), PUBLIC)
            legal = speech(30, may_skip=True, may_over=True)
            yield from talk_in_passes(
                table, "statement", order, legal, among=PUBLIC, talks_each=2, talks_all=6
            )
            yield from self._vote(table, day)
            yield from self._night(table, day, roles)
        alive = [roles[s] for s in table.state.living()]
        winner = "werewolf" if "werewolf" in alive else "village"
        finish(table, self, winner, "two_days", roles)

    def _vote(self, table: Table, day: int) -> Step[None]:
        table.phase("vote", day=day)
        living = table.state.living()
        votes = yield from table.close(open_ballot(table, living, living))
        if len(first := leaders(votes)) > 1:
            again = open_ballot(table, living, first, turn="again", self_ok=True)
            first = leaders((yield from table.close(again)))
        out = first[0] if len(first) == 1 else table.draw(f"tie/{day}", first, PUBLIC)
        table.tell("out", PUBLIC, seat=out, cause="vote")

    def _night(self, table: Table, day: int, roles: dict[int, str]) -> Step[None]:
        table.phase("night", day=day)
        wolves = [s for s in table.state.living() if roles[s] == "werewolf"]
        prey = [s for s in table.state.living() if roles[s] != "werewolf"]
        if not wolves or not prey:
            return
        if len(wolves) > 1:
            yield from talk_in_passes(
                table,
                "whisper",
                wolves,
                speech(30, may_over=True),
                among=to(*wolves),
                talks_each=2,
                talks_all=4,
            )
        attack = open_ballot(table, wolves, prey, kind="attack", among=to(*wolves))
        votes = yield from table.close(attack)
        table.tell("out", PUBLIC, seat=leaders(votes)[0], cause="attack")
