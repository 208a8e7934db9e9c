"""Database models of play: tables, memberships, private data, LLM calls, notes of minds."""

from django.db import models
from django.utils import timezone

from game.models import Game, Player, Timed, Utterance, new_key


class Table(models.Model):
    """A game's table: its settings, and who may join it."""

    game = models.OneToOneField(Game, models.CASCADE, related_name="table")
    invitation = models.CharField(max_length=32, unique=True, default=new_key)
    spectators = models.BooleanField(default=False)  # everyone who knows the address may watch
    ME, ALL, HIDDEN = "me", "all", "hidden"
    # Which favor faces a player sees: those toward oneself, toward everyone, none.
    faces = models.CharField(max_length=8, default=ME)
    personas = models.BooleanField(default=True)  # the computer players' persona cards are shown
    # The host permits research on the game; everyone who joins is informed.
    research = models.BooleanField(default=False)
    # The recipe of the computer players (`agents.recipe`), and the choices of single seats: seat
    # -> what `cast_form.CastForm.chosen_casting` returned.
    recipe = models.JSONField(default=dict)
    casting = models.JSONField(default=dict)
    # When a page of the table was last open, and whether its game paused because none was.
    looked_at = models.DateTimeField(default=timezone.now)
    unwatched = models.BooleanField(default=False)
    host_seen_at = models.DateTimeField(default=timezone.now)  # when a host's page was last open
    # The table at which the same people continued.
    successor = models.OneToOneField(
        Game, models.SET_NULL, null=True, blank=True, related_name="predecessor"
    )

    # The address at which people continue after the game if another app runs the table, else "".
    # Such a table has no host, no chat, no invitation and no "play again".
    onward = models.CharField(max_length=200, blank=True)


class Reading(models.Model):
    """The request for a worker's reading of a game's talk, and its result (`readings`)."""

    game = models.OneToOneField(Game, models.CASCADE, related_name="+")
    asked_at = models.DateTimeField(null=True, blank=True)  # when the reading was last requested
    # Version of the game that was read last; null: none was.
    game_version = models.BigIntegerField(null=True, blank=True)

    class Meta:
        abstract = True


class ClaimsSheet(Reading):
    """How far the talk was read for a table's sheet of claims. Its rows are `StatedClaim`s.

    A table without this row shows no sheet.
    """

    # How many events of the game's log were read.
    events_read = models.PositiveIntegerField(default=0)
    # Unless it equals the game's, the sheet is invalid.
    reworded = models.PositiveIntegerField(default=0)


class StatedClaim(models.Model):
    """A claim in a statement, with the fields of `agents.talk.claim_steps.ClaimStep`."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="+")
    utterance = models.ForeignKey(Utterance, models.CASCADE, related_name="+")
    seq = models.PositiveIntegerField()  # number of the statement's event in the log
    seat = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10)
    role = models.CharField(max_length=40, blank=True)
    targets = models.JSONField(default=list)
    value = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["id"]


class FinalClaims(models.Model):
    """All claims in the talk of a finished game, as `webapp.play.claim_reading` read them."""

    game = models.OneToOneField(Game, models.CASCADE, related_name="+")
    # Unless it equals the game's, the claims are read again.
    reworded = models.PositiveIntegerField()
    steps = models.JSONField()  # one dict for each `ClaimStep`: its fields without `is_true`


class Hindsight(Reading):
    """The lines that decided a finished game, as a worker found them (`agents.hindsight`)."""

    # Unless it equals the game's, the lines are invalid.
    reworded = models.PositiveIntegerField(default=0)
    lines = models.JSONField(null=True)  # a dict for each line; null: the deck is too large


class PublicReplay(models.Model):
    """A public link to a game's replay. It works once all people of the game agree.

    The row of a revoked link stays, so that its page can explain the revocation.
    """

    game = models.ForeignKey(
        Game, models.SET_NULL, null=True, blank=True, related_name="public_replays"
    )
    key = models.CharField(max_length=32, unique=True, default=new_key)
    agreed = models.JSONField(default=list)  # seats of the people who agreed
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "game", condition=models.Q(revoked_at=None), name="one_public_replay_a_game"
            )
        ]


class Membership(models.Model):
    """A visitor (a browser) at a table: in a seat, or watching if `player` is None."""

    visitor = models.UUIDField(db_index=True)
    game = models.ForeignKey(Game, models.CASCADE, related_name="memberships")
    player = models.ForeignKey(Player, models.CASCADE, null=True, blank=True)
    host = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("visitor", "game", name="one_sitting_a_visitor")]


class Removed(models.Model):
    """A visitor whom the host removed: the table's invitation no longer admits them."""

    visitor = models.UUIDField()
    game = models.ForeignKey(Game, models.CASCADE, related_name="removed")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("visitor", "game", name="one_removal_a_visitor")]


class Desk(models.Model):
    """A person's private data at the table: the draft, the notes board, presence."""

    player = models.OneToOneField(Player, models.CASCADE, related_name="desk")
    key = models.CharField(max_length=32, unique=True, default=new_key)  # key of the private link
    seen_at = models.DateTimeField(null=True, blank=True)  # when a page of theirs was last open
    draft = models.TextField(blank=True)
    secret_draft = models.TextField(blank=True)  # draft for a talk that not everyone hears
    notes = models.JSONField(default=dict)  # seat (as str) -> {"value": role key, "text": str}
    typing_at = models.DateTimeField(null=True, blank=True)  # when they last pressed a key


class Press(models.Model):
    """A press of a button that opens a table, stored to recognise repeated presses."""

    key = models.CharField(max_length=64, unique=True)
    visitor = models.UUIDField()
    game = models.ForeignKey(Game, models.CASCADE, null=True)
    at = models.DateTimeField(db_index=True)


class Spent(models.Model):
    """Requests to models and their tokens on one day (UTC), of one table or of the whole site."""

    day = models.DateField()
    scope = models.CharField(max_length=24)  # a game's code, or "site"
    requests = models.PositiveBigIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint("day", "scope", name="spent_once_a_day")]


class Report(models.Model):
    """A player's statement, reported to the host."""

    utterance = models.ForeignKey(Utterance, models.CASCADE, related_name="reports")
    player = models.ForeignKey(Player, models.CASCADE)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("utterance", "player", name="one_report_a_player")]


class Withdrawal(models.Model):
    """A request to remove text, or a player, from a game and its record (`withdrawals`).

    The request is committed before anything is deleted. The sweeper completes requests that were
    interrupted.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="withdrawals")
    # The log's length, in events, when the statement's window opened. No earlier view contained the
    # text, so requests made from earlier views stay. 0: the whole record is affected.
    since = models.PositiveIntegerField(default=0)
    # The text's author. If `since` is 0, the player to erase, or null in rows of older versions.
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)

    @property
    def is_erasure(self) -> bool:
        return not self.since and self.seat is not None


class Shredding(models.Model):
    """Deleted rows whose bytes the database's journal may still hold (`shredding`)."""

    at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)


class AuditEntry(models.Model):
    """An action of a host, player or operator beside playing. It is kept for research."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="audit_entries")
    what = models.CharField(max_length=20)  # the action's name
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # seat that the action changed
    by_host = models.BooleanField(default=False)
    reason = models.TextField(blank=True)  # why an operator called the game off
    at = models.DateTimeField(auto_now_add=True)


class Lease(models.Model):
    """A worker's lease of an answer. If its heartbeat stops, another worker may take it over."""

    game = models.ForeignKey(Game, models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    window = models.CharField(max_length=80)
    holder = models.UUIDField()
    beat_at = models.DateTimeField()
    # Workers that died while they computed the answer.
    ended_workers = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint("game", "seat", "window", name="one_lease")]


class LLMCall(Timed):
    """A recorded request to a backend and its reply. An answered request is never sent again.

    The row's moment is that of the answered window or of the prepared round.
    """

    ANSWER, PREPARATION = "answer", "preparation"
    RIVAL = "rival"  # another system's answer in the same window, which a study compares

    game = models.ForeignKey(Game, models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    purpose = models.CharField(max_length=12, default=ANSWER)
    window = models.CharField(max_length=80)  # a window's key, or that of a preparation or rival
    step = models.CharField(max_length=60)  # distinguishes the requests of one window
    backend = models.CharField(max_length=60)
    kind = models.CharField(max_length=40)  # a window's kind, or a faculty
    brief = models.JSONField()  # the input (`agents.decision.Request.brief`)
    reply = models.JSONField(null=True)
    failure = models.CharField(max_length=60, blank=True)
    # The exchange with a language model: {"model", "messages", "answer", "usage", …}.
    exchange = models.JSONField(null=True)
    seconds = models.FloatField()
    # Its text was deleted, because text that it may repeat was removed (`agent_records`).
    withdrawn = models.BooleanField(default=False)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("game", "seat", "window", "step", name="asked_once")]


class MindNote(Timed):
    """One note of a mind. Rows are append-only, except for withdrawals."""

    game = models.ForeignKey(Game, models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    window = models.CharField(max_length=80)  # the key of a window or a preparation
    preparation = models.BooleanField(default=False)  # made when a round of talk was prepared
    faculty = models.CharField(max_length=40)
    data = models.JSONField()

    class Meta:
        indexes = [models.Index("game", "seat", name="mind_of_a_seat")]
        ordering = ["id"]


class BackendFacts(models.Model):
    """Detected capabilities of a backend's server (`agents.llm.capabilities.Capabilities`)."""

    backend = models.CharField(max_length=60)
    model = models.CharField(max_length=200)
    facts = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint("backend", "model", name="facts_once_a_model")]


class ChatLine(models.Model):
    """A message to the others at the table, before or after the game.

    It is not part of the game: no log, prompt, export or survey contains it.
    """

    MAX_CHARS = 400

    game = models.ForeignKey(Game, models.CASCADE, related_name="chat")
    player = models.ForeignKey(Player, models.CASCADE)
    text = models.CharField(max_length=MAX_CHARS)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
