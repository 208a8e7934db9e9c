"""Models of studies: conditions, slots for games, participants, outside names, responses.

A participant's progress (`step`), exit (`exit`) and pay (`payment_models.Payment`) are three
separate things. See docs/studies.md.
"""

import hashlib
import unicodedata
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.crypto import salted_hmac

from game.engine.text_checks import INVISIBLE_SIGN, tidy
from game.models import Game, Player, Utterance, new_code, new_key


def next_pseudonym(prefix: str, pseudonyms: Iterable[str], digits: int = 3) -> str:
    """Return the pseudonym after the highest one with that prefix, such as "P001"."""
    numbers = (name.removeprefix(prefix) for name in pseudonyms)
    last = max((int(number) for number in numbers if number.isdecimal()), default=0)
    return f"{prefix}{last + 1:0{digits}d}"


class Study(models.Model):
    """A study. Its `design` is locked once it is opened. A copy can be changed again."""

    DRAFT, OPEN, PAUSED, CLOSED = "draft", "open", "paused", "closed"

    code = models.CharField(max_length=24, unique=True, default=new_code)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="studies")
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=10, default=DRAFT)
    key = models.CharField(max_length=32, unique=True, default=new_key)  # key of the shared link
    seed = models.CharField(max_length=80)
    design = models.JSONField(default=dict)  # webapp.study.design.stages
    config_hash = models.CharField(max_length=64, blank=True)  # SHA-256, set when it is opened
    # The design's built-in instruments, as they were when the study was opened:
    # {key: Instrument.to_json()}.
    instruments_at_opening = models.JSONField(default=dict)
    listed_only = models.BooleanField(default=False)  # the shared link admits no one
    # Visitors who did not begin, by exit: {"declined": n, "full": n, …}.
    turned_away = models.JSONField(default=dict)
    # Whether its participants are simulated. Its data are not research data then.
    rehearsal = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    # Versions and hashes of the program when the study was opened: `program.program_facts`.
    program_at_opening = models.JSONField(default=dict)
    # Days added to the retention period of the consent text.
    extra_retention_days = models.PositiveIntegerField(default=0)
    # Completed steps of retention and their times: {"identities_30" …, "data_7", "data": ISO-8601}.
    retention = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.name

    def stage(self, kind: str) -> dict[str, Any]:
        """Return the data of the design's first stage of that kind, {} if it has none."""
        stages = self.design.get("stages", ())
        return next((stage for stage in stages if stage["kind"] == kind), {})

    @property
    def current_step_path(self) -> str:
        """The path that leads to the current step of this browser's participant."""
        return f"/take/go/{self.key}/"

    @property
    def own_campaign(self) -> Any:
        """The `Campaign` of its stage of ratings, None if there is none yet."""
        return self.campaigns.first() if self.stage("ratings") else None

    @property
    def is_experiment(self) -> bool:
        """Whether agents play its games by themselves."""
        return bool(self.design.get("table", {}).get("people", 1) == 0)

    @property
    def has_ended(self) -> bool:
        """Whether the study is closed, and no game runs or is about to begin.

        From then on it may be revealed which players at blind tables were people.
        """
        busy_slots = self.slots.filter(state__in=(Slot.FILLING, Slot.PLAYING))
        return self.state == Study.CLOSED and not busy_slots.exists()

    @property
    def is_full(self) -> bool:
        """Whether no slot is free or being filled, so that no one can be seated."""
        return not self.slots.filter(state__in=(Slot.FREE, Slot.FILLING)).exists()

    @property
    def rates_only(self) -> bool:
        """Whether the participants rate games of others and play none."""
        return bool(self.stage("ratings")) and not self.stage("game")


class Condition(models.Model):
    """One cell of the design, stored when the study is opened."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="conditions")
    index = models.PositiveSmallIntegerField()  # 1…
    name = models.CharField(max_length=120)  # the names of its levels: "full+house"
    levels = models.JSONField(default=dict)  # factor -> level
    table = models.JSONField()  # data of a complete TableDesign

    class Meta:
        constraints = [models.UniqueConstraint("study", "index", name="one_condition_an_index")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"{self.study}: {self.name}"


class Slot(models.Model):
    """A planned game. Its block, condition, deal and seats for people are drawn beforehand.

    A VOID slot keeps its row, and its block gets a new slot with the same condition and deal. In an
    experiment, a slot whose game cannot count is FAILED until it is restarted. `void_reason` is the
    cause of both.
    """

    FREE, FILLING, PLAYING, DONE, VOID = "free", "filling", "playing", "done", "void"
    FAILED = "failed"

    study = models.ForeignKey(Study, models.CASCADE, related_name="slots")
    block = models.PositiveIntegerField()  # 1…
    index = models.PositiveIntegerField()  # 1… within the study, the order of filling
    condition = models.ForeignKey(Condition, models.CASCADE, related_name="slots")
    deal = models.CharField(max_length=120)  # the seed of the game
    seats = models.JSONField(default=list)  # people's seats, in the order in which they are filled
    # Names of the league's systems in the seats' order; empty without a league.
    systems = models.JSONField(default=list)
    state = models.CharField(max_length=10, default=FREE)
    game = models.OneToOneField(Game, models.SET_NULL, null=True, blank=True, related_name="slot")
    void_reason = models.CharField(max_length=120, blank=True)
    # Deviations from the draw, which also count the game's dropouts: {"computer_seats": […],
    # "stand_ins": [{"seat", "at"}, …], …}.
    deviations = models.JSONField(default=dict)
    began_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint("study", "index", name="one_slot_an_index")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"{self.study} {self.index} ({self.condition.name})"


class Participant(models.Model):
    """A person who agreed to take part. Their outside name is in `Identity`."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="participants")
    key = models.CharField(max_length=32, unique=True, default=new_key)  # key of the personal link
    pseudonym = models.CharField(max_length=20)  # P001…
    invited = models.BooleanField(default=False)  # has a personal link; inactive before consent
    consented_at = models.DateTimeField(null=True, blank=True)
    # Hash of the text that they agreed to.
    consent_version = models.CharField(max_length=64, blank=True)
    visitor = models.UUIDField(null=True, blank=True)  # the visitor that represents them at tables
    step = models.PositiveSmallIntegerField(default=0)  # index in sessions.participant_state.route
    step_at = models.DateTimeField(null=True, blank=True)  # when that step began
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)  # when it times out
    # Time of the first arrival at each step: {step's key: ISO-8601 UTC}.
    times = models.JSONField(default=dict)
    # All visits to steps, in order: [{"step", "came", "went", "by": the actor of the move}]. Of the
    # present visit, "went" is None and "by" is "". The first one begins with the consent page.
    visits = models.JSONField(default=list)
    # Layout of each questionnaire when first shown: {step's key: {instrument's key: {"order":
    # items' keys, "reversed": whether the ends of its scales are exchanged}}}.
    item_layouts = models.JSONField(default=dict)
    extra_time = models.PositiveSmallIntegerField(default=100)  # per cent of the usual time limits
    # What the entrance page detected: {"socket": true, "sound": …}.
    device = models.JSONField(default=dict)
    waited_s = models.PositiveIntegerField(default=0)  # seconds in earlier waiting rooms
    practice = models.OneToOneField(  # the table of the practice stage; no data of the study
        Game, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    quiz_tries = models.PositiveSmallIntegerField(default=0)
    exit = models.CharField(max_length=20, blank=True)  # a design.ExitKind, "" while active
    exited_at = models.DateTimeField(null=True, blank=True)
    code = models.CharField(max_length=40, blank=True)  # code of an exit with individual codes
    seen_at = models.DateTimeField(null=True, blank=True)  # when one of their pages was last open
    input_at = models.DateTimeField(null=True, blank=True)  # when they last did something
    bonuses_at = models.DateTimeField(null=True, blank=True)  # when their bonuses were computed
    # Their data were deleted: ethics.participant_erasure.
    withdrew = models.BooleanField(default=False)
    # Digest of an erased outside name (`digest_name`). It keeps the same person from taking part,
    # and being paid, a second time.
    name_digest = models.CharField(max_length=64, blank=True, db_index=True)
    # Whether their texts may be published; None if not asked.
    publish_words = models.BooleanField(null=True, blank=True)
    of_age = models.BooleanField(null=True, blank=True)  # None if not asked
    KEPT, TAKEN_BACK = "kept", "taken_back"
    # Answer about their consent after the debriefing; "" means unchanged.
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
    """A participant's seat in a slot, offered or taken. Its state is one of these:

    - HELD: offered; the participant must confirm until `held_until`;
    - READY: confirmed, valid until `held_until`;
    - SEATED: the game has begun;
    - MISSED: not confirmed in time;
    - RELEASED: not seated for another reason;
    - OUT: the participant left the game, or it ended early.
    """

    HELD, READY, SEATED = "held", "ready", "seated"
    MISSED, RELEASED, OUT = "missed", "released", "out"

    slot = models.ForeignKey(Slot, models.CASCADE, related_name="seatings")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="seatings")
    # Number of the game among the participant's games.
    round = models.PositiveSmallIntegerField(default=1)
    seat = models.PositiveSmallIntegerField()
    player = models.OneToOneField(
        Player, models.SET_NULL, null=True, blank=True, related_name="seating"
    )
    state = models.CharField(max_length=10, default=HELD)
    held_until = models.DateTimeField(null=True, blank=True)
    waited_s = models.PositiveIntegerField(default=0)  # seconds until the game began
    # Since when no page of theirs is open during a game.
    away_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "slot", "seat", name="one_participant_a_seat",
                condition=models.Q(state__in=["held", "ready", "seated"]),
            ),
            models.UniqueConstraint(
                "participant", name="one_seat_a_participant",
                condition=models.Q(state__in=["held", "ready"]),
            ),
        ]  # fmt: skip
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.participant} in {self.slot}"

    @property
    def has_own_seat(self) -> bool:
        """Whether the participant has a seat at the table and no agent stands in."""
        player = self.player
        return player is not None and not player.stand_in and player.left_at is None


class Response(models.Model):
    """A participant's latest answer to one item.

    TYPED until the stage is submitted, then GIVEN. EXPIRED if its time ended first, LEFT if the
    participant left the study first.
    """

    TYPED, GIVEN, EXPIRED, LEFT = "typed", "given", "expired", "left"

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="responses")
    step = models.CharField(max_length=60)  # participant_state.Step.key
    slot = models.ForeignKey(Slot, models.SET_NULL, null=True, blank=True)
    about_seat = models.PositiveSmallIntegerField(default=0)  # 0: about no player
    # Key of the window, for questions during play.
    moment = models.CharField(max_length=120, blank=True)
    instrument = models.CharField(max_length=60)
    item = models.CharField(max_length=60)
    number = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    choice = models.JSONField(null=True, blank=True)  # key of an option, or a list of keys
    state = models.CharField(max_length=10, default=TYPED)
    revision = models.PositiveIntegerField(default=0)
    page = models.CharField(max_length=24, blank=True)  # the rendered page that submitted it last
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


class AuditEvent(models.Model):
    """An audit event: what was done in a study, by whom and why. Rows are only added."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="audit_events")
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
    """A message between a participant and the researchers. Each recipient has a row.

    HELP and REPORT come from the participant, MESSAGE from the researchers. `actor` names the
    researcher; a participant's page never shows it. `utterance` is the reported statement.
    """

    HELP, REPORT, MESSAGE = "help", "report", "message"

    study = models.ForeignKey(Study, models.CASCADE, related_name="messages")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="messages")
    # The table where it was sent.
    slot = models.ForeignKey(Slot, models.SET_NULL, null=True, blank=True)
    utterance = models.ForeignKey(Utterance, models.SET_NULL, null=True, blank=True)
    kind = models.CharField(max_length=10)
    from_participant = models.BooleanField()
    actor = models.CharField(max_length=150)  # "participant", or a researcher's name
    text = models.CharField(max_length=1000, blank=True)  # a report's may be empty
    at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # when the recipient's page showed it

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.participant}"


class ConsentText(models.Model):
    """A consent text that participants have agreed to. `version` is its SHA-256 (hex)."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="consent_texts")
    version = models.CharField(max_length=64)
    text = models.TextField()
    first_used_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("study", "version", name="one_text_a_version")]
        ordering = ["id"]


def normalize_name(text: str) -> str:
    """Normalise an outside name for comparison: case, width, spaces, invisible characters."""
    visible = INVISIBLE_SIGN.sub("", tidy(text))
    folded = unicodedata.normalize("NFKC", visible).casefold()
    return "".join(unicodedata.normalize("NFKC", folded).split())[:400]


def digest_name(study: int, normal_name: str) -> str:
    """Return the keyed digest by which a study recognises an erased outside name.

    Only the holder of the site's secret key can test whether a name has this digest.
    """
    text = f"{study}/{normal_name}"
    return salted_hmac("webapp.study.erased_name", text, algorithm="sha256").hexdigest()


ERASED = "erased-"  # prefix of an erased person's key; keys of links contain no "-"


def erased_key(key: str) -> str:
    """Return the key of an erased participant or rater: a digest that cannot be reversed."""
    return ERASED + hashlib.sha256(key.encode()).hexdigest()[: 32 - len(ERASED)]


class Identity(models.Model):
    """A participant's outside name, stored apart from the data. It grants no access."""

    participant = models.OneToOneField("study.Participant", models.CASCADE, related_name="identity")
    label = models.CharField(max_length=200, blank=True)  # PROLIFIC_PID, participant_label …
    study = models.CharField(max_length=200, blank=True)
    session = models.CharField(max_length=200, blank=True)
    # The label as it is compared (`normalize_name`).
    normal_label = models.CharField(max_length=400, blank=True, db_index=True)

    def __str__(self) -> str:
        return self.label

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.normal_label = normalize_name(self.label)
        super().save(*args, **kwargs)
