"""What a rater must not be given: words beside those they have read, and words that are gone."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from webapp.study.models import Assignment, Campaign, Rater, Stimulus, Unit

NO_TRACK = -1


def tracks(rater: Rater, campaign: Campaign) -> dict[int, int]:
    """game -> the track that the rater is on there (webapp.study.tracks), because of a unit given
    to them or of one of known answer, which everybody is given; NO_TRACK where they differ."""
    known = campaign.units.filter(~Q(use=""), game__isnull=False)
    on: dict[int, int] = dict(known.values_list("game", "track"))
    ever = Assignment.objects.filter(rater=rater)  # a page that was given away may have been read
    for game, track in ever.exclude(unit__game=None).values_list("unit__game", "unit__track"):
        on[game] = track if on.get(game, track) == track else NO_TRACK
    return on


def wordless(campaign: Campaign) -> QuerySet[Stimulus, int]:
    """The ids of the units whose words have been taken out since they were drawn."""
    rows = Stimulus.objects.filter(unit__campaign=campaign, unit__kind=Unit.UTTERANCE, place=1)
    return rows.filter(utterance__text="").values_list("unit", flat=True)
