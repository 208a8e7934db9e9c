"""Rows of studies: conditions, slots for games, participants, what they answered.

Where a participant is (`step`), how they went out (`exit`) and what they are paid
(`payment_rows.Payment`) are three things. See docs/studies.md.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from game.models import Game, Player, Utterance, new_code, new_key


class Study(models.Model):
    """A study.

    `design` is locked once it was opened; a copy can be changed again.
    """

    DRAFT, OPEN, PAUSED, CLOSED = "draft", "open", "paused", "closed"

    code = models.CharField(max_length=24, unique=True, default=new_code)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="studies")
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=10, default=DRAFT)
    key = models.CharField(max_length=32, unique=True, default=new_key)  # of the shared link
    seed = models.CharField(max_length=80)
    design = models.JSONField(default=dict)  # webapp.study.design.stages
    config_hash = models.CharField(max_length=64, blank=True)  # once it was opened
    # What the built-in instruments named in the design asked then: {key: Instrument.data()}.
    asked = models.JSONField(default=dict)
    listed_only = models.BooleanField(default=False)  # the shared link lets nobody in
    # How often the way out of somebody who did not begin was shown: {"declined": n, "full": n, …}.
    turned_away = models.JSONField(default=dict)
    rehearsal = models.BooleanField(default=False)  # simulated people: its data are none
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    # What the program was when it was opened: sessions.frozen.
    frozen = models.JSONField(default=dict)
    prolonged = models.PositiveIntegerField(default=0)  # days added to the retention it names
    # What was done of the retention, and when: {"identities_30" …, "data_7", "data": ISO-8601}.
    retention = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.name

    def stage(self, kind: str) -> dict[str, Any]:
        """Return the data of the design's first stage of that kind.

        Returns {} if it has none.
        """
        stages = self.design.get("stages", ())
        return next((stage for stage in stages if stage["kind"] == kind), {})

    @property
    def own_campaign(self) -> Any:
        """The `Campaign` of its stage of ratings.

        Returns None where there is none yet.
        """
        return self.campaigns.first() if self.stage("ratings") else None

    @property
    def rates_only(self) -> bool:
        """Whether its participants rate games of others and play none."""
        return bool(self.stage("ratings")) and not self.stage("game")


class Condition(models.Model):
    """One cell of the design, drawn out when the study was opened."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="conditions")
    index = models.PositiveSmallIntegerField()  # 1…
    name = models.CharField(max_length=120)  # the names of its levels: "full+house"
    levels = models.JSONField(default=dict)  # factor -> level
    table = models.JSONField()  # a whole TableDesign

    class Meta:
        constraints = [models.UniqueConstraint("study", "index", name="one_condition_an_index")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"{self.study}: {self.name}"


class Slot(models.Model):
    """A place for one game: block, condition, deal and people's seats are drawn beforehand.

    A slot that became void keeps its row; its block gets a new one of the same condition and deal.
    """

    FREE, FILLING, PLAYING, DONE, VOID = "free", "filling", "playing", "done", "void"

    study = models.ForeignKey(Study, models.CASCADE, related_name="slots")
    block = models.PositiveIntegerField()  # 1…
    index = models.PositiveIntegerField()  # 1… within the study, the order of filling
    condition = models.ForeignKey(Condition, models.CASCADE, related_name="slots")
    deal = models.CharField(max_length=120)  # the seed of the game
    seats = models.JSONField(default=list)  # people's seats, in the order in which they are filled
    state = models.CharField(max_length=10, default=FREE)
    game = models.OneToOneField(Game, models.SET_NULL, null=True, blank=True, related_name="slot")
    void_reason = models.CharField(max_length=120, blank=True)
    # What was otherwise than drawn: {"computer_seats": […], "stand_ins": […], …}.
    deviations = models.JSONField(default=dict)
    began_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint("study", "index", name="one_slot_an_index")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"{self.study} {self.index} ({self.condition.name})"


class Participant(models.Model):
    """A person who agreed to take part.

    Their name is in `Identity`. Who they are is in `Identity`.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="participants")
    key = models.CharField(max_length=32, unique=True, default=new_key)  # of the personal link
    pseudonym = models.CharField(max_length=20)  # P001…
    invited = models.BooleanField(
        default=False
    )  # by a personal link; not there yet without consent
    consented_at = models.DateTimeField(null=True, blank=True)
    consent_version = models.CharField(max_length=64, blank=True)  # a hash of the text agreed to
    visitor = models.UUIDField(null=True, blank=True)  # sits at the tables in this one's name
    step = models.PositiveSmallIntegerField(default=0)  # of sessions.places.route
    step_at = models.DateTimeField(null=True, blank=True)  # when that step began
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)  # when its time is over
    # When somebody came first to each step: {step's key: ISO-8601 UTC}.
    times = models.JSONField(default=dict)
    # Every coming and going, in order: [{"step", "came", "went", "by"}]; went is none, and by "",
    # while they are there. Consent begins when its page was shown.
    visits = models.JSONField(default=list)
    # How each questionnaire stood when it was first shown: {step's key: {instrument's key:
    # {"order": items' keys, "reversed": whether the ends of its scales are exchanged}}}.
    shown = models.JSONField(default=dict)
    extra_time = models.PositiveSmallIntegerField(default=100)  # per cent of the usual limits
    device = models.JSONField(default=dict)  # what the door found: {"socket": true, "sound": …}
    waited = models.PositiveIntegerField(default=0)  # seconds in waiting rooms that are behind
    practice = models.OneToOneField(  # the table they tried the game at; no data of the study
        Game, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    quiz_tries = models.PositiveSmallIntegerField(default=0)
    exit = models.CharField(max_length=20, blank=True)  # design.ExitKind, "" while on the way
    exited_at = models.DateTimeField(null=True, blank=True)
    code = models.CharField(max_length=40, blank=True)  # of an exit whose codes are each one's own
    seen_at = models.DateTimeField(null=True, blank=True)  # when a page of theirs was last open
    bonuses_at = models.DateTimeField(null=True, blank=True)  # when their bonuses were worked out
    withdrew = models.BooleanField(default=False)  # what they gave was deleted: sessions.erasing
    # Of an erased outside name (identity_rows.digest): nobody is paid twice by erasing.
    name_digest = models.CharField(max_length=64, blank=True, db_index=True)
    # Whether their words may be published; none where they were not asked.
    publish_words = models.BooleanField(null=True, blank=True)
    of_age = models.BooleanField(null=True, blank=True)  # said so; none where it was not asked
    KEPT, TAKEN_BACK = "kept", "taken_back"
    # What they said of their agreement after the debriefing; "" for nothing: it stands.
    consent_again = models.CharField(max_length=12, blank=True)
    excluded = models.BooleanField(default=False)
    exclusion_reason = models.CharField(max_length=120, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("study", "pseudonym", name="one_participants_pseudonym")
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.study}: {self.pseudonym}"


class Seating(models.Model):
    """A participant and a seat of a slot.

    HELD: asked whether they are ready, until `held_until`; READY: said so, which is good until
    `held_until`; SEATED: the game has begun; MISSED: did not answer in time; RELEASED: not seated
    for another reason; OUT: left the game, or it ended early.
    """

    HELD, READY, SEATED = "held", "ready", "seated"
    MISSED, RELEASED, OUT = "missed", "released", "out"

    slot = models.ForeignKey(Slot, models.CASCADE, related_name="seatings")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="seatings")
    round = models.PositiveSmallIntegerField(default=1)  # which of the participant's games
    seat = models.PositiveSmallIntegerField()
    player = models.OneToOneField(
        Player, models.SET_NULL, null=True, blank=True, related_name="seating"
    )
    state = models.CharField(max_length=10, default=HELD)
    held_until = models.DateTimeField(null=True, blank=True)
    waited = models.PositiveIntegerField(default=0)  # seconds until the game began
    away_since = models.DateTimeField(null=True, blank=True)  # no page of theirs open during a game

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "slot",
                "seat",
                name="one_participant_a_seat",
                condition=models.Q(state__in=["held", "ready", "seated"]),
            ),
            models.UniqueConstraint(
                "participant",
                name="one_seat_a_participant",
                condition=models.Q(state__in=["held", "ready"]),
            ),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.participant} in {self.slot}"


class Response(models.Model):
    """What a participant last stated for one item.

    Kept as it is typed (`TYPED`), `GIVEN` when the stage is handed in, `EXPIRED` where its time
    ended first, `LEFT` where its participant went out of the study first.
    """

    TYPED, GIVEN, EXPIRED, LEFT = "typed", "given", "expired", "left"

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="responses")
    step = models.CharField(max_length=60)  # route.Step.key
    slot = models.ForeignKey(Slot, models.SET_NULL, null=True, blank=True)
    about_seat = models.PositiveSmallIntegerField(default=0)  # 0: nobody's
    moment = models.CharField(max_length=120, blank=True)  # a window's key, for what play asks
    instrument = models.CharField(max_length=60)
    item = models.CharField(max_length=60)
    number = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    choice = models.JSONField(null=True, blank=True)  # an option's key, or a list of them
    state = models.CharField(max_length=10, default=TYPED)
    revision = models.PositiveIntegerField(default=0)
    page = models.CharField(max_length=24, blank=True)  # which rendered page stated it last
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "participant", "step", "about_seat", "moment", "instrument", "item",
                name="one_response_an_item",
            )
        ]  # fmt: skip
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.participant} {self.instrument}.{self.item}"


class Happening(models.Model):
    """Something that was done in a study, by whom and why.

    Rows are only ever added.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="happenings")
    participant = models.ForeignKey(Participant, models.CASCADE, null=True, blank=True)
    slot = models.ForeignKey(Slot, models.SET_NULL, null=True, blank=True)
    actor = models.CharField(max_length=150)  # "participant", "clock", or a researcher's name
    what = models.CharField(max_length=40)
    reason = models.CharField(max_length=400, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.at:%F %T} {self.actor} {self.what}"


class Message(models.Model):
    """Words between a participant and the researchers.

    One row a recipient.

    HELP and REPORT come from the participant, MESSAGE from the researchers, who are told apart by
    `actor` alone: a participant's page never names them. `utterance`: what a report is about.
    """

    HELP, REPORT, MESSAGE = "help", "report", "message"

    study = models.ForeignKey(Study, models.CASCADE, related_name="messages")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="messages")
    slot = models.ForeignKey(Slot, models.SET_NULL, null=True, blank=True)  # whose table it was at
    utterance = models.ForeignKey(Utterance, models.SET_NULL, null=True, blank=True)
    kind = models.CharField(max_length=10)
    from_participant = models.BooleanField()
    actor = models.CharField(max_length=150)  # "participant", or a researcher's name
    text = models.CharField(max_length=1000, blank=True)  # a report may have none
    at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # when its recipient's page showed it

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.participant}"


class ConsentText(models.Model):
    """A text that somebody agreed to, as it was shown. `version` is its SHA-256, in hex."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="consent_texts")
    version = models.CharField(max_length=64)
    text = models.TextField()
    first_used_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("study", "version", name="one_text_a_version")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.study}: {self.version[:12]}"


class Erasure(models.Model):
    """A participant's data are deleted.

    What can't go at once is on record until it has gone: words of games that others still play, a
    link that still shows a code, a name that is paid.
    """

    participant = models.OneToOneField(Participant, models.CASCADE, related_name="erasure")
    actor = models.CharField(max_length=150)  # as in Happening
    keeps_owed = models.BooleanField(default=True)  # name and payments stay until it is paid
    asked_at = models.DateTimeField(auto_now_add=True)
    words_at = models.DateTimeField(null=True, blank=True)  # when the last words had gone
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"erasure of {self.participant}"


class Rehearsal(models.Model):
    """The last rehearsal of a study that its page asked for.

    Its people and what they answered lay in a database of their own, and are gone.
    """

    WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"

    study = models.OneToOneField(Study, models.CASCADE, related_name="rehearsed")
    asked = models.JSONField()  # as rehearsal.study_runs.StudyRunOptions
    design = models.CharField(max_length=64)  # SHA-256 of the design that was rehearsed
    state = models.CharField(max_length=10, default=WAITING)
    told = models.CharField(max_length=200, blank=True)  # how far it is
    result = models.JSONField(default=dict)
    failure = models.TextField(blank=True)
    asked_at = models.DateTimeField()
    beat_at = models.DateTimeField()  # when it last said that it goes on
    done_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"rehearsal of {self.study}"


class StudyAnalysis(models.Model):
    """The results of a study as last worked out, by a worker."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="analysed")
    asked_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    rests_on = models.CharField(max_length=64, blank=True)  # SHA-256 of the data
    data = models.JSONField(default=dict)  # told, results, figures, tables
    failure = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"results of {self.study}"
