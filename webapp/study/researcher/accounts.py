"""Pages of a researcher's own account: enrolment by a one-time link, sign-in, and the password.

A link enrols only when its form is submitted, because mail programs open links too.
"""

from __future__ import annotations

import math
from typing import Any

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from webapp.password_hashing import HashingBusy
from webapp.play import visitors
from webapp.play.error_pages import Link, render_error_page
from webapp.proxies import client_address
from webapp.study.models import Invitation, Study
from webapp.study.researcher import audit
from webapp.study.researcher.access import LAST_USE_KEY, end_session, researchers_only
from webapp.study.researcher.responses import render_form_page
from webapp.study.researcher.sign_in_limits import SignInAttempt, TooManyAttempts

PASSWORD_HELP = gettext_lazy(
    "Use at least ten characters. Avoid common passwords and passwords made only of digits."
)


class EnrolForm(UserCreationForm):  # type: ignore[type-arg]  # no generic class at run time
    """The form of a new account: a name, which other researchers see, and a password."""

    class Meta:
        model = User
        fields = ("username",)
        labels = {"username": gettext_lazy("User name")}
        help_texts = {"username": gettext_lazy("Use letters, digits and @ . + - _")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = PASSWORD_HELP
        self.fields["password2"].label = _("Repeat the password")
        self.fields["password2"].help_text = ""


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def enrol(request: HttpRequest, key: str) -> HttpResponse:
    """Show the form of a one-time link, and create the researcher's account."""
    if _find_invitation(key) is None:
        return _render_no_invitation(request)
    form = EnrolForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        user = _create_researcher(key, form)
        if user is None:
            return _render_no_invitation(request)
        _sign_in_browser(request, user)
        SignInAttempt(user.get_username(), client_address(request)).record_success(user)
        return redirect("study:campaigns")
    context = {"form": form, "is_first_account": not _has_researchers()}
    return render_form_page(request, "enrol", context)


def _find_invitation(key: str) -> Invitation | None:
    """Return the invitation of `key` if it is still valid."""
    invitation = Invitation.objects.filter(key=key, used_at=None).first()
    if invitation and invitation.invited_by is None and _has_researchers():
        return None  # such a link is for the first researcher only, who has used another one
    return invitation


def _create_researcher(key: str, form: EnrolForm) -> User | None:
    """Create the researcher. Return None if the link was used in the meantime."""
    user: User = form.save(commit=False)  # hashes the password, which is too slow for a transaction
    with transaction.atomic():
        if (invitation := _find_invitation(key)) is None:
            return None
        was_unused = Invitation.objects.filter(key=key, used_at=None).update(used_at=timezone.now())
        if not was_unused:
            return None
        user.save()
        if invitation.invited_by is None:  # studies that commands created before get an owner
            Study.objects.filter(owner__password="").update(owner=user)
        return user


def _sign_in_browser(request: HttpRequest, user: Any) -> None:
    """Sign in. The browser keeps its visitor id, so that it keeps its seats at tables."""
    visitor = request.session.get(visitors.VISITOR_KEY)
    request.session.pop(LAST_USE_KEY, None)
    login(request, user)
    if visitor:
        request.session[visitors.VISITOR_KEY] = visitor


def _render_no_invitation(request: HttpRequest) -> HttpResponse:
    text = _(
        "The link may be incomplete, revoked or used already. Each link works once. If you used"
        " it, sign in. Otherwise ask its sender for a new one."
    )
    link = Link(_("Sign in"), reverse("study:sign_in"))
    return render_error_page(request, 404, _("This link is not valid"), text, link)


def get_first_invitation() -> Invitation | None:
    """Return the invitation of the first researcher, None after the first has enrolled."""
    if _has_researchers():
        return None
    with transaction.atomic():
        unused = Invitation.objects.filter(invited_by=None, used_at=None).order_by("pk").first()
        return unused or Invitation.objects.create()


def _has_researchers() -> bool:
    """Return whether any account has a password. Accounts that commands created have none."""
    return User.objects.exclude(password="").exists()


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Show the form for signing in, and sign in. Then redirect to the page before (`next`)."""
    next_address = request.POST.get("next") or request.GET.get("next", "")
    is_own_site = next_address.startswith("/") and url_has_allowed_host_and_scheme(
        next_address, {request.get_host()}, request.is_secure()
    )
    target = next_address if is_own_site else reverse("study:campaigns")
    if request.user.is_authenticated:
        return redirect(target)
    form = AuthenticationForm(request, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        try:
            user = _check_credentials(request, form)
        except (TooManyAttempts, HashingBusy) as error:
            return _render_wait(request, error)
        if user:
            _sign_in_browser(request, user)
            return redirect(target)
    form.fields["username"].label = _("User name")
    context = {
        "form": form,
        "next": target if is_own_site else "",
        "is_first_account": not _has_researchers(),
    }
    return render_form_page(request, "sign_in", context)


def _check_credentials(request: HttpRequest, form: AuthenticationForm) -> User | None:
    """Return the researcher, None if name or password is wrong.

    Raises: as `SignInAttempt.limit_password_check`.
    """
    attempt = SignInAttempt(request.POST.get("username", ""), client_address(request))
    with attempt.limit_password_check():
        is_right = form.is_valid()
    if is_right:
        user = form.get_user()
        attempt.record_success(user)
        return user
    name = form.cleaned_data.get("username")
    if name and form.cleaned_data.get("password"):
        # A name of no researcher is not recorded, because it may be a password.
        is_known = User.objects.filter(username=name).exists()
        audit.record_line(request, "sign_in_failed", name=name if is_known else "")
    return None


def _render_wait(request: HttpRequest, error: TooManyAttempts | HashingBusy) -> HttpResponse:
    link = Link(_("Sign in"), request.path)
    if isinstance(error, HashingBusy):
        text = _("Many people are signing in right now. Try again in a few seconds.")
        return render_error_page(request, 503, _("Please wait"), text, link)
    minutes = max(1, math.ceil(error.seconds / 60))
    text = ngettext(
        "Too many attempts. Try again in {n} minute.",
        "Too many attempts. Try again in {n} minutes.",
        minutes,
    ).format(n=minutes)
    response = render_error_page(request, 429, _("Too many attempts"), text, link)
    response["Retry-After"] = str(math.ceil(error.seconds))
    return response


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Sign the researcher out. The browser keeps its seats at tables."""
    end_session(request)
    return redirect("study:sign_in")


@sensitive_post_parameters()
@researchers_only("GET", "POST")
def change_password(request: HttpRequest) -> HttpResponse:
    """Show the form for a new password, and store it. Other browsers are signed out."""
    assert isinstance(request.user, User)
    form = PasswordChangeForm(request.user, request.POST if request.method == "POST" else None)
    form.fields["new_password1"].help_text = PASSWORD_HELP
    form.fields["new_password2"].label = _("Repeat the new password")
    try:
        has_changed = request.method == "POST" and _check_password_form(request, form)
    except (TooManyAttempts, HashingBusy) as error:
        return _render_wait(request, error)
    if has_changed:
        form.save()
        update_session_auth_hash(request, request.user)
        audit.record_line(request, "password")
        messages.success(request, _("Your password was changed. Other browsers are signed out."))
        return redirect("study:researchers")
    return render_form_page(request, "password", {"form": form})


def _check_password_form(request: HttpRequest, form: PasswordChangeForm) -> bool:
    """Return whether the form is valid. A wrong present password counts as a failed sign-in.

    Raises: as `SignInAttempt.limit_password_check`.
    """
    attempt = SignInAttempt(form.user.get_username(), client_address(request))
    with attempt.limit_password_check():
        is_right = form.is_valid()
    if "old_password" not in form.errors:
        attempt.record_success(form.user)
    return is_right
