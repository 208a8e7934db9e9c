"""A ruleset for tests alone: days of talk and a vote that puts nobody out, thousands of lines."""

from __future__ import annotations

from game.engine.events import PUBLIC, to
from game.engine.forms import speech
from game.engine.steps import finish, open_ballot, talk_in_passes
from game.engine.table import Script, Table
from tests.two_days.script import TwoDays


class LongTalk(TwoDays):
    """Five seats of the two-day game; 129 events and 47 public lines a day."""

    name = "long-talk"
    title = "A long talk"
    settings = ()
    days = 200

    def course(self, day: int) -> list[tuple[str, int]]:
        return [("talk", 0), ("vote", 0)]

    def script(self, table: Table) -> Script:
        table.deal(self.deck)
        roles = dict(table.state.roles)
        wolves = table.state.holders("werewolf")
        table.tell("acquainted", to(*wolves), role="werewolf", seats=list(wolves))
        for day in range(1, self.days + 1):
            table.phase("talk", day=day)
            legal = speech(self.max_words, may_skip=True)
            yield from talk_in_passes(
                table, "statement", table.seats, legal, among=PUBLIC, talks_each=8, talks_all=40
            )
            table.phase("vote", day=day)
            yield from table.close(open_ballot(table, table.seats, table.seats))
        finish(table, self, "werewolf", "two_days", roles)


RULESET = LongTalk()
