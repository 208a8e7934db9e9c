"""The raters of a campaign: progress, exclusions and payment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db.models import Count, Q, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from webapp.statistics.reported_statistics import REASONS
from webapp.storable_text import storable
from webapp.study.csv_cells import csv_table
from webapp.study.ethics import participant_erasure
from webapp.study.models import Analysis, Assignment, Campaign, Rater
from webapp.study.rating import exclusion, rater_erasure
from webapp.study.researcher import audit
from webapp.study.researcher.access import access_of, own_campaign, render_not_found
from webapp.study.researcher.downloads import download
from webapp.study.sessions import participant_steps

# minutes: from consent to the rater's end (or when last seen); active_minutes: while a page was
# visible.
PAYMENT_COLUMNS = (
    "rater", "outside_id", "study", "session", "status", "minutes", "active_minutes", "given",
    "answered", "left_out", "codes_shown", "excluded", "exclusion_reason",
)  # fmt: skip


@own_campaign
@require_GET
def raters(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    everyone = [row for row in rows(campaign) if row.consented_at or rater_erasure.is_erased(row)]
    if not access_of(request).may("payments"):
        for row in everyone:
            row.outside = None
    context = {
        "campaign": campaign,
        "tab": "raters",
        "raters": [row for row in everyone if not rater_erasure.is_erased(row)],
        "erased": sum(map(rater_erasure.is_erased, everyone)),
    }
    return render(request, "study/researcher/raters.html", context)


def rows(campaign: Campaign) -> list[Any]:
    """Return the raters, each with `stage`, `flagged`, and counts of the units to rate.

    `given`: assigned and not reassigned. `done`: answered completely. `skipped`: skipped.
    """
    own = Q(
        assignments__is_repeat=False,
        assignments__unit__game__isnull=False,
        assignments__unit__use="",
    )

    def count(state: Q) -> Count:
        return Count("assignments", filter=own & state)

    rater_rows = list(
        campaign.raters.select_related("participant__identity", "participant__study").annotate(
            given=count(~Q(assignments__state=Assignment.TIMED_OUT)),
            done=count(Q(assignments__state=Assignment.ANSWERED)),
            skipped=count(Q(assignments__state=Assignment.SKIPPED)),
        )
    )
    flags = _flags(campaign)
    for rater in rater_rows:
        rater.stage = stage(rater)  # type: ignore[attr-defined]
        rater.flagged = flags.get(rater.pseudonym, [])  # type: ignore[attr-defined]
        rater.overruled = exclusion.reason_of_inclusion(rater)  # type: ignore[attr-defined]
        # Outside names of a study with games are on its payments page, which records who views
        # them.
        shows_names = campaign.study.rates_only
        rater.outside = getattr(rater.participant, "identity", None) if shows_names else None  # type: ignore[attr-defined]
    return rater_rows


def _flags(campaign: Campaign) -> dict[str, list[str]]:
    """Return pseudonym -> sentences of the last statistics about single raters.

    They exclude nobody.
    """
    analysis = Analysis.objects.filter(campaign=campaign).first()
    results: dict[str, Any] = (analysis.data.get("results") if analysis else None) or {}
    return {
        row["rater"]: [_(REASONS[flag["why"]]) for flag in row["flags"] if flag["why"] in REASONS]
        for row in results.get("raters", ())
    }


def stage(rater: Rater) -> str:
    """Return a rater's stage.

    One of invited, reading, rating, finished, screened_out, full, withdrawn or timed_out.
    """
    if rater.left_as:
        return rater.left_as
    if rater.screened_out_at:
        return "screened_out"
    if rater.finished_at:
        return "finished"
    if rater.trained_at:
        return "rating"
    return "reading" if rater.consented_at else "invited"


@own_campaign
@require_POST
def rater(request: HttpRequest, campaign: Campaign, pseudonym: str) -> HttpResponse:
    """Exclude a rater, include them again, or erase their data."""
    rater_row = campaign.raters.filter(pseudonym=pseudonym).first()
    if rater_row is None:
        text = _("Nobody in this study is called {name}.").format(name=pseudonym[:20])
        return render_not_found(request, _("There is no such rater"), text)
    do = request.POST.get("do", "")
    reason = " ".join(storable(request.POST.get("reason", "")).split())
    if do in (exclusion.OUT, exclusion.IN):
        _decide(request, rater_row, do, reason)
    elif do == "erase" and rater_row.participant:
        participant_erasure.erase(rater_row.participant, actor=request.user.get_username())
        text = _("{name} is erased: ratings, times, links and what the outside calls the person.")
        messages.success(request, text.format(name=rater_row.pseudonym))
    return redirect("study:raters", campaign.code)


def _decide(request: HttpRequest, rater_row: Rater, do: str, reason: str) -> None:
    """Exclude or include a rater, recorded with actor and reason."""
    name, actor = rater_row.pseudonym, request.user.get_username()
    if not 1 <= len(reason) <= 120:
        text = _("Say why, in 120 characters at most: it stays on record for {name}.")
        messages.error(request, text.format(name=name))
        return
    audit.record_line(request, do, f"{rater_row.campaign.code} {name}: {reason}")
    if do == exclusion.OUT:
        exclusion.exclude(rater_row, reason, actor=actor)
        text = _("{name} is left out of the results from now on.")
        messages.success(request, text.format(name=name))
        return
    late = exclusion.include(rater_row, reason, actor=actor)
    text = _("{name} counts again.").format(name=name)
    if late:
        more = ngettext(
            "{n} answer stays beside the quota: its place has gone to somebody else.",
            "{n} answers stay beside the quota: their places have gone to others.",
            late,
        )
        text = f"{text} {more.format(n=late)}"
    messages.success(request, text)


@own_campaign
@require_GET
def payments(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return a CSV file of the raters to pay, for the service that sent them.

    It has everybody who agreed. It contains outside names, so it is not part of the exports.
    """
    audit.record_line(request, "export", f"{campaign.code} payments.csv")
    return download(
        csv_table(PAYMENT_COLUMNS, _payment_lines(campaign)), f"fabula-{campaign.code}-payments.csv"
    )


def _payment_lines(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    active = dict(
        Rater.objects.filter(campaign=campaign)
        .annotate(active=Sum("assignments__active_ms"))
        .values_list("pk", "active")
    )
    for row in rows(campaign):
        if rater_erasure.is_erased(row) or not row.consented_at:
            continue
        outside = row.outside
        yield (
            row.pseudonym,
            outside.label if outside else None,
            outside.study if outside else None,
            outside.session if outside else None,
            row.stage,
            _minutes(row.consented_at, _ended(row)),
            f"{(active[row.pk] or 0) / 60_000:.1f}",
            row.given,
            row.done,
            row.skipped,
            participant_steps.completion_code(row.participant) if row.participant.exit else "",
            row.excluded,
            row.exclusion_reason,
        )


def _ended(rater: Rater) -> datetime | None:
    """Return when the rater finished or left, or when an active one was last seen."""
    ends = (rater.finished_at, rater.left_at, rater.screened_out_at)
    return next((end for end in ends if end), rater.seen_at)


def _minutes(start: datetime, end: datetime | None) -> str:
    return f"{(end - start).total_seconds() / 60:.1f}" if end and end > start else "0.0"
