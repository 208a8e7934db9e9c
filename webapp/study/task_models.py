"""Models of background work: erasures, rehearsals, results, embeddings of statements."""

from __future__ import annotations

from django.db import models

from game.models import Game


class TextEmbedding(models.Model):
    """The embedding of a text by one model. The text itself is not stored.

    `game` is a game in which it was said. Removing a text from that game deletes the rows.
    """

    model = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)  # hash of the text
    game = models.ForeignKey(Game, models.CASCADE, related_name="+")
    vector = models.BinaryField()  # 32-bit floats, little-endian

    class Meta:
        constraints = [models.UniqueConstraint("model", "sha256", name="one_vector_a_text")]


def on_text_redacted(*, game: int, **_more: object) -> None:
    """Delete the embeddings of a game from which text was removed (signal `text_redacted`)."""
    TextEmbedding.objects.filter(game=game).delete()


class Rehearsal(models.Model):
    """The last rehearsal of a study that was requested on its page.

    `archive` is the ZIP of its data. They were in a temporary database, or in a copy of the study,
    which is deleted.
    """

    WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"

    study = models.OneToOneField("study.Study", models.CASCADE, related_name="+")
    options = models.JSONField()  # data of rehearsal.rehearsal_options.StudyRunOptions
    design = models.CharField(max_length=64)  # SHA-256 of the design that was rehearsed
    state = models.CharField(max_length=10, default=WAITING)
    progress = models.CharField(max_length=200, blank=True)  # a sentence
    result = models.JSONField(default=dict)
    archive = models.BinaryField(null=True, blank=True)  # None until there is one
    failure = models.TextField(blank=True)
    requested_at = models.DateTimeField()
    beat_at = models.DateTimeField()  # time of the last heartbeat
    done_at = models.DateTimeField(null=True, blank=True)


class DeferredPdfsManager(models.Manager["StudyAnalysis"]):
    """Manager that reads the PDFs only on access, because pages do not show them."""

    def get_queryset(self) -> models.QuerySet[StudyAnalysis]:
        return super().get_queryset().defer("pdfs")


class StudyAnalysis(models.Model):
    """The latest results of a study, computed by a worker."""

    study = models.OneToOneField("study.Study", models.CASCADE, related_name="+")
    requested_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    data_digest = models.CharField(max_length=64, blank=True)  # SHA-256 of the data
    data = models.JSONField(default=dict)  # ended, results, figures, tables
    pdfs = models.BinaryField(default=bytes)  # a ZIP of the figures as PDF
    failure = models.CharField(max_length=200, blank=True)

    objects = DeferredPdfsManager()


class Erasure(models.Model):
    """The deletion of a participant's data.

    Some data cannot be deleted immediately: texts in games that others still play, a link that
    still shows a code, a name that is needed for payment. `done_at` is None until all are deleted.
    """

    participant = models.OneToOneField("study.Participant", models.CASCADE, related_name="erasure")
    actor = models.CharField(max_length=150)  # as in AuditEvent
    keeps_owed = models.BooleanField(default=True)  # whether name and payments remain until paid
    requested_at = models.DateTimeField(auto_now_add=True)
    texts_removed_at = models.DateTimeField(null=True, blank=True)  # None while any remain
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
