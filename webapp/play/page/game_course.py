"""A summary of the course of a game: its deciding events and its votes, day by day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.events import PUBLIC, Event, Moment
from game.engine.visibility import AFTERMATH, MODERATOR, View
from webapp.play.page.narrator import Narrator
from webapp.play.page.transcript_parts import Seat

# The shapes of events that decide nothing, and of votes, which the course shows as ballots.
_OMITTED_SHAPES = ("phase", "statement", "vote", "over")


@dataclass(frozen=True)
class CourseVotes:
    seat: Seat | None  # None: they abstained
    voters: list[Seat]


@dataclass(frozen=True)
class CourseRow:
    """An event that decided the game, or a ballot with its name and votes."""

    text: str
    votes: list[CourseVotes]
    is_secret: bool  # the table did not see it


@dataclass(frozen=True)
class CourseDay:
    """The events of one day and of the night before it."""

    title: str
    rows: list[CourseRow]


@dataclass(frozen=True)
class CourseStep:
    """An event that decided the game, or a ballot."""

    position: int  # position of its last event in the view, from 1
    day: int
    text: str  # a sentence; for a ballot its name in the day's bar
    votes: Mapping[int, Sequence[int]] | None = None  # target seat (0: abstention) -> voters
    fact_key: str = ""  # fact that lasts until another step sets it, such as "sheriff"; "" for none
    is_secret: bool = False  # the table did not see it


def course_of(view: View, names: Sequence[str] = ()) -> list[CourseStep]:
    """List the steps of the course that `view` may see, in order.

    `names` are those of the seats, by default the players' own.
    """
    narrator = Narrator(rulesets.get(view.state.ruleset), names or view.state.seats)
    kinds = {
        kind
        for kind, wording in narrator.wording.events.items()
        if wording.shape not in _OMITTED_SHAPES and (wording.brief or wording.is_chapter)
    }
    knows_all = view.viewer in (MODERATOR, AFTERMATH)
    ballots = narrator.wording.ballot_lines(can_see_secrets=knows_all)
    steps: list[CourseStep] = []
    moment, window = Moment(), ""
    ballot_number = 0  # number of the current ballot in its phase, from 1
    for position, event in enumerate(view.events, 1):
        if event.kind == "phase_opened":
            moment = Moment(day=event["day"], phase=event["phase"], round=event["round"])
            ballot_number = 0
        elif event.kind in ballots:
            votes = dict(steps.pop().votes or {}) if event["window"] == window else {}
            ballot_number += event["window"] != window
            window = event["window"]
            steps.append(_ballot_step(position, moment, narrator, event, votes, ballot_number))
        elif event.kind in kinds and (text := brief_text(narrator, event)):
            is_secret = event.audience != PUBLIC
            steps.append(CourseStep(position, moment.day, text, None, _fact_key(event), is_secret))
    return steps


def brief_text(narrator: Narrator, event: Event) -> str:
    wording = narrator.wording_of(event)
    return narrator.say(wording.brief or wording.table, event)


def lasting_facts(course: Sequence[CourseStep], position: int) -> list[str]:
    """List the facts that hold at a position, as sentences: who is out, who has a badge."""
    texts_by_fact: dict[str, str] = {}
    for step in course:
        if step.fact_key and step.position < position:
            texts_by_fact.pop(step.fact_key, "")  # the newest fact comes last
            texts_by_fact[step.fact_key] = step.text
    return list(texts_by_fact.values())


def _fact_key(event: Event) -> str:
    if event.kind == "badge_given":
        return str(event["badge"])
    return f"out {event['seat']}" if event.kind == "out" else ""


def _ballot_step(
    position: int,
    moment: Moment,
    narrator: Narrator,
    event: Event,
    votes: dict[int, Sequence[int]],
    ballot_number: int,
) -> CourseStep:
    """Build the step of a ballot from its votes so far and one more vote, `event`."""
    target = (event.data.get("targets") or [0])[0]
    votes[target] = [*votes.get(target, ()), event["seat"]]
    order = sorted(votes, key=lambda seat: (seat == 0, -len(votes[seat]), seat))
    text = narrator.step_name(moment.phase, moment) or narrator.phase_title(moment)
    text = _("{vote}, once more").format(vote=text) if ballot_number > 1 else text
    return CourseStep(position, moment.day, text, {seat: votes[seat] for seat in order})


def days_of(course: Sequence[CourseStep], seats: Mapping[int, Seat]) -> list[CourseDay]:
    """Group the course by day for a page.

    Return [] for a game with a single vote, which the page shows as `VoteReveal` instead.
    """
    if len(course) < 2:
        return []
    days: dict[int, list[CourseRow]] = {}
    for step in course:
        votes = [
            CourseVotes(seats.get(target), [seats[voter] for voter in voters])
            for target, voters in (step.votes or {}).items()
        ]
        days.setdefault(step.day, []).append(CourseRow(step.text, votes, step.is_secret))
    title = _("Day {number}")
    return [CourseDay(title.format(number=day), rows) for day, rows in days.items()]
