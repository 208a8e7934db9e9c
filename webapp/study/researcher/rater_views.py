"""The raters of a campaign: the links they come by, how far each is, and who is left out."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_POST

from webapp.storable_text import storable
from webapp.study import audit, campaigns, erasure, exclusion
from webapp.study.models import Assignment, Campaign, Identity, Rater, normal
from webapp.study.researcher.access import no_such, own_campaign
from webapp.study.researcher.analysis_access import flags_of

MOST_AT_ONCE, MOST = 500, 5000
MOST_BYTES = 256 * 1024  # of a list of people
PROLIFIC = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


class LinksForm(forms.Form):
    """Personal links, made at once: so many, or one for each label."""

    number = forms.IntegerField(
        label=gettext_lazy("How many"), min_value=1, max_value=MOST_AT_ONCE, required=False
    )
    labels = forms.CharField(
        label=gettext_lazy("or one for each of these"),
        help_text=gettext_lazy(
            "A label in each line. It is for you alone: kept apart from the data, in no export."
        ),
        required=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    file = forms.FileField(
        label=gettext_lazy("or a file of them"),
        help_text=gettext_lazy(
            "Text, an identifier in each line; of a table the first column. Whoever is on the list"
            " already gets no second link."
        ),
        required=False,
    )

    def clean_file(self) -> str:
        given = self.cleaned_data["file"]
        if given is None:
            return ""
        if given.size > MOST_BYTES:
            raise forms.ValidationError(_("That file is too large for a list of people."))
        try:
            text: str = given.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise forms.ValidationError(_("Save the list as plain text (UTF-8).")) from None
        if "\x00" in text:
            raise forms.ValidationError(_("Save the list as plain text (UTF-8)."))
        return text

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        where = "file" if data.get("file") else "labels"
        lines = data.get("labels", "").splitlines()
        lines += [re.split(r"[,;\t]", line)[0] for line in (data.get("file") or "").splitlines()]
        names = [" ".join(line.strip(" \"'").split()) for line in lines]
        names = [name for name in names if name]
        if any(len(name) > 200 for name in names):
            self.add_error(where, _("A label has 200 characters at most."))
        if len(names) > MOST_AT_ONCE:
            text = _("At most {most} links at once.").format(most=MOST_AT_ONCE)
            self.add_error(where, text)
        data["names"] = list({normal(n): n for n in reversed(names)}.values())[::-1]
        if not names and not data.get("number") and not self.errors:
            self.add_error("number", _("Say how many, or give a label for each."))
        return data


def address(request: HttpRequest, way: str) -> str:
    return f"{request.scheme}://{request.get_host()}{way}"


def shared_way(campaign: Campaign) -> str:
    return reverse("rate:shared", args=[campaign.key])


def personal_way(rater: Rater) -> str:
    return reverse("rate:as", args=[rater.key])


@own_campaign
@require_GET
def raters(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return _page(request, campaign, LinksForm())


def _page(request: HttpRequest, campaign: Campaign, form: LinksForm) -> HttpResponse:
    everyone = [row for row in rows(campaign) if not erasure.is_erased(row)]
    waiting = [row for row in everyone if row.stage == "invited"]
    context = {
        "campaign": campaign,
        "tab": "raters",
        "form": form,
        "shared": address(request, shared_way(campaign)),
        "prolific": address(request, shared_way(campaign) + PROLIFIC),
        "waiting": [(row, address(request, personal_way(row))) for row in waiting],
        "raters": [row for row in everyone if row.stage != "invited"],
        "erased": sum(map(erasure.is_erased, campaign.raters.all())),
    }
    status = 422 if form.errors else 200
    return render(request, "study/researcher/raters.html", context, status=status)


def rows(campaign: Campaign) -> list[Any]:
    """The raters, each with `stage`, `flagged`, and of the units to rate: `given` (what was taken
    back again is not counted), `done` (answered whole) and `skipped` (left out)."""
    own = Q(
        assignments__is_repeat=False,
        assignments__unit__game__isnull=False,
        assignments__unit__use="",
    )

    def count(state: Q) -> Count:
        return Count("assignments", filter=own & state)

    found = list(
        campaign.raters.select_related("identity").annotate(
            given=count(~Q(assignments__state=Assignment.TIMED_OUT)),
            done=count(Q(assignments__state=Assignment.ANSWERED)),
            skipped=count(Q(assignments__state=Assignment.SKIPPED)),
        )
    )
    flags = flags_of(campaign)
    for rater in found:
        rater.stage = stage(rater)  # type: ignore[attr-defined]
        rater.flagged = flags.get(rater.pseudonym, [])  # type: ignore[attr-defined]
        rater.overruled = exclusion.overruled(rater)  # type: ignore[attr-defined]
        rater.outside = getattr(rater, "identity", None)  # type: ignore[attr-defined]
    return found


def stage(rater: Rater) -> str:
    """How far a rater is: invited, reading, rating, finished, screened_out, full,
    withdrawn or timed_out."""
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
def links(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Make personal links. Nobody is a rater before pressing the button behind theirs."""
    form = LinksForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, campaign, form)
    asked = form.cleaned_data["names"]
    with transaction.atomic():
        locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
        listed = set(
            Identity.objects.filter(rater__campaign=locked).values_list("normal", flat=True)
        )
        names = [name for name in asked if normal(name) not in listed]
        names = names if asked else [""] * form.cleaned_data["number"]
        if locked.raters.count() + len(names) > MOST:
            form.add_error("number", _("A campaign has {most} links at most.").format(most=MOST))
            return _page(request, campaign, form)
        for name in names:
            rater = Rater.objects.create(
                campaign=locked, pseudonym=campaigns.next_pseudonym(locked), invited=True
            )
            if name:
                Identity.objects.create(rater=rater, label=name)
    text = ngettext("{n} link made.", "{n} links made.", len(names)).format(n=len(names))
    if again := max(0, len(asked) - len(names)):
        more = ngettext("{n} is listed already.", "{n} are listed already.", again)
        text = f"{text} {more.format(n=again)}"
    messages.success(request, text)
    return redirect("study:raters", campaign.code)


@own_campaign
@require_GET
def link_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The links nobody has used yet, one in each line after its label, as a text file."""
    waiting = [row for row in rows(campaign) if row.stage == "invited" and row.invited]
    lines = (
        f"{row.outside.label if row.outside else row.pseudonym}\t"
        f"{address(request, personal_way(row))}\n"
        for row in waiting
        if not erasure.is_erased(row)
    )
    audit.note(request, "export", f"{campaign.code} links.txt")
    response = HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    name = f"fabula-{campaign.code}-links.txt"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@own_campaign
@require_POST
def rater(request: HttpRequest, campaign: Campaign, pseudonym: str) -> HttpResponse:
    """Exclude a rater, take that back, take a link back, or erase the person."""
    found = campaign.raters.filter(pseudonym=pseudonym).first()
    if found is None:
        text = _("Nobody in this campaign is called {name}.").format(name=pseudonym[:20])
        return no_such(request, _("There is no such rater"), text)
    do = request.POST.get("do", "")
    reason = " ".join(storable(request.POST.get("reason", "")).split())
    if do in (exclusion.OUT, exclusion.IN):
        _decide(request, found, do, reason)
    elif do == "revoke" and stage(found) == "invited":
        campaign.raters.filter(pk=found.pk, consented_at=None, screened_out_at=None).delete()
        messages.success(request, _("The link opens nothing any more."))
    elif do == "erase":
        campaigns.erase(found)
        text = _("{name} is erased: ratings, times, links and what the outside calls the person.")
        messages.success(request, text.format(name=found.pseudonym))
    return redirect("study:raters", campaign.code)


def _decide(request: HttpRequest, found: Rater, do: str, reason: str) -> None:
    """Leave a rater out or let them in again: on record, with who decided and why."""
    name, who = found.pseudonym, request.user.get_username()
    if not 1 <= len(reason) <= 120:
        text = _("Say why, in 120 characters at most: it stays on record for {name}.")
        messages.error(request, text.format(name=name))
        return
    audit.note(request, do, f"{found.campaign.code} {name}: {reason}")
    if do == exclusion.OUT:
        exclusion.exclude(found, reason, who=who)
        text = _("{name} is left out of the results from now on.")
        messages.success(request, text.format(name=name))
        return
    late = exclusion.include(found, reason, who=who)
    text = _("{name} counts again.").format(name=name)
    if late:
        more = ngettext(
            "{n} answer stays beside the quota: its place has gone to somebody else.",
            "{n} answers stay beside the quota: their places have gone to others.",
            late,
        )
        text = f"{text} {more.format(n=late)}"
    messages.success(request, text)
