"""The end of a game: who is out, who won and why, what everyone was and knew, the votes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from django.utils.translation import gettext as _

from game import selectors
from game.engine import rulesets, visibility
from game.engine.events import Event
from game.engine.ruleset import role_of
from game.engine.visibility import View
from webapp.play.page.end_parts import End, EndRow
from webapp.play.page.game_course import course_of, days_of
from webapp.play.page.narrator import Narrator
from webapp.play.page.sentences import vote_label
from webapp.play.page.transcript_parts import Seat
from webapp.play.page.vote_chart import vote_chart
from webapp.play.page.vote_result import headline_for, said_of, telling_of


def end_of(log: selectors.Log, view: View, seats: Mapping[int, Seat]) -> End:
    """The end as everyone at the table may see it.

    The view's game must be over.
    """
    ruleset = rulesets.get(view.state.ruleset)
    _position, over = next(view.newest(["game_over"]))
    course = days_of(course_of(log.view(visibility.AFTERMATH)), seats)
    ballots = [] if course else _last_votes(view)
    votes = {e["seat"]: e["targets"][0] for e in ballots if e.data.get("targets")}
    labels = {e["seat"]: vote_label(e.labels, e["seat"] in votes) for e in ballots}
    rows = []
    for number, seat in seats.items():
        role = role_of(ruleset, view.state.roles[number])
        team = next(t for t in ruleset.teams if t.key == role.team)
        rows.append(
            EndRow(
                seat=seat,
                role=_(role.name),
                role_key=role.key,
                team=_(team.name),
                won=number in over["winners"],
                knew=_knew(log, number),
                voted_for=seats.get(votes.get(number, 0)),
                voters=[seats[v] for v, target in votes.items() if target == number],
                vote_label=labels.get(number, ""),
            )
        )
    result = ""
    if view.seat and over["winner"]:
        result = "won" if view.seat in over["winners"] else "lost"
    return End(
        ruleset=view.state.ruleset,
        headline=headline_for(view, over),
        why=Narrator.of(view).why(over["reason"]),
        result=result,
        said=said_of(result),
        telling=telling_of(view, seats),
        winner_key=over["winner"],
        rows=rows,
        chart="" if course else vote_chart(list(seats.values()), votes),
        can_repeat=True,
        can_erase=view.seat > 0,
        course=course,
    )


def _knew(log: selectors.Log, seat: int) -> list[str]:
    """Return what the seat knew, told to the others."""
    mine = log.view(visibility.seat(seat))
    return Narrator.of(mine).knowledge(mine, of_another=True)


def _last_votes(view: View) -> list[Event]:
    """The ballots of the last vote."""
    ballots = rulesets.get(view.state.ruleset).wording.ballots
    votes = (event for _position, event in view.newest(ballots))
    if (last := next(votes, None)) is None:
        return []
    rest = takewhile(lambda vote: vote["window"] == last["window"], votes)
    return [last, *rest][::-1]
