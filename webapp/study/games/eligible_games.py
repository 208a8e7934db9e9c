"""Which finished games a researcher may use.

Those of computer players alone, and those whose table agreed.

A table agrees where its host says so, and everybody who sits down is told (`Table.research`). Games
of a study are its own researcher's, once it is over and may be told who was a person.
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from game.models import Game, Player
from webapp.play.models import Table
from webapp.study.models import Slot, Study


def agreed() -> Q:
    """Return a condition on games."""
    person = Player.objects.filter(game=OuterRef("pk"), kind=Player.PERSON)
    table = Table.objects.filter(game=OuterRef("pk"), research=True)
    return Q(~Exists(person)) | Q(Exists(table))


def usable(owner: int) -> Q:
    """A condition on games: agreed to, and not of a study that goes on or is somebody else's.

    owner: the researcher's id.
    """
    of_study = Slot.objects.filter(game=OuterRef("pk"))
    busy = Slot.objects.filter(study=OuterRef("study"), state__in=(Slot.FILLING, Slot.PLAYING))
    over = of_study.filter(study__owner=owner, study__state=Study.CLOSED).exclude(Exists(busy))
    return agreed() & (Q(~Exists(of_study)) | Q(Exists(over)))


def played(which: Q) -> QuerySet[Game]:
    """The games that a condition admits and that were played to their end, the newest first."""
    over = Game.objects.filter(ended_at__isnull=False, called_off=False)
    return over.filter(which).order_by("-ended_at", "-pk")
