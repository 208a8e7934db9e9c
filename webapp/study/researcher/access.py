"""Access of researchers to their own studies and campaigns, and to those shared with them."""

import time
from collections.abc import Callable
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any, Concatenate, TypeVar
from urllib.parse import urlencode

from django.contrib.auth import get_user, logout
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from webapp.middleware import is_htmx_request
from webapp.play.error_pages import Link, render_error_page
from webapp.study import permissions
from webapp.study.models import Campaign, Study
from webapp.study.permissions import Access, Permission
from webapp.study.researcher import audit

Row = TypeVar("Row", bound=Model)
View = Callable[..., HttpResponse]
CampaignView = Callable[Concatenate[HttpRequest, Campaign, ...], HttpResponse]
StudyView = Callable[Concatenate[HttpRequest, Study, ...], HttpResponse]

LAST_USE_KEY = "_used"  # key in the session: time of the last use, in seconds since 1970
IDLE_LIMIT_S = 24 * 3600  # after this time without use, a researcher must sign in again
USE_WRITE_INTERVAL_S = 300  # the time of use is written at most this often
# Posts that change nothing and are not recorded.
URL_NAMES_WITHOUT_CHANGE = ("study_plan", "plan", "study_preview_page")


class PageNotFound(Exception):
    """The requested object does not exist. `sign_in_required` renders a page that says so."""

    def __init__(self, title: str, text: str) -> None:
        super().__init__(title)
        self.title, self.text = title, text


def get_row_or_404(rows: QuerySet[Row], title: str, text: str) -> Row:
    """Return the first row, or raise PageNotFound with this title and text."""
    row = rows.first()
    if row is None:
        raise PageNotFound(title, text)
    return row


def researchers_only(*methods: str) -> Callable[[View], View]:
    """Return a decorator that admits signed-in researchers, and only these HTTP methods."""
    return lambda view: sign_in_required(require_http_methods(methods)(view))


def sign_in_required(view: View) -> View:
    """Redirect visitors who are not signed in as a researcher, and render `PageNotFound`."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not _refresh_sign_in(request):
            return _redirect_to_sign_in(request)
        try:
            response = view(request, *args, **kwargs)
        except PageNotFound as error:
            link = Link(_("Go to your research"), reverse("study:campaigns"))
            response = render_error_page(request, 404, error.title, error.text, link)
        add_never_cache_headers(response)
        return response

    return wrapped


def _refresh_sign_in(request: HttpRequest) -> bool:
    """Store the time of use of a signed-in researcher. Sign them out after a day without use.

    Polling by a page does not count as use. Return whether a researcher is signed in.
    """
    if not request.user.is_authenticated:
        return False
    if _is_idle(request.session):
        end_session(request)
        return False
    now_s, last_use = int(time.time()), request.session.get(LAST_USE_KEY)
    if last_use is None or (
        now_s - last_use > USE_WRITE_INTERVAL_S and not is_htmx_request(request)
    ):
        request.session[LAST_USE_KEY] = now_s
    return True


def _is_idle(session: SessionBase) -> bool:
    last_use = session.get(LAST_USE_KEY)
    # The absolute value, because the clock may have been set back.
    return last_use is not None and abs(int(time.time()) - last_use) > IDLE_LIMIT_S


def researcher_of(session: SessionBase) -> User | None:
    """Return the session's researcher, None if nobody is signed in. It does not count as use."""
    user = get_user(SimpleNamespace(session=session))  # type: ignore[arg-type]
    return user if isinstance(user, User) and not _is_idle(session) else None


def end_session(request: HttpRequest) -> None:
    """Sign the researcher out. The browser keeps its seats at tables and its ratings."""
    visitor_data = {key: value for key, value in request.session.items() if key[:1] != "_"}
    logout(request)
    request.session.update(visitor_data)


def _redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    sign_in_address = reverse("study:sign_in")
    if is_htmx_request(request):
        # htmx would show the page of an ordinary redirect inside the present page.
        return HttpResponse(status=401, headers={"HX-Redirect": sign_in_address})
    is_page = request.method == "GET"
    return_address = request.get_full_path() if is_page else reverse("study:campaigns")
    return redirect(f"{sign_in_address}?{urlencode({'next': return_address})}")


def own_study(*methods: str, needs_people: bool = False) -> Callable[[StudyView], View]:
    """Return a decorator that passes the study `code` to a view with these HTTP methods.

    The researcher's role in the study must allow the request. The study may be their own or shared
    with them. Without any role it counts as unknown (status 404). If the role does not suffice, the
    response is a page with status 403. Posts are recorded. `access_of` returns the role.

    With `needs_people`, an experiment has no such page (status 404).
    """
    rows, title = Study.objects.all(), gettext_lazy("This study does not exist")
    return lambda view: _require_role(
        rows, require_http_methods(methods)(view), title, needs_people
    )


own_study_of_people = partial(own_study, needs_people=True)


def own_campaign(*methods: str) -> Callable[[CampaignView], View]:
    """Do the same as `own_study` for the campaign `code`, by the role in its study."""
    rows = Campaign.objects.select_related("study")
    title = gettext_lazy("This campaign does not exist")
    return lambda view: _require_role(rows, require_http_methods(methods)(view), title)


def _require_role(
    rows: QuerySet[Any], view: View, missing_title: Promise, needs_people: bool = False
) -> View:
    """Pass the study or campaign `code` to the view if the researcher's role allows it."""

    @sign_in_required
    @wraps(view)
    def wrapped(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
        row = rows.filter(code=code).first()
        study = row.study if isinstance(row, Campaign) else row
        access = permissions.find_access(study, request.user.pk) if study else None
        if access is None:
            text = _("The address may be mistyped, or the study may belong to another researcher.")
            raise PageNotFound(str(missing_title), text)
        request.access = access  # type: ignore[attr-defined]
        assert request.resolver_match
        url_name = str(request.resolver_match.url_name)
        action = request.POST.get("do", "")
        needed = permissions.needed_permission(url_name, kwargs.get("name", action))
        if not access.has_permission(needed):
            return _render_forbidden(request, access, needed)
        if needs_people and access.study.is_experiment:
            text = _("An experiment has no participants, so it has no page for them.")
            raise PageNotFound(_("This page does not exist"), text)
        response = view(request, row, *args, **kwargs)
        is_accepted_post = request.method == "POST" and response.status_code < 400
        if is_accepted_post and url_name not in URL_NAMES_WITHOUT_CHANGE:
            audit.record_post(request, code, url_name, (*kwargs.values(), action))
        return response

    return wrapped


def access_of(request: HttpRequest) -> Access:
    """Return the researcher's access to the study of a page under `own_study`."""
    access: Access = request.access  # type: ignore[attr-defined]
    return access


def _render_forbidden(request: HttpRequest, access: Access, needed: Permission) -> HttpResponse:
    """Return a page with status 403 that names the roles which may do it."""
    roles = permissions.roles_with(needed)
    names = [str(permissions.ROLE_LABELS[role]["plural"]) for role in roles]
    allowed = _(" and ").join(filter(None, (", ".join(names[:-1]), names[-1])))
    text = _("Your role in “{study}” is {role}. Required role: {allowed}.").format(
        study=access.study.name,
        role=permissions.ROLE_NAMES[access.role],
        allowed=allowed.format(name=access.study.owner.get_username()),
    )
    link = Link(_("See who has which role"), reverse("study:study_team", args=[access.study.code]))
    return render_error_page(request, 403, _("Your role does not allow this"), text, link)
