"""The database tables of a game.

The events and the texts of Utterance are the source of truth for everything that has happened. The
other tables describe the present, or are derived for queries.
"""

import secrets
import uuid
from typing import Any

from django.db import models

from game.engine.events import Moment
from game.engine.text_checks import readable_text

CODE_LETTERS = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"  # no 0O, 1lI, and no "-"


def new_code() -> str:
    """Return a new public name of a game: 69 random bits, easy to read aloud and safe in a URL."""
    return _random_code(12)


def new_key() -> str:
    """Return a secret of 139 random bits that grants access to its bearer."""
    return _random_code(24)


def _random_code(length: int) -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(length))


class Timed(models.Model):
    """A row with the columns of a moment of its game (`Moment`), so that queries can use them."""

    phase_number = models.PositiveIntegerField(default=0)
    pass_number = models.PositiveIntegerField(default=0)
    day = models.PositiveSmallIntegerField(default=0)
    phase = models.CharField(max_length=40, blank=True, default="")
    round = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def moment(self) -> Moment:
        return Moment(self.phase_number, self.pass_number, self.day, self.phase, self.round)


def moment_columns(moment: Moment) -> dict[str, Any]:
    """Return the fields of a Timed row: name -> value."""
    columns = dict(vars(moment))
    return {"pass_number": columns.pop("pass_"), **columns}


class Game(models.Model):
    """A table and its game: gathering, then running or paused, then over or called off."""

    GATHERING, RUNNING, PAUSED = "gathering", "running", "paused"
    OVER, CALLED_OFF = "over", "called_off"

    code = models.CharField(max_length=24, unique=True, default=new_code)
    ruleset = models.CharField(max_length=40)
    seed = models.CharField(max_length=80)
    settings = models.JSONField(default=dict)  # the ruleset's settings, and `blind`
    pace = models.CharField(max_length=20, default="natural")
    limits = models.JSONField(default=dict)  # clock -> seconds; no entry: no limit
    winner = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)  # null: the table is gathering
    paused_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    called_off = models.BooleanField(default=False)  # whether the game ended without a result
    # When the host of a blind table revealed who is a person.
    revealed_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0)  # goes up with every change of the game's rows
    reworded = models.PositiveIntegerField(default=0)  # how often text or names were removed
    phase_at = models.DateTimeField()  # when the present phase opened
    # When the game next needs attention by itself: a deadline, or the end of a pause for pace.
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)

    def __str__(self) -> str:
        return self.code

    @property
    def blind(self) -> bool:
        """Whether it must stay secret who is a person. The table's owner can end this."""
        return bool(self.settings.get("blind")) and self.revealed_at is None

    @property
    def status(self) -> str:
        if self.called_off:
            return self.CALLED_OFF
        if self.ended_at:
            return self.OVER
        if self.paused_at:
            return self.PAUSED
        return self.RUNNING if self.started_at else self.GATHERING


PORTRAIT_COUNT = 24  # The number of portraits in static/portraits.
PORTRAIT_PATH = "portraits/portrait-{:02d}.svg"  # The static file of a portrait's number.


class Player(models.Model):
    """The player of a seat. An open seat waits for a guest while the table gathers."""

    PERSON, AGENT, OPEN = "person", "agent", "open"

    game = models.ForeignKey(Game, models.CASCADE, related_name="players")
    seat = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=[(k, k) for k in (PERSON, AGENT, OPEN)])
    # Whether a computer player answers for the person, who is away or has left.
    stand_in = models.BooleanField(default=False)
    left_at = models.DateTimeField(null=True, blank=True)  # when the person left for good
    # When the person withdrew their statements and the chosen name, after the game.
    erased_at = models.DateTimeField(null=True, blank=True)
    portrait = models.PositiveSmallIntegerField(default=0)
    recipe = models.JSONField(default=dict)  # the recipe of the agent that plays the seat

    class Meta:
        constraints = [models.UniqueConstraint("game", "seat", name="one_player_a_seat")]
        ordering = ["seat"]

    @property
    def is_person_now(self) -> bool:
        """Whether a person answers for this seat now."""
        return self.kind == self.PERSON and not self.stand_in

    @property
    def portrait_path(self) -> str:
        return PORTRAIT_PATH.format(self.portrait)


class Event(models.Model):
    """One event of the log.

    `seq` counts from 1 within the game. Texts are in Utterance.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    audience = models.CharField(max_length=80)
    data = models.JSONField(default=dict)
    labels = models.JSONField(default=list)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint("game", "seq", name="one_event_a_seq")]
        ordering = ["seq"]


class Window(Timed):
    """A window with its clock and the number of missing answers."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="windows")
    key = models.CharField(max_length=80)
    data = models.JSONField()  # the question, as the event `window_opened` has it
    asked = models.JSONField()  # the respondents' seats: those that `data["asks"]` selects
    opened_seq = models.PositiveIntegerField()  # the `Event.seq` of `window_opened`
    # Whether the window is the first public speech of a round of talk (`State.rounds`)
    opens_round = models.BooleanField(default=False)
    opened_at = models.DateTimeField()
    # The pace keeps the window open until then, even if all have answered.
    not_before = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    # The number of agents that have not answered yet.
    agents_missing = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint("game", "key", name="one_window_a_key")]
        indexes = [
            models.Index(
                "opened_at",
                name="open_for_agents",
                condition=models.Q(closed_at=None, agents_missing__gt=0),
            )
        ]


class Utterance(models.Model):
    """The only copy of a player's text. Its id never changes, its text can be removed.

    `text` is the original, whose hash is in the log. Pages show `display_text`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    game = models.ForeignKey(Game, models.CASCADE, related_name="utterances")
    seat = models.PositiveSmallIntegerField()
    window = models.CharField(max_length=80)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    words = models.PositiveIntegerField()
    # The event of the statement. Null while the window is open, and if a later answer replaced it.
    event = models.OneToOneField(
        Event, models.CASCADE, null=True, blank=True, related_name="utterance"
    )

    @property
    def display_text(self) -> str:
        """The text as pages show it (`text_checks.readable_text`)."""
        return readable_text(self.text)


class Answer(models.Model):
    """A seat's answer, hidden until its window closes. The seat's latest answer counts."""

    window = models.ForeignKey(Window, models.CASCADE, related_name="answers")
    seat = models.PositiveSmallIntegerField()
    # Identifies the request. The client makes it, and a repeated request is ignored.
    post = models.UUIDField(default=uuid.uuid4)
    action = models.JSONField()
    utterance = models.ForeignKey(Utterance, models.CASCADE, null=True, blank=True)
    labels = models.JSONField(default=list)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint("window", "seat", "post", name="one_answer_a_post")]
        ordering = ["id"]


class Vote(models.Model):
    """A vote, or an answer in a straw poll, for counting. `target` is null for an abstention."""

    event = models.OneToOneField(Event, models.CASCADE, related_name="vote")
    game = models.ForeignKey(Game, models.CASCADE, related_name="votes")
    kind = models.CharField(max_length=40)
    day = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    target = models.PositiveSmallIntegerField(null=True, blank=True)
    labels = models.JSONField(default=list)


class Heartbeat(models.Model):
    """The last heartbeat of the sweepers (SWEEPER) or of the processes that serve pages (PAGES).

    Games and people get the time since then back (`game.deadlines`).
    """

    SWEEPER, PAGES = 1, 2  # keys of the two rows

    at = models.DateTimeField()
