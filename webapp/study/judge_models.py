"""Models of judges (language models that judge a campaign) and of their answers.

A judge in mode RATER has its own `Rater`, and its values are in `Rating`. The scores of a judge in
mode PAPER are in `JudgeScore` only. See docs/judges.md.
"""

from typing import Any

from django.db import models

from game.models import Game


class Judge(models.Model):
    """A language model that judges a campaign. Its settings are fixed when it begins.

    Its mode is one of these:

    - RATER: sees and answers the same pages as human raters;
    - PAPER: scores whole games by the talk and the true roles (Humanized G.1);
    - LISTS: lists opinions and sentences, from which Variation and Memorability are computed (G.2,
      G.3);
    - PAPER_REVEALED: as PAPER, with nights, votes and the winner in the prompt. Only judges from
      before November 2026 have it.
    """

    RATER, PAPER, PAPER_REVEALED = "rater", "paper_talk", "paper"
    LISTS = "lists"
    DRAFT, RUNNING, PAUSED, DONE = "draft", "running", "paused", "done"
    ONE_RATER, ALL = "way", "all"  # `reach`: as many units as a human rater gets, or all

    campaign = models.ForeignKey("study.Campaign", models.CASCADE, related_name="judges")
    pseudonym = models.CharField(max_length=20)  # J01 …, also the name of its rater
    name = models.CharField(max_length=60)
    mode = models.CharField(max_length=10)
    backend = models.CharField(max_length=60)
    model = models.CharField(max_length=120)  # the backend's model when the judge began
    personas: Any = models.JSONField(default=dict)  # {"": text}, or one for each criterion
    # Number of answers to each question; their mean is used.
    draws = models.PositiveSmallIntegerField(default=1)
    temperature = models.FloatField(null=True, blank=True)  # None: the backend's default
    reach = models.CharField(max_length=10, default=ONE_RATER)
    # Maximum number of requests; None: no limit.
    limit = models.PositiveIntegerField(null=True, blank=True)
    # Prices of a million tokens of prompt and of answer.
    price_in = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    price_out = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    rater = models.OneToOneField(
        "study.Rater", models.CASCADE, null=True, blank=True, related_name="judge"
    )
    state = models.CharField(max_length=10, default=DRAFT)
    failure = models.CharField(max_length=300, blank=True)  # why the judge paused itself
    requests = models.PositiveIntegerField(default=0)  # number of requests sent, repairs included
    started_at = models.DateTimeField(null=True, blank=True)  # when the judge began
    beat_at = models.DateTimeField(null=True, blank=True)  # time of the last heartbeat
    done_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("campaign", "pseudonym", name="one_judge_a_name")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.campaign}: {self.pseudonym} ({self.name})"


class JudgeDraw(models.Model):
    """One answer of a judge to one question.

    The row is stored before the request, and an answered row is never requested again. Prompts
    quote a game's texts and are not stored: `prompt` is their SHA-256.
    """

    REQUESTED, WAITING, ANSWERED, FAILED = "asked", "waiting", "answered", "failed"

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="answers")
    assignment = models.ForeignKey(  # mode RATER
        "study.Assignment", models.CASCADE, null=True, blank=True, related_name="draws"
    )
    game = models.ForeignKey(Game, models.CASCADE, null=True, blank=True, related_name="+")
    dimension = models.CharField(max_length=40, blank=True)  # mode PAPER
    number = models.PositiveSmallIntegerField()  # 1…
    state = models.CharField(max_length=10, default=REQUESTED)
    values: Any = models.JSONField(default=dict)  # {"stimulus/dimension": n}, or {dimension: x}
    reason = models.TextField(blank=True)
    failure = models.CharField(max_length=60, blank=True)  # the last cause
    detail = models.CharField(max_length=300, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)  # failed requests so far
    # Whether it was requested once more because the worker of the first request died.
    requested_again = models.BooleanField(default=False)
    repaired = models.BooleanField(default=False)
    prompt = models.CharField(max_length=64, blank=True)
    # Name of the model as the server returns it.
    model = models.CharField(max_length=120, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    requested_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("assignment", "number", name="one_draw_an_assignment"),
            models.UniqueConstraint("judge", "game", "dimension", "number", name="one_draw_a_game"),
        ]
        ordering = ["id"]


class JudgeScore(models.Model):
    """A judge's score of a game: in mode PAPER the mean of its draws, 1.0 to 10.0."""

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="scores")
    game = models.ForeignKey(Game, models.CASCADE, related_name="+")
    dimension = models.CharField(max_length=40)
    value = models.FloatField()
    draws = models.PositiveSmallIntegerField()  # number of draws in the mean

    class Meta:
        constraints = [
            models.UniqueConstraint("judge", "game", "dimension", name="one_score_a_game")
        ]
        ordering = ["id"]
