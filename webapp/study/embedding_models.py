"""Rows of embeddings: vectors of statements, so that no text is requested twice."""

from __future__ import annotations

from django.db import models

from game.models import Game


class TextEmbedding(models.Model):
    """The vector of a text by one model. The text itself is not stored.

    `game` is a game in which it was said. If text is removed from that game, its rows are deleted.
    """

    model = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)  # of the text
    game = models.ForeignKey(Game, models.CASCADE, related_name="+")
    vector = models.BinaryField()  # 32-bit floats, little-endian

    class Meta:
        constraints = [models.UniqueConstraint("model", "sha256", name="one_vector_a_text")]

    def __str__(self) -> str:
        return f"{self.model} {self.sha256[:12]}"


def forget_texts(*, game: int, **_more: object) -> None:
    """Delete the vectors of a game from which text was removed (the signal `words_blanked`)."""
    TextEmbedding.objects.filter(game=game).delete()
