"""Researchers' accounts: sign-in by name and password with limits, enrolment by a one-time link.

A link enrols only when its form is submitted, because mail programs open links too.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model, login, update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from webapp import password_hashing
from webapp.password_hashing import HashingBusy
from webapp.play import visitors
from webapp.play.error_pages import Link, render_error_page
from webapp.proxies import client_address, site_address
from webapp.rate_counters import EscalatingRate, keyed_digest
from webapp.study.models import Invitation, KnownAddress, Study
from webapp.study.researcher import audit
from webapp.study.researcher.access import LAST_USE_KEY, end_session, researchers_only
from webapp.study.researcher.responses import render_form_page

PASSWORD_HELP = gettext_lazy(
    "Use at least ten characters. Avoid common passwords and passwords made only of digits."
)
MAX_INVITATIONS = 20  # a researcher can have this many unused invitations
HOUR_S, DAY_S = 3600, 86_400
# Names are cut to these lengths: as typed, and as compared.
MAX_TYPED_CHARS, MAX_NAME_CHARS = 1000, 150
# The time starts at the last sign-in from the address.
KNOWN_ADDRESS_LIFETIME = timedelta(days=180)
# Limits of attempts as (number, seconds), by the key in which attempts are counted together.
rate_by_pair = EscalatingRate("sign_in/pair", [(10, 60), (15, 900), (20, 3 * HOUR_S), (25, DAY_S)])
# All unknown addresses count together. NIST SP 800-63B 5.2.2 allows at most 100 failed attempts.
rate_by_name = EscalatingRate("sign_in/name", [(50, 900), (100, DAY_S)])
rate_by_address = EscalatingRate("sign_in/address", [(60, 900), (200, 3 * HOUR_S)])
rate_in_all = EscalatingRate("sign_in/site", [(60, 60), (1000, HOUR_S)])


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
        return None  # the first researcher has used another link
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
    """Sign in. The browser keeps its visitor id, and so its seats at tables."""
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
    return get_user_model().objects.exclude(password="").exists()


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
    """Return the researcher, None if name or password is wrong. Errors as of SignInAttempt."""
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
    assert isinstance(request.user, User)
    form = PasswordChangeForm(request.user, request.POST if request.method == "POST" else None)
    form.fields["new_password1"].help_text = PASSWORD_HELP
    form.fields["new_password2"].label = _("Repeat the new password")
    try:
        has_changed = request.method == "POST" and _check_password(request, form)
    except (TooManyAttempts, HashingBusy) as error:
        return _render_wait(request, error)
    if has_changed:
        form.save()
        update_session_auth_hash(request, request.user)
        audit.record_line(request, "password")
        messages.success(request, _("Your password was changed. Other browsers are signed out."))
        return redirect("study:researchers")
    return render_form_page(request, "password", {"form": form})


def _check_password(request: HttpRequest, form: PasswordChangeForm) -> bool:
    """Check a form with the present password. A wrong one counts as a failed sign-in."""
    attempt = SignInAttempt(form.user.get_username(), client_address(request))
    with attempt.limit_password_check():
        is_right = form.is_valid()
    if "old_password" not in form.errors:
        attempt.record_success(form.user)
    return is_right


def get_first_researcher() -> User | None:
    """Return the first active researcher, who may deactivate others."""
    return User.objects.filter(is_active=True).order_by("pk").first()


@researchers_only("GET")
def researchers(request: HttpRequest) -> HttpResponse:
    context = {
        "is_first_researcher": get_first_researcher() == request.user,
        "researchers": get_user_model().objects.order_by("date_joined", "pk"),
        "unused_invitations": Invitation.objects.filter(invited_by=request.user.pk, used_at=None),
        "site": site_address(request),
    }
    return render(request, "study/researcher/researchers.html", context)


@researchers_only("POST")
def invite(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    if Invitation.objects.filter(invited_by=request.user, used_at=None).count() >= MAX_INVITATIONS:
        text = _("There are {n} unused links. Use or revoke one.")
        messages.error(request, text.format(n=MAX_INVITATIONS))
    else:
        Invitation.objects.create(invited_by=request.user)
    return redirect("study:researchers")


@researchers_only("POST")
def revoke_invitation(request: HttpRequest, invitation: int) -> HttpResponse:
    Invitation.objects.filter(pk=invitation, invited_by=request.user.pk, used_at=None).delete()
    return redirect("study:researchers")


@researchers_only("POST")
def change_activity(request: HttpRequest, user: int) -> HttpResponse:
    """Deactivate or activate another researcher. Only the first researcher may do so."""
    person = User.objects.filter(pk=user).first()
    if person is None or person == request.user or get_first_researcher() != request.user:
        text = _("Only the first researcher can deactivate others, but not themselves.")
        link = Link(_("Researchers"), reverse("study:researchers"))
        return render_error_page(request, 403, _("You are not allowed to do this"), text, link)
    set_researcher_active(person, request.POST.get("active") == "1", request)
    return redirect("study:researchers")


def set_researcher_active(person: User, active: bool, request: HttpRequest | None = None) -> None:
    """Activate or deactivate a researcher.

    A deactivated researcher is signed out everywhere and cannot sign in. Unused invitations of the
    researcher are deleted. The researcher's studies continue.
    """
    with transaction.atomic():
        person.is_active = active
        person.save(update_fields=["is_active"])
        if not active:
            Invitation.objects.filter(invited_by=person, used_at=None).delete()
        action = "activate" if active else "deactivate"
        audit.record_line(request, action, person.username, name="" if request else "manage.py")


class TooManyAttempts(Exception):
    """Too many attempts. The next one is accepted after `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def normalize_user_name(name: str) -> str:
    """Return the name in the form in which names are compared: without width and case.

    Spaces at the ends are stripped first, as the form does. Otherwise they could push a part of
    the name beyond the compared length.
    """
    folded = unicodedata.normalize("NFKC", name.strip()[:MAX_TYPED_CHARS]).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())[:MAX_NAME_CHARS]


class SignInAttempt:
    """One attempt to sign in as `name` from `address`.

    Attributes:
        is_known: Whether the name has signed in from there before. Then fewer limits apply.
    """

    def __init__(self, name: str, address: str) -> None:
        self.name = normalize_user_name(name)
        self.pair_digest = keyed_digest(f"{self.name} {address}")
        self.is_known = KnownAddress.objects.filter(digest=self.pair_digest).exists()
        self._counters = [(rate_by_pair, self.pair_digest)]
        if not self.is_known:
            self._counters += [
                (rate_by_name, self.name),
                (rate_by_address, address),
                (rate_in_all, "site"),
            ]

    @contextmanager
    def limit_password_check(self) -> Iterator[None]:
        """Count the attempt, and check the password in the block, with a place in the queue.

        Raises:
            TooManyAttempts: The attempt exceeds a limit.
            HashingBusy: Too many passwords are being checked.
        """
        if wait := max(counter.seconds_until_allowed(key) for counter, key in self._counters):
            raise TooManyAttempts(wait)
        for counter, key in self._counters:
            if not counter.try_acquire(key):  # concurrent attempts have reached the limit
                raise TooManyAttempts(max(1.0, counter.seconds_until_allowed(key)))
        queue = password_hashing.known_queue if self.is_known else password_hashing.stranger_queue
        with password_hashing.occupy_place(queue):
            yield

    def record_success(self, user: User) -> None:
        """Store the address as known after the right password, and reset its counter."""
        rate_by_pair.reset(self.pair_digest)
        now = timezone.now()
        KnownAddress.objects.filter(at__lt=now - KNOWN_ADDRESS_LIFETIME).delete()
        KnownAddress.objects.update_or_create(
            digest=self.pair_digest, defaults={"user": user, "at": now}
        )
