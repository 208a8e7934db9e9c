"""The pages of a campaign's raters: list, exclusion, erasure, file of payments, and progress."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.contrib import messages
from django.db.models import Count, Max, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.middleware import is_htmx_request
from webapp.statistics.reported_statistics import REASONS
from webapp.storable_text import storable
from webapp.study.csv_cells import csv_table
from webapp.study.design.conditions import readable_names
from webapp.study.ethics import participant_erasure
from webapp.study.models import Analysis, Assignment, Campaign, Identity, Rater
from webapp.study.rating import exclusion, quotas, rater_erasure
from webapp.study.rating.stimuli import first_place
from webapp.study.researcher import audit
from webapp.study.researcher.access import access_of, get_row_or_404, own_campaign
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import download
from webapp.study.sessions import enrolment, participant_state

# "minutes" are those from consent until the rater finished, left or was last seen. "active_minutes"
# are those in which a page was visible.
PAYMENT_COLUMNS = (
    "rater", "outside_id", "study", "session", "status", "minutes", "active_minutes", "given",
    "answered", "left_out", "codes_shown", "excluded", "exclusion_reason",
)  # fmt: skip


@own_campaign("GET")
def rater_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the raters with progress and exclusion, without those who were erased."""
    raters, flags = list(raters_with_counts(campaign)), _find_flags(campaign)
    remaining = [rater for rater in raters if not rater_erasure.is_erased(rater)]
    shows_names = access_of(request).may("payments")
    context = {
        "campaign": campaign,
        "tab": "raters",
        "rows": [
            {
                "rater": rater,
                "stage": stage_of(rater),
                "flags": flags.get(rater.pseudonym, ()),
                "inclusion_reason": exclusion.inclusion_reason(rater),
                "identity": _find_identity(campaign, rater) if shows_names else None,
            }
            for rater in remaining
            if rater.consented_at
        ],
        "erased": len(raters) - len(remaining),
    }
    return render(request, "study/researcher/raters.html", context)


def raters_with_counts(campaign: Campaign) -> QuerySet[Any]:
    """Return all raters with their numbers of units.

    These are `given` (assigned and not reassigned), `done` (answered completely) and `skipped`.
    """
    is_rating = Q(
        assignments__is_repeat=False,
        assignments__unit__game__isnull=False,
        assignments__unit__use="",
    )

    def count(state: Q) -> Count:
        return Count("assignments", filter=is_rating & state)

    return campaign.raters.select_related("participant__identity", "participant__study").annotate(
        given=count(~Q(assignments__state=Assignment.TIMED_OUT)),
        done=count(Q(assignments__state=Assignment.ANSWERED)),
        skipped=count(Q(assignments__state=Assignment.SKIPPED)),
    )


def _find_identity(campaign: Campaign, rater: Rater) -> Identity | None:
    # The payments page of a study with games has the outside names, and records views of them.
    return getattr(rater.participant, "identity", None) if campaign.study.rates_only else None


def _find_flags(campaign: Campaign) -> dict[str, list[str]]:
    """Return pseudonym -> texts of the flags of the last statistics, which exclude nobody."""
    analysis = Analysis.objects.filter(campaign=campaign).first()
    results: dict[str, Any] = (analysis.data.get("results") if analysis else None) or {}
    return {
        row["rater"]: [_(REASONS[flag["why"]]) for flag in row["flags"] if flag["why"] in REASONS]
        for row in results.get("raters", ())
    }


def stage_of(rater: Rater) -> str:
    """Return the rater's stage: a key of `rater_stages`, except "excluded"."""
    if rater.left_as:
        return rater.left_as
    if rater.screened_out_at:
        return "screened_out"
    if rater.finished_at:
        return "finished"
    if rater.trained_at:
        return "rating"
    return "reading" if rater.consented_at else "invited"


@own_campaign("POST")
def change_rater(request: HttpRequest, campaign: Campaign, pseudonym: str) -> HttpResponse:
    """Exclude a rater, include an excluded one, or erase a rater's data."""
    text = _("No rater in this study is called {name}.").format(name=pseudonym[:20])
    rows = campaign.raters.filter(pseudonym=pseudonym)
    rater = get_row_or_404(rows, _("This rater does not exist"), text)
    action = request.POST.get("do", "")
    reason = " ".join(storable(request.POST.get("reason", "")).split())
    if action in (exclusion.EXCLUDE, exclusion.INCLUDE):
        _change_exclusion(request, rater, action, reason)
    elif action == "erase" and rater.participant:
        participant_erasure.erase_participant(rater.participant, actor=request.user.get_username())
        text = _("The data of {name} were erased: ratings, times, links and the external name.")
        messages.success(request, text.format(name=rater.pseudonym))
    return redirect("study:raters", campaign.code)


def _change_exclusion(request: HttpRequest, rater: Rater, action: str, reason: str) -> None:
    name, actor = rater.pseudonym, request.user.get_username()
    if not 1 <= len(reason) <= exclusion.MAX_STORED_REASON_CHARS:
        text = _("Enter a reason of up to {most} characters. It is stored for {name}.")
        messages.error(request, text.format(most=exclusion.MAX_STORED_REASON_CHARS, name=name))
        return
    audit.record_line(request, action, f"{rater.campaign.code} {name}: {reason}")
    if action == exclusion.EXCLUDE:
        exclusion.exclude(rater, reason, actor=actor)
        text = _("{name} is now excluded from the results.")
        messages.success(request, text.format(name=name))
        return
    over_quota_count = exclusion.include(rater, reason, actor=actor)
    text = _("{name} is included in the results again.").format(name=name)
    if over_quota_count:
        more = ngettext(
            "{n} answer is outside the quota because another rater took its place.",
            "{n} answers are outside the quota because other raters took their places.",
            over_quota_count,
        )
        text = f"{text} {more.format(n=over_quota_count)}"
    messages.success(request, text)


@own_campaign("GET")
def download_payments(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Download a CSV file of the raters to pay, for the service that sent them.

    The file has all raters who agreed. It is no export, because it has their outside names.
    """
    audit.record_line(request, "export", f"{campaign.code} payments.csv")
    body = csv_table(PAYMENT_COLUMNS, _build_payment_rows(campaign))
    return download(body, f"fabula-{campaign.code}-payments.csv")


def _build_payment_rows(campaign: Campaign) -> Iterator[list[Any]]:
    """Yield the cells of PAYMENT_COLUMNS for each rater who agreed."""
    for rater in raters_with_counts(campaign).annotate(active_ms=Sum("assignments__active_ms")):
        if rater_erasure.is_erased(rater) or not rater.consented_at:
            continue
        identity = _find_identity(campaign, rater) or Identity()
        ends = (rater.finished_at, rater.left_at, rater.screened_out_at, rater.seen_at)
        end = next(filter(None, ends), rater.consented_at)
        minutes = max(0.0, (end - rater.consented_at).total_seconds() / 60)
        cells = {
            "rater": rater.pseudonym, "status": stage_of(rater),
            "outside_id": identity.label, "study": identity.study, "session": identity.session,
            "minutes": f"{minutes:.1f}", "active_minutes": f"{(rater.active_ms or 0) / 60_000:.1f}",
            "given": rater.given, "answered": rater.done, "left_out": rater.skipped,
            "codes_shown": participant_state.completion_code(rater.participant),
            "excluded": rater.excluded, "exclusion_reason": rater.exclusion_reason,
        }  # fmt: skip
        yield [cells[column] for column in PAYMENT_COLUMNS]


@own_campaign("GET")
def progress(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    context = {"campaign": campaign, "tab": "progress", **progress_figures(campaign)}
    return render(request, "study/researcher/progress.html", context)


@own_campaign("GET")
def progress_part(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if not is_htmx_request(request):
        return redirect("study:progress", campaign.code)
    context = {"campaign": campaign, **progress_figures(campaign)}
    return render(request, "study/researcher/progress_part.html", context)


def progress_figures(campaign: Campaign) -> dict[str, Any]:
    """Return the counts of the page. Repeats, checks and excluded raters do not count."""
    units = campaign.rated_units.annotate(covered=quotas.answer_count())
    units = units.filter(stimuli__place=first_place(campaign))
    answers_by_condition: dict[str, list[int]] = {}  # condition -> numbers of answers of its units
    for condition, answers in units.values_list("stimuli__condition", "covered"):
        answers_by_condition.setdefault(condition, []).append(answers)
    # Number of answers -> number of units that have this number.
    unit_counts = Counter(chain.from_iterable(answers_by_condition.values()))
    quota = campaign.raters_per_unit
    names = readable_names(participant_state.design_of(campaign.study))
    wanted_count = quota * unit_counts.total()
    given_count = sum(min(answers, quota) * count for answers, count in unit_counts.items())
    return {
        "wanted": wanted_count,
        "given": given_count,
        "percent": 100 * given_count // wanted_count if wanted_count else 0,
        "people": _count_raters_by_stage(campaign),
        "coverage": [
            {"answers": n, "units": unit_counts[n]}
            for n in sorted({*range(quota + 1), *unit_counts})
        ],
        "units": unit_counts.total(),
        "conditions": [
            {
                "name": names.get(name, name),
                "given": sum(min(n, quota) for n in answer_counts),
                "wanted": quota * len(answer_counts),
            }
            for name, answer_counts in sorted(answers_by_condition.items())
        ],
        "live": campaign.state == Campaign.OPEN,
        **_count_answers(campaign),
    }


def _count_raters_by_stage(campaign: Campaign) -> list[dict[str, Any]]:
    raters = [rater for rater in campaign.raters.all() if not rater_erasure.is_erased(rater)]
    stages = Counter(stage_of(rater) for rater in raters if rater.consented_at)
    if campaign.study.rates_only:
        stages["invited"] = enrolment.participants_with_unused_links(campaign.study).count()
    stages["excluded"] = sum(rater.excluded for rater in raters)
    return [
        {"key": key, "name": name, "n": stages[key]} for key, name in LABELS["rater_stages"].items()
    ]


def _count_answers(campaign: Campaign) -> dict[str, Any]:
    """Return the counts of open, skipped and late answers, and the time of the latest."""
    assignments = Assignment.objects.filter(
        rater__campaign=campaign, rater__kind=Rater.PERSON, unit__game__isnull=False, unit__use=""
    )
    return assignments.aggregate(
        out=Count("pk", filter=Q(state=Assignment.OPEN, leased_until__gt=timezone.now())),
        skipped=Count("pk", filter=Q(state=Assignment.SKIPPED)),
        late=Count("pk", filter=Q(over_quota=True)),
        latest=Max("submitted_at"),
    )
