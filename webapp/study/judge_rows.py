"""Rows of judges: language models that rate a campaign, and each answer they gave.

A judge that rates as a rater has a `Rater` of its own; what it stated is in `Rating`. What one that
scores as in the paper stated is in `JudgeScore`, and nowhere else. See docs/judges.md.
"""

from __future__ import annotations

from typing import Any

from django.db import models

from game.models import Game


class Judge(models.Model):
    """A backend that judges a campaign, once.

    Its settings are fixed when it begins.

    mode: RATER sees and answers what people do. PAPER scores whole games by talk and true roles
    (Humanized G.1). PAPER_REVEALED is what PAPER was until November 2026: it was shown nights,
    votes and the winner, too. Its scores keep their mode, and no new judge has it.
    """

    RATER, PAPER, PAPER_REVEALED = "rater", "paper_talk", "paper"
    DRAFT, RUNNING, PAUSED, DONE = "draft", "running", "paused", "done"
    WAY, ALL = "way", "all"  # as many units as a person is given, or every one

    campaign = models.ForeignKey("study.Campaign", models.CASCADE, related_name="judges")
    pseudonym = models.CharField(max_length=20)  # J01 …, of its rater too
    name = models.CharField(max_length=60)
    mode = models.CharField(max_length=10)
    backend = models.CharField(max_length=60)
    model = models.CharField(max_length=120)  # as the backend was configured when it began
    personas: Any = models.JSONField(default=dict)  # {"": text}, or one for each criterion
    draws = models.PositiveSmallIntegerField(default=1)  # answers to each question, averaged
    temperature = models.FloatField(null=True, blank=True)  # none: the backend's own
    reach = models.CharField(max_length=10, default=WAY)
    limit = models.PositiveIntegerField(null=True, blank=True)  # of requests; none: no limit
    price_in = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    price_out = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    rater = models.OneToOneField(
        "study.Rater", models.CASCADE, null=True, blank=True, related_name="judge"
    )
    state = models.CharField(max_length=10, default=DRAFT)
    failure = models.CharField(max_length=300, blank=True)  # why it paused by itself
    requests = models.PositiveIntegerField(default=0)  # sent, repairs included
    asked_at = models.DateTimeField(null=True, blank=True)  # when it began
    beat_at = models.DateTimeField(null=True, blank=True)  # when it last said that it goes on
    done_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("campaign", "pseudonym", name="one_judge_a_name")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.campaign}: {self.pseudonym} ({self.name})"


class JudgeDraw(models.Model):
    """One answer of a judge to one thing.

    On record before it is asked for, and never asked for again once it has come. Prompts are made
    of a game's words and are not kept: `prompt` is their SHA-256.
    """

    ASKED, WAITING, ANSWERED, FAILED = "asked", "waiting", "answered", "failed"

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="answers")
    assignment = models.ForeignKey(  # as a rater
        "study.Assignment", models.CASCADE, null=True, blank=True, related_name="draws"
    )
    game = models.ForeignKey(Game, models.CASCADE, null=True, blank=True, related_name="+")
    dimension = models.CharField(max_length=40, blank=True)  # as in the paper
    number = models.PositiveSmallIntegerField()  # 1…
    state = models.CharField(max_length=10, default=ASKED)
    values: Any = models.JSONField(default=dict)  # {"stimulus/dimension": n}, or {dimension: x}
    reason = models.TextField(blank=True)
    failure = models.CharField(max_length=60, blank=True)  # the last cause
    detail = models.CharField(max_length=300, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)  # that the line failed
    again = models.BooleanField(default=False)  # asked for once more: its worker had died
    repaired = models.BooleanField(default=False)
    prompt = models.CharField(max_length=64, blank=True)
    model = models.CharField(max_length=120, blank=True)  # as the server says
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    asked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("assignment", "number", name="one_draw_an_assignment"),
            models.UniqueConstraint("judge", "game", "dimension", "number", name="one_draw_a_game"),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.judge} {self.assignment_id or self.game_id}/{self.number}"


class JudgeScore(models.Model):
    """A judge's score of a game as in the paper: the mean of its draws, 1.0 to 10.0."""

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="scores")
    game = models.ForeignKey(Game, models.CASCADE, related_name="+")
    dimension = models.CharField(max_length=40)
    value = models.FloatField()
    draws = models.PositiveSmallIntegerField()  # that it is the mean of

    class Meta:
        constraints = [
            models.UniqueConstraint("judge", "game", "dimension", name="one_score_a_game")
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.judge} {self.dimension}={self.value:g}"
