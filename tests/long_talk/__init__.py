"""A ruleset for tests: many days of talk and votes without effect, with thousands of lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from game.engine import rulesets
from game.engine.events import PUBLIC, only_seats
from game.engine.forms import speech
from game.engine.ruleset import TalkLimits
from game.engine.script_context import Script, ScriptContext
from game.engine.steps import end_game, open_ballot, run_talk_in_passes
from tests.two_days.script import TwoDays


class LongTalk(TwoDays):
    """Five seats of the two-day game, with 129 events and 47 public lines a day."""

    name = "long-talk"
    title = "A long talk"
    settings = ()
    quiz = ()
    days = 200

    def day_phases(self, day: int, settings: Mapping[str, Any]) -> list[tuple[str, int]]:
        return [("talk", 0), ("vote", 0)]

    def script(self, context: ScriptContext) -> Script:
        context.deal(self.deck)
        roles = dict(context.state.roles)
        wolves = context.state.holders("werewolf")
        context.emit("acquainted", only_seats(*wolves), role="werewolf", seats=list(wolves))
        for day in range(1, self.days + 1):
            context.open_phase("talk", day=day)
            legal = speech(self.max_words, may_skip=True)
            yield from run_talk_in_passes(
                context, "statement", context.seats, legal, among=PUBLIC, limits=TalkLimits(8, 8)
            )
            context.open_phase("vote", day=day)
            yield from context.close_window(open_ballot(context, context.seats, context.seats))
        end_game(context, self, "werewolf", "two_days", roles)


class LargeLongTalk(LongTalk):
    """The long talk with thirteen seats."""

    name = "long-talk-13"
    title = "A long talk of thirteen"
    seat_names = rulesets.get("aiwolf-13").seat_names
    deck = ("augur", *["villager"] * 10, "werewolf", "werewolf")


RULESET, LARGE = LongTalk(), LargeLongTalk()
