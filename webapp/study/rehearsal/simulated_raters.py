"""Simulated raters of one campaign, using the functions that the raters' pages call.

They arrive within an hour, need reading and answering time for each page, and compete for leases.
Their clock is simulated, so minutes pass immediately. Careless raters answer everything alike,
fast, and fail the checks. A rater who leaves presses "leave" or closes the page. After closing, the
lease lapses.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from django.utils import timezone

from game.models import Game
from webapp.study.games.deals import deal_of
from webapp.study.models import Analysis, Assignment, Campaign, Participant, Rater, Stimulus, Unit
from webapp.study.rater import assigning, quiz_answers, saving, stages
from webapp.study.rater.rating_form import Field, build_fields
from webapp.study.rating import campaigns, effort, known_answers, rater_exits
from webapp.study.rehearsal.opinions import Opinions, OpinionSubject, round_to_scale
from webapp.study.rehearsal.process import Assumptions
from webapp.study.sessions import enrolment, rated_games

COME_WITHIN = 60.0  # minutes
FITTING = 0.9  # share of known answers that an attentive rater gives
FULL, FINISHED, LEFT, NOTHING = "full", "finished", "left", "nothing_left"


@dataclass
class SimulatedRater:
    """A simulated rater.

    alike: the constant answer of a careless rater, 0 to 1 of the scale. leaves: the share of the
    pages after which they leave, None if they stay. closes: they leave by closing the page.
    """

    name: str
    draw: Random
    pace: float
    alike: float | None
    leaves: float | None
    closes: bool
    rater: Rater | None = None
    pages: int = 0
    minutes: float = 0.0


@dataclass
class CrowdTotals:
    """Totals of the raters in one run.

    minutes: of those who finished. in_all: of all raters. hours: until the last page was answered.
    """

    ends: Counter[str] = field(default_factory=Counter)
    excluded: int = 0
    careless_excluded: int = 0
    careless: int = 0
    drawn_to_leave: int = 0
    minutes: list[float] = field(default_factory=list)
    in_all: float = 0.0
    hours: float = 0.0
    answered: int = 0


class Survey:
    """An open campaign in the scratch database, which can be rated repeatedly."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        rows = campaign.units.exclude(kind=Unit.ATTENTION).select_related("game")
        self.page_minutes = self._page_minutes(list(rows.filter(withdrawn=False)))
        games = sorted({u.game_id: u.game for u in rows if u.game}.items())
        # Not by their codes: the same study on another machine, with the same seed, gives the same
        # figures.
        self._games = {pk: (deal_of(game), str(n)) for n, (pk, game) in enumerate(games)}
        self._about = {
            s.pk: self._build_about(s, s.unit.game)
            for s in Stimulus.objects.filter(unit__campaign=campaign).select_related("unit__game")
        }

    def _page_minutes(self, rated: list[Unit]) -> float:
        """Return the average minutes of a page according to the plan."""
        minutes = effort.minutes(self.campaign, rated) - effort.START_MINUTES
        return max(0.05, minutes / self._page_count)

    @property
    def _page_count(self) -> int:
        """The number of a rater's pages, without checks."""
        return self.campaign.units_per_rater + self.campaign.repeats

    def _build_about(self, stimulus: Stimulus, game: Game | None) -> OpinionSubject:
        unit = stimulus.unit
        seat = stimulus.place if unit.kind == Unit.RANKING else unit.seat or 0
        if game is None:
            return OpinionSubject("", "", "", "", str(unit.index))
        of = f"{unit.index}.{stimulus.place}"
        return OpinionSubject(stimulus.condition, *self._games[game.pk], str(seat), of)

    def rate(self, raters: int, assumed: Assumptions, opinions: Opinions) -> CrowdTotals:
        """Let that number of raters come and rate until all have left, and close the campaign."""
        self._empty(opinions.seed)
        people = [_person(n, assumed, opinions.seed) for n in range(raters)]
        arrival = CrowdTotals(
            careless=sum(p.alike is not None for p in people),
            drawn_to_leave=sum(p.leaves is not None for p in people),
        )
        due = [(p.draw.uniform(0, COME_WITHIN), n) for n, p in enumerate(people)]
        lapses: list[tuple[float, int]] = []
        heapq.heapify(due)
        while due:
            now, n = heapq.heappop(due)
            while lapses and lapses[0][0] <= now:
                self._lapse(heapq.heappop(lapses)[1])
            person = people[n]
            if took := self._step(person, opinions, arrival):
                heapq.heappush(due, (now + took, n))
                person.minutes += took
                arrival.hours = max(arrival.hours, (now + took) / 60)
            elif person.closes and person.rater:
                heapq.heappush(lapses, (now + self.campaign.lease_minutes, person.rater.pk))
        campaigns.close(self.campaign)
        self._count(people, arrival)
        return arrival

    def _empty(self, seed: str) -> None:
        self.campaign.study.participants.all().delete()
        Analysis.objects.filter(campaign=self.campaign).delete()
        # Assignments are drawn again each time; the units stay.
        self.campaign.seed, self.campaign.state = seed, Campaign.OPEN
        self.campaign.save(update_fields=["seed", "state"])

    def _step(self, person: SimulatedRater, opinions: Opinions, arrival: CrowdTotals) -> float:
        """Let the person do the next thing, and return its minutes, 0 if it was the last one."""
        if person.rater is None:
            return self._enrol(person, arrival)
        page = self._next_page(person.rater)
        if page is None:
            is_finished = stages.submit_all(person.rater)
            arrival.ends[FINISHED if is_finished else NOTHING] += 1
            if is_finished:
                arrival.minutes.append(person.minutes)
            return 0
        if person.leaves is not None and person.pages >= int(person.leaves * self._page_count):
            arrival.ends[LEFT] += 1
            if not person.closes:
                rater_exits.leave(person.rater, Rater.WITHDRAWN)
            return 0
        return self._answer(person, page, opinions)

    def _enrol(self, person: SimulatedRater, arrival: CrowdTotals) -> float:
        if rater_exits.all_rated(self.campaign):
            arrival.ends[FULL] += 1
            return 0
        study = self.campaign.study
        row = Participant.objects.create(
            study=study,
            pseudonym=enrolment.next_pseudonym(study),
            consented_at=timezone.now(),
            step=1,
        )
        person.rater = rated_games.get_or_create_rater(row, self.campaign)
        quiz_answers.mark_trained(person.rater)
        assigning.assign_pages(person.rater)
        return effort.START_MINUTES * person.pace

    def _next_page(self, rater: Rater) -> Assignment | None:
        for again in (False, True):
            if again:
                assigning.assign_pages(rater)  # it replaces pages that were reassigned meanwhile
            rows = Assignment.objects.filter(rater=rater, state=Assignment.OPEN).order_by("index")
            if page := rows.select_related("unit", "rater").first():
                page.unit.campaign = page.rater.campaign = self.campaign
                return page
        return None

    def _answer(self, person: SimulatedRater, page: Assignment, opinions: Opinions) -> float:
        person.pages += 1
        hasty = person.alike is not None
        seconds = person.draw.uniform(0.8, 2.5) if hasty else (
            60 * self.page_minutes * person.pace * person.draw.lognormvariate(0, 0.3)
        )  # fmt: skip
        rating_fields = build_fields(page)
        values = self._values(person, page, rating_fields, opinions)
        submitted = saving.SubmittedRating(values, None, page.revision, int(1000 * seconds))
        saving.store_rating(page, submitted, rating_fields)
        return seconds / 60

    def _values(
        self,
        person: SimulatedRater,
        page: Assignment,
        rating_fields: Mapping[str, Field],
        opinions: Opinions,
    ) -> dict[str, int]:
        wished = {
            name: self._wished(person, page, f, opinions) for name, f in rating_fields.items()
        }
        ranked = {f.dimension.key for f in rating_fields.values() if f.dimension.rank}
        rank_values = {
            name: round_to_scale(wished[name], f.dimension.min, f.dimension.max)
            for name, f in rating_fields.items()
            if f.dimension.key not in ranked
        }
        for key in ranked:
            names = [name for name, f in rating_fields.items() if f.dimension.key == key]
            names.sort(key=lambda name: wished[name])
            rank_values |= dict(zip(names, rating_fields[names[0]].dimension.values, strict=True))
        return rank_values

    def _wished(
        self, person: SimulatedRater, page: Assignment, f: Field, opinions: Opinions
    ) -> float:
        low, high = f.dimension.min, f.dimension.max
        if person.alike is not None:
            return low + person.alike * (high - low)
        if page.unit.kind == Unit.ATTENTION:
            return float(page.unit.expected or 0)
        about = self._about[f.stimulus]
        value = opinions.of(person.name, about, f.dimension.key, low, high, person.draw)
        stimulus_place = int(about.unit.rpartition(".")[2])
        known_range = known_answers.range_of(page.unit.known, stimulus_place, f.dimension.key)
        if known_range and person.draw.random() < FITTING:
            value = min(known_range[1], max(known_range[0], value))
        return value

    @staticmethod
    def _lapse(rater: int) -> None:
        """Let the lease of a closed page lapse."""
        past = timezone.now() - timedelta(minutes=1)
        open_ones = Assignment.objects.filter(rater=rater, state=Assignment.OPEN)
        open_ones.update(leased_until=past)

    def _count(self, people: list[SimulatedRater], arrival: CrowdTotals) -> None:
        out = set(self.campaign.raters.filter(excluded=True).values_list("pk", flat=True))
        arrival.excluded = len(out)
        mine = [p for p in people if p.rater and p.rater.pk in out]
        arrival.careless_excluded = sum(p.alike is not None for p in mine)
        arrival.in_all = sum(p.minutes for p in people)
        answers = Assignment.objects.filter(unit__campaign=self.campaign, is_repeat=False)
        answers = answers.filter(state=Assignment.ANSWERED, unit__use="", over_quota=False)
        answers = answers.exclude(unit__kind=Unit.ATTENTION).filter(rater__excluded=False)
        arrival.answered = answers.count()


def _person(number: int, assumed: Assumptions, seed: str) -> SimulatedRater:
    draw = Random(f"{seed}/person/{number}")
    leaves = draw.random() < assumed.dropout
    return SimulatedRater(
        name=f"{number + 1:03d}",
        draw=draw,
        pace=draw.lognormvariate(0, 0.25),
        alike=draw.random() if draw.random() < assumed.careless else None,
        leaves=draw.random() if leaves else None,
        closes=leaves and draw.random() < 0.5,
    )
