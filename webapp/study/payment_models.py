"""Models of payments: what is owed to participants, payment files, and a platform's statuses.

No other row of a study refers to them, so retention can delete them earlier than the rest.
"""

from django.db import models
from django.db.models import Q

from webapp.study.study_models import Participant, Study


class PaymentBatch(models.Model):
    """Payments that are paid together, by a file for Prolific or by a plain list.

    A file for Prolific has the participants of one Prolific study. The file is generated from the
    payments again for each download; `sha256` is the hash of its bytes. A batch is MADE until a
    researcher marks it as PAID or cancels it. A cancelled batch has no payments.
    """

    MADE, PAID, CANCELLED = "made", "paid", "cancelled"

    study = models.ForeignKey(Study, models.CASCADE, related_name="payment_batches")
    number = models.PositiveIntegerField()  # 1… within the study
    # Id of the study at the platform; "" for a plain list.
    platform_study = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, default=MADE)
    lines = models.PositiveIntegerField()  # number of participants
    total = models.DecimalField(max_digits=10, decimal_places=2)
    sha256 = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now_add=True)
    made_by = models.CharField(max_length=150)
    settled_at = models.DateTimeField(null=True, blank=True)  # when it was paid or cancelled
    settled_by = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint("study", "number", name="one_batch_a_number")]
        ordering = ["number"]
        verbose_name_plural = "payment batches"

    def __str__(self) -> str:
        return f"{self.study} {self.number}"


class Payment(models.Model):
    """A payment owed to a participant for one reason.

    SEALED is a bonus that would reveal which players are people. Such a bonus is on no page and in
    no file until these players may be revealed. A payment has at most one batch, so nothing is paid
    twice.
    """

    SEALED, DUE, PAID, WITHHELD = "sealed", "due", "paid", "withheld"

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="payments")
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    reason = models.CharField(max_length=40)  # an exit's kind, bonus:<rule>, or hand:<ticket>
    # How often a bonus was earned, 0 for other payments.
    cases = models.PositiveSmallIntegerField(default=0)
    note = models.CharField(max_length=200, blank=True)  # reason of a researcher's decision
    status = models.CharField(max_length=10, default=DUE)
    # Whether the platform pays it as its own reward, so that it is in no file.
    reward = models.BooleanField(default=False)
    batch = models.ForeignKey(
        PaymentBatch, models.SET_NULL, null=True, blank=True, related_name="payments"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("participant", "reason", name="paid_once_a_reason"),
            models.CheckConstraint(
                condition=Q(batch=None) | Q(status__in=["due", "paid"], reward=False),
                name="a_batch_holds_what_is_paid",
            ),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.participant} {self.amount} for {self.reason}"


class PlatformStatus(models.Model):
    """A submission's status on the platform when the platform's list was last compared."""

    participant = models.OneToOneField(Participant, models.CASCADE, related_name="platform_status")
    status = models.CharField(max_length=20)  # as payments.submissions names it
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "platform statuses"


class PlatformRequest(models.Model):
    """A researcher's request to the platform's API (`payments.platform_requests`).

    Its state is WAITING until a worker takes it (RUNNING). UNSURE means that money was requested
    and no answer came. Such a request is never sent again; a researcher has to check the platform.
    """

    WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"
    UNSURE = "unsure"
    UNSETTLED = (WAITING, RUNNING)

    study = models.ForeignKey(Study, models.CASCADE, related_name="platform_requests")
    platform_study = models.CharField(max_length=24)  # id of the study at the platform
    kind = models.CharField(max_length=20)  # a key of platform_requests.KINDS
    # {"places": n}, or {"participants": primary keys}; external names are never in it.
    body = models.JSONField(default=dict)
    batch = models.ForeignKey(
        PaymentBatch, models.SET_NULL, null=True, blank=True, related_name="requests"
    )
    # Id of the bulk payment at the platform.
    bulk_payment_id = models.CharField(max_length=64, blank=True)
    # Whether the request that pays may have been sent.
    may_have_paid = models.BooleanField(default=False)
    state = models.CharField(max_length=10, default=WAITING)
    text = models.CharField(max_length=400, blank=True)  # what the platform answered
    # Result of `refresh`: status, places, taken, submissions by status, differences.
    result = models.JSONField(default=dict)
    actor = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now_add=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
