"""The ways in for raters: a campaign's shared link, and each rater's own.

Opening a link enrols nobody and stores nothing, pressing its button does. What the outside calls
somebody is kept apart and opens nothing: only the own link leads back to what one has rated.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from webapp.play import visitors
from webapp.proxies import address_of
from webapp.study import campaigns, effort, exits, rater_exits, shared_links
from webapp.study.erasure import ERASED, erased_key, was_erased
from webapp.study.models import Campaign, Identity, Rater, normal
from webapp.study.rater import rater_sessions, stages
from webapp.study.rater.notices import many, notice, unknown

# How well somebody knows the game (SPEC 4), from nothing to expert.
EXPERIENCE = (
    (0, gettext_lazy("I don’t know the game")),
    (1, gettext_lazy("I know it, but have not played")),
    (2, gettext_lazy("I have played it")),
    (3, gettext_lazy("I play it well")),
    (4, gettext_lazy("I am an expert")),
)


class Consent(forms.Form):
    """What the button of the first page sends."""

    experience = forms.TypedChoiceField(
        label=gettext_lazy("How well do you know Werewolf, or Mafia, as a game?"),
        choices=EXPERIENCE,
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose what comes nearest."),
            "invalid_choice": gettext_lazy("Choose one of these five."),
        },
    )


class TakenName(Exception):
    """Somebody of that outside name has begun already, in another browser."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def shared(request: HttpRequest, key: str) -> HttpResponse:
    """The link that everybody gets."""
    campaign = Campaign.objects.filter(key=key).first()
    if campaign is None:
        return unknown(request)
    posted = request.POST.get("coming", "")
    told = shared_links.read_form(campaign.key, posted) if request.method == "POST" else None
    names = told or shared_links.parse_names(request.GET)
    if _gone(request, campaign, names) or (told and was_erased(told["ticket"])):
        return _erased(
            request, told["ticket"] if told else rater_sessions.key_here(request, campaign)
        )
    rater = rater_sessions.rater_here(request, campaign)
    if rater and not _is_somebody_else(rater, names):
        return redirect("rate:as", rater.key)
    if refusal := _not_open(request, campaign) or _not_listed(request, campaign):
        return refusal
    if refusal := _before(request, campaign):
        return refusal
    carried = posted if told else shared_links.sign_form(campaign.key, names)
    form = Consent(request.POST if request.method == "POST" else None)
    if request.method == "POST" and not told:  # without the page that was shown, or a changed one
        return _consent(request, campaign, form, came=carried, again=True)
    if not told or not form.is_valid():
        return _consent(request, campaign, form, came=carried)
    return _begin(request, campaign, told, form.cleaned_data["experience"])


def _before(request: HttpRequest, campaign: Campaign) -> HttpResponse | None:
    """A way out before anything is stored: all is rated, or somebody would rather not; none where
    one can begin."""
    if request.POST.get("do") == "decline":
        return stages.ended(request, campaign, exits.DECLINED)
    if rater_exits.all_rated(campaign):
        return stages.ended(request, campaign, exits.FULL)
    return None


def _begin(
    request: HttpRequest, campaign: Campaign, told: Mapping[str, str], experience: int
) -> HttpResponse:
    """The button was pressed: from here on there is something stored."""
    if not shared_links.may_begin(campaign.pk, address_of(request)):
        return many(request)
    try:
        rater = enrol(campaign, told, experience, visitors.visitor_of(request.session))
    except TakenName:
        return _taken(request)
    rater_sessions.remember(request, rater)
    return redirect("rate:as", rater.key)


def _gone(request: HttpRequest, campaign: Campaign, names: Mapping[str, str]) -> bool:
    """Whether the rater of this browser has been erased, and nobody else has come in it."""
    erased = rater_sessions.key_here(request, campaign).startswith(ERASED)
    return erased and not names.get("label")


def _is_somebody_else(rater: Rater, names: Mapping[str, str]) -> bool:
    """Whether the link brought another outside name than the rater of this browser has."""
    label = names.get("label", "")
    known = Identity.objects.filter(rater=rater).values_list("label", flat=True).first()
    return bool(label) and bool(known) and normal(label) != normal(known or "")


def enrol(
    campaign: Campaign, told: Mapping[str, str], experience: int, visitor: uuid.UUID | None
) -> Rater:
    """Enrol a rater; idempotent by the form's ticket. A duplicate outside name raises
    TakenName."""
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        names = {name: told.get(name, "") for name in ("label", "study", "session")}
        if rater := Rater.objects.filter(campaign=campaign, key=told["ticket"]).first():
            return rater
        known = Identity.objects.filter(rater__campaign=campaign, normal=normal(names["label"]))
        if names["label"] and known.exists():
            raise TakenName
        rater = Rater(
            campaign=campaign,
            key=told["ticket"],
            pseudonym=campaigns.next_pseudonym(campaign),
            visitor=visitor,
        )
        _consented(rater, experience)
        if any(names.values()):
            Identity.objects.create(rater=rater, **names)
    return rater


def _consented(rater: Rater, experience: int) -> None:
    now = timezone.now()
    rater.experience, rater.consented_at, rater.seen_at = experience, now, now
    if experience < rater.campaign.least_experience:
        rater.screened_out_at = now
    rater.save()


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def personal(request: HttpRequest, key: str) -> HttpResponse:
    """A rater's own link: consent where it is the first time, else on from where they were; in a
    browser that is not theirs yet, once its button is pressed."""
    rater = Rater.objects.filter(key=key).select_related("campaign").first()
    if rater is None:
        return _erased(request, key) if was_erased(key) else unknown(request)
    if stages.is_erased(rater):
        return unknown(request)
    here = rater_sessions.rater_here(request, rater.campaign)
    posted = request.POST if request.method == "POST" else {}
    pressed = bool(posted.get("change"))
    agreeing = "own" in posted and not rater.consented_at
    if here != rater and not (pressed or agreeing) and (here or rater.consented_at):
        return render(request, "study/rater/change.html", {"key": key, "here": here})
    if rater.consented_at:
        rater_sessions.remember(request, rater)
        return stages.onward(request, rater)
    if refusal := _not_open(request, rater.campaign) or _before(request, rater.campaign):
        return refusal
    bound = request.method == "POST" and not pressed
    form = Consent(request.POST if bound else None)
    if not form.is_bound or not form.is_valid():
        return _consent(request, rater.campaign, form, own=key)
    with transaction.atomic():
        row = Rater.objects.select_for_update().select_related("campaign").get(pk=rater.pk)
        if not row.consented_at:
            row.visitor = visitors.visitor_of(request.session)
            _consented(row, form.cleaned_data["experience"])
    rater_sessions.remember(request, row)
    return redirect("rate:as", key)


def _consent(
    request: HttpRequest,
    campaign: Campaign,
    form: Consent,
    *,
    own: str = "",
    came: str = "",
    again: bool = False,
) -> HttpResponse:
    context = {"campaign": campaign, "form": form, "own": own, "coming": came, "again": again}
    context["minutes"] = effort.announced(campaign)
    status = 409 if again else 422 if form.errors else 200
    response = render(request, "study/rater/consent.html", context, status=status)
    # The address may name whoever is coming: no request for a style or picture repeats it.
    response["Referrer-Policy"] = "strict-origin"
    return response


def _not_open(request: HttpRequest, campaign: Campaign) -> HttpResponse | None:
    """Why nobody can begin now; none while one can."""
    if campaign.state == Campaign.OPEN:
        return None
    if campaign.state == Campaign.CLOSED:
        text = _("All ratings are in. Thank you for coming; there is nothing more to do here.")
        return notice(request, 410, _("This survey is closed"), text)
    text = _("Whoever sent you the link has not opened it yet. Try again later.")
    return notice(request, 409, _("Not open yet"), text)


def _not_listed(request: HttpRequest, campaign: Campaign) -> HttpResponse | None:
    """The shared link of a campaign for listed people; none where it is for everybody."""
    if not campaign.listed_only:
        return None
    text = _(
        "This survey is for invited people, each by a link of their own. Open the whole link that"
        " was sent to you, or ask whoever invited you for it."
    )
    return notice(request, 403, _("Open your own link"), text)


def _erased(request: HttpRequest, key: str = "") -> HttpResponse:
    """What the link of somebody erased says; key: of their own link, or as a browser knows it."""
    known = key if key.startswith(ERASED) else erased_key(key)
    if rater := Rater.objects.filter(key=known, left_as=exits.WITHDRAWN).first():
        return stages.ended(request, rater.campaign, exits.WITHDRAWN, erased=True)
    text = _("What was rated by this link has been erased on request. Nothing of it is kept.")
    return notice(request, 410, _("These ratings are gone"), text)


def _taken(request: HttpRequest) -> HttpResponse:
    text = _(
        "Somebody who came by the same name began in another browser. If that was you, go on there,"
        " or open your own link: it stands on your page, under “Pause”."
    )
    return notice(request, 409, _("You have begun elsewhere"), text)
