"""Which finished games a researcher may use: games without people, and games with agreement.

A table has agreed if its host chose so; everybody who sits down is informed (`Table.research`).
Games of a study belong to its owner and its editors, once it is over and may be revealed who was a
person.
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from game.models import Game, Player
from webapp.play.models import Table
from webapp.study.models import Slot, Study
from webapp.study.permissions import Permission, studies_with


def games_with_agreement() -> Q:
    """Return a condition on games: without people, or at a table that agreed to research."""
    person = Player.objects.filter(game=OuterRef("pk"), kind=Player.PERSON)
    table = Table.objects.filter(game=OuterRef("pk"), research=True)
    return Q(~Exists(person)) | Q(Exists(table))


def usable_games(account_id: int) -> Q:
    """Return a condition on games: agreed, and in no running study and no study of others.

    Games of an own experiment are usable while it runs: they reveal nobody.
    """
    of_study = Slot.objects.filter(game=OuterRef("pk"))
    busy = Slot.objects.filter(study=OuterRef("study"), state__in=(Slot.FILLING, Slot.PLAYING))
    own = of_study.filter(study__in=Study.objects.filter(studies_with(account_id, Permission.EDIT)))
    over = own.filter(study__state=Study.CLOSED, study__rehearsal=False).exclude(Exists(busy))
    experiment = own.filter(study__design__table__people=0)
    usable = Q(~Exists(of_study)) | Q(Exists(over)) | Q(Exists(experiment))
    return games_with_agreement() & usable


def finished_games(which: Q) -> QuerySet[Game]:
    """Return the games under a condition that were played to their end, newest first."""
    over = Game.objects.filter(ended_at__isnull=False, called_off=False)
    return over.filter(which).order_by("-ended_at", "-pk")
