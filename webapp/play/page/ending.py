"""The end of a game: the winner, the reason, the last vote, everyone's role and knowledge.

The event `game_over` has the reason as a key. The ruleset's wording may have a headline for it.
Otherwise DEFAULT_HEADLINES has one.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.cached_games import CachedGame
from game.engine import rulesets, visibility
from game.engine.events import Event
from game.engine.ruleset import role_of, team_named
from game.engine.visibility import View
from game.engine.wording import sentence_for
from webapp.play.daily_deal import share_text
from webapp.play.page.game_course import CourseDay, course_of, days_of
from webapp.play.page.narrator import Narrator, join_names, role_name, tally_sentence, vote_label
from webapp.play.page.transcript_parts import Seat

# (whether the viewer went out in the last vote, whether the viewer won) -> headline.
DEFAULT_HEADLINES = {
    (True, True): gettext_lazy("You are out, but you won: {wins}"),
    (True, False): gettext_lazy("You were voted out: {wins}"),
    (False, True): gettext_lazy("{out} is out: {wins}"),
    (False, False): gettext_lazy("{out} is out: {wins}"),
}

# Sizes of the chart of a vote, in units of its SVG (templates/play/vote_chart.html).
ROW_HEIGHT = 34
FIRST_ROW_Y = 20
TARGET_X = 250


@dataclass(frozen=True)
class ChartRow:
    """A player in the chart of a vote: on the left as a voter, on the right as a target."""

    name: str
    y: int
    votes: int  # number of votes for this player
    is_most: bool  # no other player has more votes

    @property
    def radius(self) -> int:
        return 3 + 2 * self.votes

    @property
    def line_end_x(self) -> int:
        """X coordinate where the voters' lines end, just left of the target's dot."""
        return TARGET_X - 5 - self.radius

    @property
    def label_x(self) -> int:
        return TARGET_X + 14 + self.votes


@dataclass(frozen=True)
class VoteChart:
    """The chart of a vote: a line from each voter to the target."""

    height: int
    rows: list[ChartRow]
    votes: list[tuple[ChartRow, ChartRow]]  # (voter, target)


@dataclass(frozen=True)
class EndRow:
    """One seat at the end: its role, what it knew, its last vote, and the votes for it."""

    seat: Seat
    role: str
    role_key: str
    team: str
    has_won: bool
    knew: list[str]  # sentences with what the player knew
    voted_for: Seat | None
    voters: list[Seat]  # who voted for this seat
    vote_label: str  # such as "time ran out: drawn at random"; "" at a blind table


@dataclass(frozen=True)
class End:
    """The end of a game (`#end`)."""

    ruleset: str
    headline: str
    ending_reason: str
    result: str  # "won" | "lost" | "" for a watcher
    announcement: str  # "You won.", for screen readers; "" for a watcher
    vote_reveal: "VoteReveal | None"
    winner_key: str  # key of the team that won, "" for none
    rows: list[EndRow]
    chart: VoteChart | None  # who voted for whom; None where `course` shows it
    can_erase: bool  # the viewer sat here, and may withdraw all statements
    share: str  # the daily deal's result in a line, without seats and roles
    deal_news: list[str]  # sentences about today's deal
    course: list[CourseDay]  # the days of a game with several votes


@dataclass(frozen=True)
class VotesForSeat:
    seat: Seat | None  # None: they abstained
    voters: list[tuple[int, Seat]]  # (position in the order of voting, voter)


@dataclass(frozen=True)
class VoteReveal:
    """The last vote, shown step by step after the end of a game (`ending.js`)."""

    ballots: list[VotesForSeat]  # each seat with the voters for it, in seat order
    tally: str  # "Delta has 5 votes, Beta 3."
    tie: str  # how a tie was decided, in a sentence, "" if there was none
    out: str  # who is out, in a sentence
    role: str  # which role the player had, in a sentence, "" if it stays secret
    seats_out: list[int]


def build_end(
    position: CachedGame, view: View, seats: Mapping[int, Seat], seed: str, deal_news: list[str]
) -> End:
    """Build the end of a game, which must be over, for the viewer of `view`."""
    _position, over = next(view.newest_events(["game_over"]))
    full_view = position.view(visibility.AFTERMATH)
    course, vote_events = days_of(course_of(full_view), seats), deciding_vote_events(full_view)
    ballots = [] if course else last_votes(view)
    votes = {e["seat"]: e["targets"][0] for e in ballots if e.data.get("targets")}
    rows = _end_rows(position, view, seats, ballots, votes, over["winners"])
    result = ""
    if view.seat and over["winner"]:
        result = "won" if view.seat in over["winners"] else "lost"
    return End(
        ruleset=view.state.ruleset,
        headline=headline_for(view, over, vote_events),
        ending_reason=Narrator.of(view).ending_reason(over["reason"]),
        result=result,
        announcement={"won": _("You won."), "lost": _("You lost.")}.get(result, ""),
        vote_reveal=build_vote_reveal(view, seats, vote_events),
        winner_key=over["winner"],
        rows=rows,
        chart=None if course else _build_vote_chart(list(seats.values()), votes),
        can_erase=view.seat > 0,
        share=_share_text(seed, result, view.seat, rows),
        deal_news=deal_news,
        course=course,
    )


def _end_rows(
    position: CachedGame,
    view: View,
    seats: Mapping[int, Seat],
    ballots: Sequence[Event],
    targets_by_voter: Mapping[int, int],
    winners: Collection[int],
) -> list[EndRow]:
    ruleset = rulesets.get(view.state.ruleset)
    labels = {e["seat"]: vote_label(e.labels, e["seat"] in targets_by_voter) for e in ballots}
    rows = []
    for number, seat in seats.items():
        role = role_of(ruleset, view.state.roles[number])
        own_view = position.view(visibility.seat(number))
        rows.append(
            EndRow(
                seat=seat,
                role=_(role.name),
                role_key=role.key,
                team=_(team_named(ruleset, role.team).name),
                has_won=number in winners,
                knew=Narrator.of(own_view).private_facts(own_view, is_of_another=True),
                voted_for=seats.get(targets_by_voter.get(number, 0)),
                voters=[seats[v] for v, target in targets_by_voter.items() if target == number],
                vote_label=labels.get(number, ""),
            )
        )
    return rows


def _share_text(seed: str, result: str, seat: int, rows: Sequence[EndRow]) -> str:
    own_row = next((row for row in rows if row.seat.number == seat), None)
    if own_row is None:
        return ""
    is_anyone_out = any(row.seat.is_out for row in rows)
    voted_with_table = own_row.voted_for.is_out if own_row.voted_for and is_anyone_out else None
    return share_text(seed, result, len(own_row.voters), voted_with_table=voted_with_table)


def last_votes(view: View) -> list[Event]:
    """List the events of the votes in the game's last ballot, in order."""
    ballots = rulesets.get(view.state.ruleset).wording.ballots
    newest = (event for _position, event in view.newest_events(ballots))
    if (last := next(newest, None)) is None:
        return []
    earlier = takewhile(lambda vote: vote["window"] == last["window"], newest)
    return [last, *earlier][::-1]


def headline_for(view: View, over: Event, vote_events: Sequence[Event]) -> str:
    """Return who won, and what the last vote did to the viewer. A watcher reads only who won."""
    narrator = Narrator.of(view)
    wins, ending = narrator.winner_clause(over["winner"]), narrator.wording.ending(over["reason"])
    out = [e["seat"] for e in vote_events if e.kind == "out"]
    if not vote_events or not view.seat:
        return narrator.headline(over["winner"])
    if not out:
        return _("No one is out: {wins}").format(wins=wins)
    won, is_out = view.seat in over["winners"], view.seat in out
    has_ending_role = bool(ending.role) and view.role == ending.role
    facts = {"holder": has_ending_role, "out": is_out and not has_ending_role, "won": won}
    headline = sentence_for(ending.headline, facts)
    text = _(headline) if headline else str(DEFAULT_HEADLINES[is_out, won])
    return text.format(out=join_names([view.name(s) for s in out]), wins=wins)


def build_vote_reveal(
    view: View, seats: Mapping[int, Seat], vote_events: Sequence[Event]
) -> VoteReveal | None:
    """Build the steps of the last vote, None if the game did not end with one."""
    if not vote_events:
        return None
    ballots = rulesets.get(view.state.ruleset).wording.ballots
    targets = {
        e["seat"]: (e.data.get("targets") or [0])[0] for e in vote_events if e.kind in ballots
    }
    order = {voter: rank for rank, voter in enumerate(targets)}
    rows = [
        VotesForSeat(seat, [(order[v], seats[v]) for v, t in targets.items() if t == number])
        for number, seat in seats.items()
    ]
    out = [e for e in vote_events if e.kind == "out"]
    return VoteReveal(
        ballots=rows,
        tally=tally_sentence({b.seat.name: len(b.voters) for b in rows if b.seat}),
        tie=next((_tie_sentence(view, e) for e in vote_events if e.kind == "drawn"), ""),
        out=_out_sentence(view, out),
        role=" ".join(filter(None, (_role_reveal(view, e) for e in out))),
        seats_out=[e["seat"] for e in out],
    )


def deciding_vote_events(view: View) -> list[Event]:
    """List the votes of the last ballot in the phase that ended the game, and their results.

    Return [] if the game ended in a phase without a ballot.
    """
    ballots = rulesets.get(view.state.ruleset).wording.ballots
    vote_events: list[Event] = []
    for event in view.events[view.phase_position(len(view.events)) :]:
        if event.kind in ballots:
            # Only the phase's last ballot counts.
            is_same = bool(vote_events) and vote_events[-1].data.get("window") == event["window"]
            vote_events = [*vote_events, event] if is_same else [event]
        elif vote_events and event.kind in ("drawn", "out"):
            vote_events.append(event)
    return vote_events


def _tie_sentence(view: View, event: Event) -> str:
    text = _("There is a tie between {tied}. {drawn} is chosen at random.")
    tied = join_names([view.name(s) for s in event["among"]])
    return text.format(tied=tied, drawn=view.name(event["result"]))


def _out_sentence(view: View, out: list[Event]) -> str:
    if not out:
        return _("No one is out.")
    text = ngettext("{name} is out.", "{name} are out.", len(out))
    return text.format(name=join_names([view.name(e["seat"]) for e in out]))


def _role_reveal(view: View, event: Event) -> str:
    key = event.data.get("role") or view.state.roles.get(event["seat"], "")
    return role_sentence(view.state.ruleset, view.name(event["seat"]), key) if key else ""


def role_sentence(ruleset: str, name: str, key: str) -> str:
    """Return the sentence that a player had a role ("Delta was the Seer.")."""
    is_shared = rulesets.get(ruleset).deck.count(key) > 1
    text = _("{name} was a {role}.") if is_shared else _("{name} was the {role}.")
    return text.format(name=name, role=role_name(ruleset, key))


def _build_vote_chart(seats: Sequence[Seat], votes: Mapping[int, int]) -> VoteChart:
    """Build the chart of `votes` (voter's seat -> target's seat). Most votes are highlighted."""
    counts = Counter(votes.values())
    most = max(counts.values(), default=0)
    rows = {
        seat.number: ChartRow(
            seat.name,
            FIRST_ROW_Y + ROW_HEIGHT * i,
            counts[seat.number],
            is_most=0 < most == counts[seat.number],
        )
        for i, seat in enumerate(seats)
    }
    height = 2 * FIRST_ROW_Y + ROW_HEIGHT * (len(seats) - 1)
    pairs = [(rows[voter], rows[target]) for voter, target in votes.items()]
    return VoteChart(height, list(rows.values()), pairs)
