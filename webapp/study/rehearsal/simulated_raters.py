"""Simulated raters of one campaign, who use the functions that the raters' pages call.

They arrive within an hour, need time to read and answer each page, and compete for leases. Their
clock is simulated, so that no real time passes. Careless raters give the same answer to all
questions, fast, and fail the checks. A rater who leaves presses "leave" or closes the page: then
the lease expires.
"""

import heapq
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from django.utils import timezone

from game.models import Game
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.models import Analysis, Assignment, Campaign, Participant, Rater, Stimulus, Unit
from webapp.study.rater import assigning, navigation, saving
from webapp.study.rating import campaigns, effort, exclusion, known_answers, quotas
from webapp.study.rating.stimuli import RatingField, RatingFields, build_fields
from webapp.study.rehearsal.opinions import Opinions, OpinionSubject, round_to_scale
from webapp.study.rehearsal.rehearsal_options import CLOSED_PAGE_SHARE, Assumptions
from webapp.study.sessions import enrolment, study_campaigns

ARRIVAL_MINUTES = 60.0  # all raters arrive within this time
HASTY_SECONDS = (0.8, 2.5)  # a careless rater's time for a page
# Standard deviations of the logarithms of a rater's pace and of the time for a page.
PACE_SD, PAGE_SD = 0.25, 0.3
MIN_PAGE_MINUTES = 0.05
CORRECT_KNOWN_SHARE = 0.9  # share of known answers that an attentive rater gives
# Ends of a rater: the campaign was full, all pages answered, left early, no pages remained.
FULL, FINISHED, LEFT, NOTHING_LEFT = "full", "finished", "left", "nothing_left"


@dataclass
class SimulatedRater:
    """A simulated rater."""

    name: str
    rng: Random
    pace: float  # factor of the time that a page takes
    # Where on the scale (0 to 1) a careless rater always answers; None for others.
    constant_answer: float | None
    leaves_after: float | None  # share of the pages after which they leave, None if they stay
    is_closing: bool  # leaves by closing the page
    rater: Rater | None = None  # None before they arrive
    pages: int = 0
    minutes: float = 0.0


@dataclass
class CrowdTotals:
    """Totals of the raters in one run."""

    # number of raters by FULL, FINISHED, LEFT or NOTHING_LEFT
    ends: Counter[str] = field(default_factory=Counter)
    excluded: int = 0
    careless_excluded: int = 0
    careless: int = 0
    drawn_to_leave: int = 0
    minutes: list[float] = field(default_factory=list)  # minutes of each rater who finished
    in_all: float = 0.0  # minutes of all raters together
    hours: float = 0.0  # hours until the last page was answered
    answered: int = 0  # number of answers that count


class RatingSimulation:
    """Repeated simulations of the ratings of an open campaign, in a scratch database."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        rows = campaign.units.exclude(kind=Unit.ATTENTION).select_related("game")
        rated_units = list(rows.filter(withdrawn=False))
        # The average minutes of a page according to the plan.
        minutes = effort.estimate_minutes(campaign, rated_units) - effort.START_MINUTES
        self.page_minutes = max(MIN_PAGE_MINUTES, minutes / self._page_count)
        games = sorted({u.game_id: u.game for u in rows if u.game}.items())
        # Numbers instead of codes, which are random: the same seed gives the same figures on every
        # machine.
        self._game_names = {
            pk: (build_deal_key(game), str(n)) for n, (pk, game) in enumerate(games)
        }
        self._subjects = {
            s.pk: self._build_subject(s, s.unit.game)
            for s in Stimulus.objects.filter(unit__campaign=campaign).select_related("unit__game")
        }

    @property
    def _page_count(self) -> int:
        """The number of a rater's pages, without checks."""
        return self.campaign.units_per_rater + self.campaign.repeats

    def _build_subject(self, stimulus: Stimulus, game: Game | None) -> OpinionSubject:
        unit = stimulus.unit
        seat = stimulus.place if unit.kind == Unit.RANKING else unit.seat or 0
        if game is None:
            return OpinionSubject("", "", "", "", str(unit.index))
        unit_name = f"{unit.index}.{stimulus.place}"
        return OpinionSubject(stimulus.condition, *self._game_names[game.pk], str(seat), unit_name)

    def simulate_raters(
        self, raters: int, assumptions: Assumptions, opinions: Opinions
    ) -> CrowdTotals:
        """Let a number of raters arrive and rate until all have left. Then close the campaign."""
        self._delete_ratings(opinions.seed)
        people = [_draw_rater(n, assumptions, opinions.seed) for n in range(raters)]
        totals = CrowdTotals(
            careless=sum(p.constant_answer is not None for p in people),
            drawn_to_leave=sum(p.leaves_after is not None for p in people),
        )
        next_steps = [(p.rng.uniform(0, ARRIVAL_MINUTES), n) for n, p in enumerate(people)]
        expiries: list[tuple[float, int]] = []
        heapq.heapify(next_steps)
        while next_steps:
            now, n = heapq.heappop(next_steps)
            while expiries and expiries[0][0] <= now:
                self._expire_lease(heapq.heappop(expiries)[1])
            person = people[n]
            if step_minutes := self._take_step(person, opinions, totals):
                heapq.heappush(next_steps, (now + step_minutes, n))
                person.minutes += step_minutes
                totals.hours = max(totals.hours, (now + step_minutes) / 60)
            elif person.is_closing and person.rater:
                heapq.heappush(expiries, (now + self.campaign.lease_minutes, person.rater.pk))
        campaigns.close(self.campaign)
        self._count_totals(people, totals)
        return totals

    def _delete_ratings(self, seed: str) -> None:
        """Delete all participants with their ratings, and reopen the campaign."""
        self.campaign.study.participants.all().delete()
        Analysis.objects.filter(campaign=self.campaign).delete()
        # Assignments are drawn again each time; the units stay.
        self.campaign.seed, self.campaign.state = seed, Campaign.OPEN
        self.campaign.save(update_fields=["seed", "state"])

    def _take_step(self, person: SimulatedRater, opinions: Opinions, totals: CrowdTotals) -> float:
        """Let the person take their next step. Return its minutes, 0 if it was the last."""
        if person.rater is None:
            return self._enrol(person, totals)
        page = self._next_page(person.rater)
        if page is None:
            is_finished = navigation.submit_all(person.rater)
            totals.ends[FINISHED if is_finished else NOTHING_LEFT] += 1
            if is_finished:
                totals.minutes.append(person.minutes)
            return 0
        share = person.leaves_after
        if share is not None and person.pages >= int(share * self._page_count):
            totals.ends[LEFT] += 1
            if not person.is_closing:
                exclusion.record_exit(person.rater, Rater.WITHDRAWN)
            return 0
        return self._answer_page(person, page, opinions)

    def _enrol(self, person: SimulatedRater, totals: CrowdTotals) -> float:
        """Create the person's rater. Return the minutes, 0 if the campaign is full."""
        if quotas.is_all_rated(self.campaign):
            totals.ends[FULL] += 1
            return 0
        study = self.campaign.study
        name, now = enrolment.next_pseudonym(study), timezone.now()
        row = Participant.objects.create(study=study, pseudonym=name, consented_at=now, step=1)
        person.rater = study_campaigns.get_or_create_rater(row, self.campaign)
        navigation.mark_trained(person.rater)
        assigning.assign_pages(person.rater)
        return effort.START_MINUTES * person.pace

    def _next_page(self, rater: Rater) -> Assignment | None:
        rows = Assignment.objects.filter(rater=rater, state=Assignment.OPEN).order_by("index")
        rows = rows.select_related("unit", "rater")
        if (page := rows.first()) is None:
            assigning.assign_pages(rater)  # replaces pages that other raters got meanwhile
            page = rows.first()
        if page:
            page.unit.campaign = page.rater.campaign = self.campaign
        return page

    def _answer_page(self, person: SimulatedRater, page: Assignment, opinions: Opinions) -> float:
        """Store the person's rating of a page. Return the minutes that it took."""
        person.pages += 1
        is_hasty = person.constant_answer is not None
        seconds = person.rng.uniform(*HASTY_SECONDS) if is_hasty else (
            60 * self.page_minutes * person.pace * person.rng.lognormvariate(0, PAGE_SD)
        )  # fmt: skip
        fields = build_fields(page)
        values = self._choose_values(person, page, fields, opinions)
        submitted = saving.SubmittedRating(
            values, revision=page.revision, active_ms=int(1000 * seconds)
        )
        saving.store_rating(page, submitted, fields)
        return seconds / 60

    def _choose_values(
        self, person: SimulatedRater, page: Assignment, fields: RatingFields, opinions: Opinions
    ) -> dict[str, int]:
        """Return field -> value. The players of a ranking get the ranks of their values."""
        exact_values = {
            name: self._exact_value(person, page, f, opinions) for name, f in fields.items()
        }
        ranked = {f.dimension.key for f in fields.values() if f.dimension.rank}
        values = {
            name: round_to_scale(exact_values[name], f.dimension.min, f.dimension.max)
            for name, f in fields.items()
            if f.dimension.key not in ranked
        }
        for key in ranked:
            names = [name for name, f in fields.items() if f.dimension.key == key]
            names.sort(key=lambda name: exact_values[name])
            values |= dict(zip(names, fields[names[0]].dimension.values, strict=True))
        return values

    def _exact_value(
        self, person: SimulatedRater, page: Assignment, f: RatingField, opinions: Opinions
    ) -> float:
        low, high = f.dimension.min, f.dimension.max
        if person.constant_answer is not None:
            return low + person.constant_answer * (high - low)
        if page.unit.kind == Unit.ATTENTION:
            return float(page.unit.expected or 0)
        subject = self._subjects[f.stimulus]
        value = opinions.value_for(person.name, subject, f.dimension.key, low, high, person.rng)
        stimulus_place = int(subject.unit.rpartition(".")[2])
        known_range = known_answers.correct_range(
            page.unit.known_answers, stimulus_place, f.dimension.key
        )
        if known_range and person.rng.random() < CORRECT_KNOWN_SHARE:
            value = min(known_range[1], max(known_range[0], value))
        return value

    @staticmethod
    def _expire_lease(rater: int) -> None:
        """Expire the lease of a page that the rater has closed."""
        past = timezone.now() - timedelta(minutes=1)
        open_pages = Assignment.objects.filter(rater=rater, state=Assignment.OPEN)
        open_pages.update(leased_until=past)

    def _count_totals(self, people: list[SimulatedRater], totals: CrowdTotals) -> None:
        excluded = set(self.campaign.raters.filter(excluded=True).values_list("pk", flat=True))
        totals.excluded = len(excluded)
        excluded_people = [p for p in people if p.rater and p.rater.pk in excluded]
        totals.careless_excluded = sum(p.constant_answer is not None for p in excluded_people)
        totals.in_all = sum(p.minutes for p in people)
        answers = Assignment.objects.filter(unit__campaign=self.campaign, is_repeat=False)
        answers = answers.filter(state=Assignment.ANSWERED, unit__use="", over_quota=False)
        answers = answers.exclude(unit__kind=Unit.ATTENTION).filter(rater__excluded=False)
        totals.answered = answers.count()


def _draw_rater(number: int, assumptions: Assumptions, seed: str) -> SimulatedRater:
    rng = Random(f"{seed}/person/{number}")
    leaves = rng.random() < assumptions.dropout
    return SimulatedRater(
        name=f"{number + 1:03d}",
        rng=rng,
        pace=rng.lognormvariate(0, PACE_SD),
        constant_answer=rng.random() if rng.random() < assumptions.careless else None,
        leaves_after=rng.random() if leaves else None,
        is_closing=leaves and rng.random() < CLOSED_PAGE_SHARE,
    )
