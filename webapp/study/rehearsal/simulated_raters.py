"""Simulated raters of one campaign, using the functions that the raters' pages call.

They arrive within an hour, need reading and answering time for each page, and compete for leases.
Their clock is simulated, so minutes pass immediately. Careless raters give the same answer to all
questions, fast, and fail the checks. A rater who leaves presses "leave" or closes the page. In the
latter case the lease expires.
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
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.models import Analysis, Assignment, Campaign, Participant, Rater, Stimulus, Unit
from webapp.study.rater import assigning, quiz_answers, saving, stages
from webapp.study.rating import campaigns, effort, known_answers, rater_exits
from webapp.study.rating.stimuli import RatingField, build_fields
from webapp.study.rehearsal.opinions import Opinions, OpinionSubject, round_to_scale
from webapp.study.rehearsal.process import Assumptions
from webapp.study.sessions import enrolment, rated_games

ARRIVAL_MINUTES = 60.0  # in which all raters arrive
HASTY_SECONDS = (0.8, 2.5)  # a careless rater's time for a page
KNOWN_ANSWER_SHARE = 0.9  # of known answers that an attentive rater gives
FULL, FINISHED, LEFT, NOTHING_LEFT = "full", "finished", "left", "nothing_left"


@dataclass
class SimulatedRater:
    """A simulated rater.

    Attributes:
        pace: factor of the time that a page takes.
        constant_answer: answer of a careless rater, 0 to 1 of the scale; None for an attentive one.
        leaves: share of the pages after which they leave, None if they stay.
        is_closing: whether they leave by closing the page.
        rater: row of the database, None before they arrive.
    """

    name: str
    draw: Random
    pace: float
    constant_answer: float | None
    leaves: float | None
    is_closing: bool
    rater: Rater | None = None
    pages: int = 0
    minutes: float = 0.0


@dataclass
class CrowdTotals:
    """Totals of the raters in one run.

    Attributes:
        ends: how many raters ended by FULL, FINISHED, LEFT, NOTHING_LEFT.
        minutes: of each rater who finished.
        in_all: minutes of all raters together.
        hours: until the last page was answered.
        answered: answers that count.
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
        # Numbers instead of codes, which are random: the same study with the same seed has the same
        # figures on another machine.
        self._game_names = {
            pk: (build_deal_key(game), str(n)) for n, (pk, game) in enumerate(games)
        }
        self._subjects = {
            s.pk: self._build_subject(s, s.unit.game)
            for s in Stimulus.objects.filter(unit__campaign=campaign).select_related("unit__game")
        }

    def _page_minutes(self, rated: list[Unit]) -> float:
        """Return the average minutes of a page according to the plan."""
        minutes = effort.estimate_minutes(self.campaign, rated) - effort.START_MINUTES
        return max(0.05, minutes / self._page_count)

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
        """Let so many raters arrive and rate until all have left, then close the campaign."""
        self._delete_ratings(opinions.seed)
        people = [_draw_rater(n, assumptions, opinions.seed) for n in range(raters)]
        totals = CrowdTotals(
            careless=sum(p.constant_answer is not None for p in people),
            drawn_to_leave=sum(p.leaves is not None for p in people),
        )
        next_steps = [(p.draw.uniform(0, ARRIVAL_MINUTES), n) for n, p in enumerate(people)]
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
            is_finished = stages.submit_all(person.rater)
            totals.ends[FINISHED if is_finished else NOTHING_LEFT] += 1
            if is_finished:
                totals.minutes.append(person.minutes)
            return 0
        if person.leaves is not None and person.pages >= int(person.leaves * self._page_count):
            totals.ends[LEFT] += 1
            if not person.is_closing:
                rater_exits.record_exit(person.rater, Rater.WITHDRAWN)
            return 0
        return self._answer(person, page, opinions)

    def _enrol(self, person: SimulatedRater, totals: CrowdTotals) -> float:
        if rater_exits.is_all_rated(self.campaign):
            totals.ends[FULL] += 1
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
                assigning.assign_pages(rater)  # replaces pages that other raters got meanwhile
            rows = Assignment.objects.filter(rater=rater, state=Assignment.OPEN).order_by("index")
            if page := rows.select_related("unit", "rater").first():
                page.unit.campaign = page.rater.campaign = self.campaign
                return page
        return None

    def _answer(self, person: SimulatedRater, page: Assignment, opinions: Opinions) -> float:
        person.pages += 1
        is_hasty = person.constant_answer is not None
        seconds = person.draw.uniform(*HASTY_SECONDS) if is_hasty else (
            60 * self.page_minutes * person.pace * person.draw.lognormvariate(0, 0.3)
        )  # fmt: skip
        fields = build_fields(page)
        values = self._choose_values(person, page, fields, opinions)
        submitted = saving.SubmittedRating(values, None, page.revision, int(1000 * seconds))
        saving.store_rating(page, submitted, fields)
        return seconds / 60

    def _choose_values(
        self,
        person: SimulatedRater,
        page: Assignment,
        fields: Mapping[str, RatingField],
        opinions: Opinions,
    ) -> dict[str, int]:
        wished = {name: self._wanted_value(person, page, f, opinions) for name, f in fields.items()}
        ranked = {f.dimension.key for f in fields.values() if f.dimension.rank}
        rank_values = {
            name: round_to_scale(wished[name], f.dimension.min, f.dimension.max)
            for name, f in fields.items()
            if f.dimension.key not in ranked
        }
        for key in ranked:
            names = [name for name, f in fields.items() if f.dimension.key == key]
            names.sort(key=lambda name: wished[name])
            rank_values |= dict(zip(names, fields[names[0]].dimension.values, strict=True))
        return rank_values

    def _wanted_value(
        self, person: SimulatedRater, page: Assignment, f: RatingField, opinions: Opinions
    ) -> float:
        low, high = f.dimension.min, f.dimension.max
        if person.constant_answer is not None:
            return low + person.constant_answer * (high - low)
        if page.unit.kind == Unit.ATTENTION:
            return float(page.unit.expected or 0)
        subject = self._subjects[f.stimulus]
        value = opinions.value_for(person.name, subject, f.dimension.key, low, high, person.draw)
        stimulus_place = int(subject.unit.rpartition(".")[2])
        known_range = known_answers.correct_range(page.unit.known, stimulus_place, f.dimension.key)
        if known_range and person.draw.random() < KNOWN_ANSWER_SHARE:
            value = min(known_range[1], max(known_range[0], value))
        return value

    @staticmethod
    def _expire_lease(rater: int) -> None:
        """Expire the lease of a closed page."""
        past = timezone.now() - timedelta(minutes=1)
        open_ones = Assignment.objects.filter(rater=rater, state=Assignment.OPEN)
        open_ones.update(leased_until=past)

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
    draw = Random(f"{seed}/person/{number}")
    leaves = draw.random() < assumptions.dropout
    return SimulatedRater(
        name=f"{number + 1:03d}",
        draw=draw,
        pace=draw.lognormvariate(0, 0.25),
        constant_answer=draw.random() if draw.random() < assumptions.careless else None,
        leaves=draw.random() if leaves else None,
        is_closing=leaves and draw.random() < 0.5,
    )
