"""Models of campaigns, rated units, raters and ratings. See docs/rating.md.

Other modules have the models of studies (`study_models`), payments (`payment_models`), judges
(`judge_models`), background work (`task_models`), and accounts and rooms (`account_models`). All
are imported from here.
"""

from __future__ import annotations

import uuid
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import models

from game.models import Game, Utterance, new_code, new_key
from webapp.play.models import Reading
from webapp.study.account_models import (
    AuditLine,
    Invitation,
    KnownAddress,
    Room,
    RoomVisit,
    StudyRole,
)
from webapp.study.judge_models import Judge, JudgeDraw, JudgeScore
from webapp.study.payment_models import Payment, PaymentBatch, PlatformRequest, PlatformStatus
from webapp.study.study_models import (
    AuditEvent,
    Condition,
    ConsentText,
    Identity,
    Message,
    Participant,
    Response,
    Seating,
    Slot,
    Study,
    digest_name,
    erased_key,
    normalize_name,
)
from webapp.study.task_models import Erasure, Rehearsal, StudyAnalysis, TextEmbedding

__all__ = [
    "Analysis", "Assignment", "AuditEvent", "AuditLine", "Campaign", "CampaignGame", "Condition",
    "ConsentText", "Erasure", "Identity", "Invitation", "Judge", "JudgeDraw", "JudgeScore",
    "KnownAddress", "Message", "Participant", "Payment", "PaymentBatch", "PlatformRequest",
    "PlatformStatus", "Rater", "Rating", "Rehearsal", "Response", "Room", "RoomVisit", "Seating",
    "Situations", "Slot", "Stimulus", "Study", "StudyAnalysis", "StudyRole", "TextEmbedding",
    "Unit", "digest_name", "erased_key", "normalize_name",
]  # fmt: skip


class ComparisonSystem(NamedTuple):
    """A recipe that answers at the rated moments, although it did not play."""

    condition: str
    recipe: dict[str, Any]  # `Recipe.data()`


class Campaign(models.Model):
    """A rating survey: its games, instrument, raters and settings.

    Most of its settings are fixed once a `Rating` exists. A copy can be changed again.
    """

    DRAFT, OPEN, CLOSED = "draft", "open", "closed"

    code = models.CharField(max_length=24, unique=True, default=new_code)
    # The study to whose stage of ratings it belongs: owner, link, consent, time limit and exits are
    # the study's.
    study = models.ForeignKey(Study, models.CASCADE, related_name="campaigns")
    # The study whose games join as they end; None: games are chosen by hand.
    games_of = models.ForeignKey(Study, models.SET_NULL, null=True, blank=True, related_name="+")
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=10, default=DRAFT)
    seed = models.CharField(max_length=80)
    # A copy of the instrument, as webapp.study.design.instruments describes it.
    instrument = models.JSONField()
    # {"pick": "all" | "sample", "per_condition": n, "situations": [key, …],
    #  "speakers": "agents" | "all", "teams": [key, …] (those the speaker truly plays for),
    #  "compare": one of conditions.KEYS, "quotas": {situation or "": n, …},
    #  "fill": "depth" | "breadth"}
    choice = models.JSONField(default=dict)
    # Pairs: the recipe (agents.recipe data) whose answer is shown beside the one in the log; None
    # if single utterances are rated.
    rival = models.JSONField(null=True, blank=True)
    rival_condition = models.CharField(max_length=60, blank=True)
    # Further systems that answer at the same moments: {"condition": name, "recipe": data}.
    more_rivals: Any = models.JSONField(default=list, blank=True)
    # Whether only the systems' answers are rated, not the texts of the log.
    without_log = models.BooleanField(default=False)
    # Transcript entries shown before the rated one.
    context = models.PositiveSmallIntegerField(default=8)
    raters_per_unit = models.PositiveSmallIntegerField(default=3)
    units_per_rater = models.PositiveSmallIntegerField(default=20)  # without repeats and checks
    repeats = models.PositiveSmallIntegerField(default=0)  # per rater
    attention = models.PositiveSmallIntegerField(default=0)  # checks per rater
    lease_minutes = models.PositiveSmallIntegerField(default=60)
    break_after = models.PositiveSmallIntegerField(default=0)  # pages between pauses; 0: none
    quiz: Any = models.JSONField(default=dict, blank=True)  # rating_design.InstructionQuiz
    # Limits: webapp.study.rating.exclusion.
    exclusion: Any = models.JSONField(default=dict, blank=True)
    planned_analysis: Any = models.JSONField(default=dict, blank=True)  # rating_design.AnalysisPlan
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def owner(self) -> User:
        return self.study.owner

    @property
    def consent(self) -> str:
        """The text that raters agree to."""
        return str(self.study.stage("consent").get("text", ""))

    @property
    def least_experience(self) -> int:
        """The least experience with the game, 0 to 4. Participants with less are screened out."""
        return int(self.study.stage("consent").get("least_experience", 0))

    @property
    def time_limit(self) -> int:
        """Minutes after which a rater has to leave, 0 for no limit."""
        stage = self.study.stage("ratings")
        return int(stage["minutes"]) if stage.get("then") == "out" else 0

    @property
    def listed_only(self) -> bool:
        return self.study.listed_only

    @property
    def exits(self) -> dict[str, Any]:
        """Kind of exit -> {"code", "url"}, without empty ones."""
        return {
            kind: {"code": data["code"], "url": data["url"]}
            for kind, data in self.study.design["exits"].items()
            if data["code"] or data["url"]
        }

    @property
    def systems(self) -> dict[int, ComparisonSystem]:
        """The systems that answer at the rated moments, by `Stimulus.place`."""
        if self.rival is None:
            return {}
        first = ComparisonSystem(self.rival_condition, self.rival)
        more = (ComparisonSystem(**system) for system in self.more_rivals)
        return dict(enumerate([first, *more], Stimulus.FIRST_SYSTEM))

    @property
    def answer_count(self) -> int:
        """The number of answers to one moment on a page."""
        return max(1, len(self.systems) + (not self.without_log))

    @property
    def rated_units(self) -> models.QuerySet[Unit]:
        """The campaign's units without attention checks and withdrawn units."""
        return self.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)

    @property
    def has_ratings(self) -> bool:
        """Whether a rating exists, so that most settings can no longer be changed."""
        return Rating.objects.filter(assignment__rater__campaign=self).exists()


class CampaignGame(models.Model):
    """A finished game that a campaign draws from, and the condition it belongs to."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="chosen_games")
    game = models.ForeignKey(Game, models.CASCADE)
    condition = models.CharField(max_length=60)

    class Meta:
        constraints = [models.UniqueConstraint("campaign", "game", name="a_game_once_a_campaign")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.campaign}: {self.game} as {self.condition}"


class Unit(models.Model):
    """A unit: what a rater rates on one page.

    A unit is an utterance, a player over a whole game, a game, a pair of answers to one moment,
    all players of a game to rank, or an attention check.
    """

    UTTERANCE, PLAYER, GAME, ATTENTION = "utterance", "player", "game", "attention"
    RANKING = "ranking"  # one stimulus per seat
    PRACTICE, GOLD = "practice", "gold"  # practice with feedback before the ratings, gold items

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="units")
    kind = models.CharField(max_length=10)
    index = models.PositiveIntegerField()  # 1… within the campaign
    # None for an attention check.
    game = models.ForeignKey(Game, models.CASCADE, null=True, blank=True)
    # Position of the rated text in the public transcript (1…); for players and games the last
    # entry.
    position = models.PositiveIntegerField(default=0)
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    # Units of a game with the same track never show each other's texts (`rating.units.tracks`).
    track = models.PositiveSmallIntegerField(default=0)
    situations = models.JSONField(default=list)  # keys found in the log, see situations.KEYS
    # The value that an attention check asks for.
    expected = models.SmallIntegerField(null=True, blank=True)
    # What the researcher should check before raters see the unit, e.g. ["names itself a model"].
    flags = models.JSONField(default=list)
    # Whether the researcher has withdrawn it, so that it is no longer assigned to raters.
    withdrawn = models.BooleanField(default=False)
    # A unit with a known answer is withdrawn too, and every rater gets it in addition.
    use = models.CharField(max_length=10, blank=True)  # "", PRACTICE or GOLD
    # {"ranges": {"<Stimulus.place>/<dimension>": [min, max]}, "why": text}. A dimension without a
    # range accepts every value.
    known_answers: Any = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint("campaign", "index", name="one_unit_an_index")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"{self.campaign} {self.index}"


class Stimulus(models.Model):
    """One of the items that are rated in a unit. Its text is that of `utterance`, or `text`.

    A unit has one for each answer to its moment, a ranking one for each seat.
    """

    FIRST_SYSTEM = 2  # the place of the first system that answers at the moment of an utterance
    # States: from the log or answered; to be requested; failed, with the cause in `failure`.
    READY, WAITING, FAILED = "idle", "waiting", "failed"

    unit = models.ForeignKey(Unit, models.CASCADE, related_name="stimuli")
    # 1: the text of the log; from 2: the systems' answers; in a ranking: the seat.
    place = models.PositiveSmallIntegerField(default=1)
    condition = models.CharField(max_length=60)
    utterance = models.ForeignKey(Utterance, models.CASCADE, null=True, blank=True)
    text = models.TextField(blank=True)  # text of a system's answer, "" for other stimuli
    state = models.CharField(max_length=10, default=READY)
    failure = models.CharField(max_length=60, blank=True)
    speaker_kind = models.CharField(max_length=10, blank=True)  # person | agent | mixed
    model = models.CharField(max_length=120, blank=True)
    method = models.CharField(max_length=40, blank=True)
    labels = models.JSONField(default=list)  # fallback:…, timeout, repaired, without:favor …

    class Meta:
        constraints = [models.UniqueConstraint("unit", "place", name="one_stimulus_a_place")]
        ordering = ["place"]

    def __str__(self) -> str:
        return f"{self.unit}/{self.place}"


class PersonRaters(models.Manager["Rater"]):
    """The raters who are people.

    Judges are stored as raters too (webapp.study.judging). Code that counts, lists or pays raters
    uses this manager, so that it never includes a judge.
    """

    def get_queryset(self) -> models.QuerySet[Rater]:
        return super().get_queryset().filter(kind=Rater.PERSON)


class Rater(models.Model):
    """A participant as a rater, or a judge that rates as participants do."""

    PERSON, JUDGE = "person", "judge"
    WITHDRAWN, TIMED_OUT, FULL = "withdrawn", "timed_out", "full"  # values of left_as

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="raters")
    participant = models.ForeignKey(  # None for a judge
        Participant, models.CASCADE, null=True, blank=True, related_name="raters"
    )
    kind = models.CharField(max_length=10, default=PERSON)
    key = models.CharField(max_length=32, unique=True, default=new_key)  # key of the personal link
    pseudonym = models.CharField(max_length=20)
    experience = models.PositiveSmallIntegerField(null=True, blank=True)  # 0…4, None if not asked
    consented_at = models.DateTimeField(null=True, blank=True)
    screened_out_at = models.DateTimeField(null=True, blank=True)
    # When the worked example was completed.
    trained_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    excluded = models.BooleanField(default=False)
    exclusion_reason = models.CharField(max_length=120, blank=True)
    # Exclusions and inclusions, in order: {"at", "do", "by": "rule" | "hand", "who", "reason"}.
    rulings: Any = models.JSONField(default=list, blank=True)
    quiz_tries = models.PositiveSmallIntegerField(default=0)
    # Empty unless the rater left before the end.
    left_as = models.CharField(max_length=20, blank=True)
    left_at = models.DateTimeField(null=True, blank=True)

    objects = PersonRaters()
    everyone = models.Manager["Rater"]()

    class Meta:
        constraints = [models.UniqueConstraint("campaign", "pseudonym", name="one_pseudonym")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.campaign}: {self.pseudonym}"


class Assignment(models.Model):
    """A unit that is assigned to a rater, by a lease until it is answered.

    An assignment counts towards the unit's quota while it is leased or answered.
    """

    OPEN, ANSWERED, SKIPPED, TIMED_OUT = "open", "answered", "skipped", "timed_out"

    # Identifies the assignment on the rater's page.
    key = models.UUIDField(unique=True, default=uuid.uuid4)
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="assignments")
    unit = models.ForeignKey(Unit, models.CASCADE, related_name="assignments")
    index = models.PositiveSmallIntegerField()  # presentation_index, 1… per rater
    is_repeat = models.BooleanField(default=False)
    # The order of the answers on the page: by place, starting at index `rotation`, then reversed if
    # `swapped`.
    swapped = models.BooleanField(default=False)
    rotation = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, default=OPEN)
    skip_reason = models.CharField(max_length=200, blank=True)
    leased_until = models.DateTimeField()
    shown_at = models.DateTimeField(null=True, blank=True)
    first_answer_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    active_ms = models.PositiveIntegerField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=0)  # increases with every change by the rater
    # Whether it was answered after its lease had passed to another rater.
    over_quota = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("rater", "index", name="one_assignment_an_index"),
            models.UniqueConstraint("rater", "unit", "is_repeat", name="a_unit_once_a_rater"),
        ]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"{self.rater} {self.index}"


class Rating(models.Model):
    """The last value of one dimension of one stimulus."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="ratings")
    stimulus = models.ForeignKey(Stimulus, models.CASCADE, related_name="ratings")
    dimension = models.CharField(max_length=40)
    value = models.SmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "assignment", "stimulus", "dimension", name="one_value_a_dimension"
            )
        ]


class Situations(Reading):
    """The situations of a game's statements, as a worker last found them."""

    # Position in the public transcript (1…) -> keys of situations.KEYS.
    keys_by_position: Any = models.JSONField(default=dict)


class Analysis(models.Model):
    """The latest statistics of a campaign, computed by a worker."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, related_name="analysis")
    requested_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    data_digest = models.CharField(max_length=64, blank=True)  # SHA-256 of the ratings
    data: Any = models.JSONField(default=dict)  # results, figures, tables
    failure = models.CharField(max_length=200, blank=True)
