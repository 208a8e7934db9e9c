"""The finished games that a researcher may use: those without people, and those with agreement.

The host of a table decides whether it agrees to research (`Table.research`), and everyone who takes
a seat is informed. The owner and the editors of a study may use its games only once it is over, so
that no game reveals who is a person.
"""

from django.db.models import Exists, OuterRef, Q, QuerySet

from game.models import Game, Player
from webapp.play.models import Table
from webapp.study.models import Slot, Study
from webapp.study.permissions import Permission, studies_with


def games_with_agreement() -> Q:
    """Return a filter of games without people, or of a table that agreed to research."""
    person = Player.objects.filter(game=OuterRef("pk"), kind=Player.PERSON)
    table = Table.objects.filter(game=OuterRef("pk"), research=True)
    return Q(~Exists(person)) | Q(Exists(table))


def usable_games(account_id: int) -> Q:
    """Return a filter of games with agreement, without those of running or others' studies."""
    slots = Slot.objects.filter(game=OuterRef("pk"))
    busy_states = (Slot.FILLING, Slot.PLAYING)
    busy_slots = Slot.objects.filter(study=OuterRef("study"), state__in=busy_states)
    own_studies = Study.objects.filter(studies_with(account_id, Permission.EDIT))
    own_slots = slots.filter(study__in=own_studies)
    closed_slots = own_slots.filter(study__state=Study.CLOSED, study__rehearsal=False)
    closed_slots = closed_slots.exclude(Exists(busy_slots))
    # No people play in experiments, so their games are usable while they run.
    experiment_slots = own_slots.filter(study__design__table__people=0)
    usable = Q(~Exists(slots)) | Q(Exists(closed_slots)) | Q(Exists(experiment_slots))
    return games_with_agreement() & usable


def finished_games(game_filter: Q) -> QuerySet[Game]:
    """Return the games of a filter that were played to their end, newest first."""
    finished = Game.objects.filter(ended_at__isnull=False, called_off=False)
    return finished.filter(game_filter).order_by("-ended_at", "-pk")
