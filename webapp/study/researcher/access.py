"""Access of researchers to their own studies and campaigns, and to those shared with them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any, Concatenate
from urllib.parse import urlencode

from django.contrib.auth import get_user, logout
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from webapp.play.error_pages import message
from webapp.study import permissions
from webapp.study.models import Campaign, Study
from webapp.study.permissions import Access, Permission
from webapp.study.researcher import audit

View = Callable[..., HttpResponse]

LAST_USE_KEY = "_used"  # session key: time of the researcher's last use, in seconds since 1970
IDLE_LIMIT_S = 24 * 3600  # seconds without use after which a researcher must sign in again
USE_WRITE_INTERVAL_S = 300  # minimum seconds between two writes of the time of use
PREVIEWS = ("study_plan", "plan", "study_preview_page")  # posts that change nothing
CampaignView = Callable[Concatenate[HttpRequest, Campaign, ...], HttpResponse]
StudyView = Callable[Concatenate[HttpRequest, Study, ...], HttpResponse]


def is_htmx_request(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def researchers_only(view: View) -> View:
    """Redirect visitors who are not signed in to the sign-in page, which leads back here."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not _signed_in(request):
            return _sign_in_first(request)
        response = view(request, *args, **kwargs)
        add_never_cache_headers(response)
        return response

    return wrapped


def _signed_in(request: HttpRequest) -> bool:
    """Return whether the request comes from a signed-in researcher.

    After a day without use the researcher is signed out. Polling by a page does not count as use.
    """
    if not request.user.is_authenticated:
        return False
    now, used = int(time.time()), request.session.get(LAST_USE_KEY)
    if used is not None and abs(now - used) > IDLE_LIMIT_S:  # the clock may have been set back
        sign_off(request)
        return False
    if used is None or (now - used > USE_WRITE_INTERVAL_S and not is_htmx_request(request)):
        request.session[LAST_USE_KEY] = now
    return True


def researcher_of(session: SessionBase) -> User | None:
    """Return the session's researcher while they are signed in, else None.

    Used by sockets. A socket's check does not count as use.
    """
    user = get_user(SimpleNamespace(session=session))  # type: ignore[arg-type]
    used = session.get(LAST_USE_KEY)
    if not isinstance(user, User) or (
        used is not None and abs(int(time.time()) - used) > IDLE_LIMIT_S
    ):
        return None
    return user


def sign_off(request: HttpRequest) -> None:
    """Sign the researcher out. The browser keeps its seats at tables and its ratings."""
    kept_session = {key: value for key, value in request.session.items() if not key.startswith("_")}
    logout(request)
    request.session.update(kept_session)


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    back = request.get_full_path() if request.method == "GET" else reverse("study:campaigns")
    page = reverse("study:sign_in")
    # The script replaces a part of a page; the whole page must redirect to sign in.
    if is_htmx_request(request):
        response = HttpResponse(status=401)
        response["HX-Redirect"] = page
        return response
    return redirect(f"{page}?{urlencode({'next': back})}")


def own_campaign(view: CampaignView) -> View:
    """Pass the campaign `code` to the view, in the same way as `own_study`."""
    return _require_role(Campaign.objects.select_related("study"), view)


def own_study(view: StudyView) -> View:
    """Pass the study `code` to the view if the researcher's role in it allows the request.

    Without any role the study counts as unknown; with too little of one the answer is a page with
    status 403. Posts are recorded. The view finds the role in `request.access`.
    """
    return _require_role(Study.objects.all(), view)


def own_study_of_people(view: StudyView) -> View:
    """Pass the researcher's study `code` to the view. An experiment has no such page."""

    @wraps(view)
    def with_people(request: HttpRequest, study: Study, *args: Any, **kwargs: Any) -> HttpResponse:
        if study.is_experiment:
            text = _("Nobody takes part in an experiment, so it has no page for people.")
            return render_not_found(request, _("There is no such page"), text)
        return view(request, study, *args, **kwargs)

    return own_study(with_people)


def _require_role(rows: QuerySet[Any], view: Callable[..., HttpResponse]) -> View:
    @researchers_only
    @wraps(view)
    def wrapped(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
        row = rows.filter(code=code).first()
        study = row.study if isinstance(row, Campaign) else row
        access = permissions.find_access(study, request.user.pk) if study else None
        if access is None:
            text = _("The address may be mistyped, or the study belongs to somebody else.")
            return render_not_found(request, _("There is no such study"), text)
        request.access = access  # type: ignore[attr-defined]
        assert request.resolver_match
        url_name = str(request.resolver_match.url_name)
        do = request.POST.get("do", "")
        needed = permissions.needed_permission(url_name, kwargs.get("name", do))
        if not access.has_permission(needed):
            return _forbidden(request, access, needed)
        response = view(request, row, *args, **kwargs)
        if request.method == "POST" and response.status_code < 400 and url_name not in PREVIEWS:
            audit.record_act(request, code, url_name, (*kwargs.values(), do))
        return response

    return wrapped


def access_of(request: HttpRequest) -> Access:
    """Return the researcher's access to the study of a page under `own_study`."""
    access: Access = request.access  # type: ignore[attr-defined]
    return access


def _forbidden(request: HttpRequest, access: Access, needed: Permission) -> HttpResponse:
    """Return a 403 page that says who may do it."""
    names = [str(permissions.ROLE_PLURALS[role]) for role in permissions.roles_with(needed)]
    allowed = _(" and ").join(filter(None, (", ".join(names[:-1]), names[-1])))
    text = _("Your role in “{study}” is {role}. Only {allowed} can do this.").format(
        study=access.study.name,
        role=permissions.ROLE_NAMES[access.role],
        allowed=allowed.format(name=access.study.owner.get_username()),
    )
    link = (_("Who may do what"), reverse("study:study_team", args=[access.study.code]))
    return message(request, 403, _("Your role does not allow this"), text, link)


def render_not_found(request: HttpRequest, title: str, text: str) -> HttpResponse:
    """Return a 404 page with a link to the researcher's studies and campaigns."""
    link = (_("To your research"), reverse("study:campaigns"))
    return message(request, 404, title, text, link)


def get_first_researcher() -> User | None:
    """Return the keeper: the first researcher who is still active, who may deactivate others.

    The first researcher enrolled by the link that the program printed at its start.
    """
    return User.objects.filter(is_active=True).order_by("pk").first()
