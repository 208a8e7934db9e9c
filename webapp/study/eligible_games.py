"""Which games may enter a campaign: those of computer players alone, and those whose table agreed.

A table agrees where its host says so, and everybody who sits down is told (`Table.research`).
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

from game.models import Player
from webapp.play.models import Table


def agreed() -> Q:
    """A condition on games."""
    person = Player.objects.filter(game=OuterRef("pk"), kind=Player.PERSON)
    table = Table.objects.filter(game=OuterRef("pk"), research=True)
    return Q(~Exists(person)) | Q(Exists(table))
