"""The page of all researchers: invitations, and deactivating others."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from webapp.play.error_pages import Link, render_error_page
from webapp.proxies import site_address
from webapp.study.models import Invitation
from webapp.study.researcher import audit
from webapp.study.researcher.access import researchers_only

MAX_INVITATIONS = 20  # a researcher can have this many unused invitations


def get_first_researcher() -> User | None:
    """Return the first active researcher, who may deactivate others."""
    return User.objects.filter(is_active=True).order_by("pk").first()


@researchers_only("GET")
def list_researchers(request: HttpRequest) -> HttpResponse:
    """Show all researchers, and the unused invitations of the one who is signed in."""
    context = {
        "is_first_researcher": get_first_researcher() == request.user,
        "researchers": User.objects.order_by("date_joined", "pk"),
        "unused_invitations": Invitation.objects.filter(invited_by=request.user.pk, used_at=None),
        "site": site_address(request),
    }
    return render(request, "study/researcher/researchers.html", context)


@researchers_only("POST")
def invite(request: HttpRequest) -> HttpResponse:
    """Create an invitation, unless the researcher has MAX_INVITATIONS unused ones."""
    assert isinstance(request.user, User)
    if Invitation.objects.filter(invited_by=request.user, used_at=None).count() >= MAX_INVITATIONS:
        text = _("There are {n} unused links. Use or revoke one.")
        messages.error(request, text.format(n=MAX_INVITATIONS))
    else:
        Invitation.objects.create(invited_by=request.user)
    return redirect("study:researchers")


@researchers_only("POST")
def revoke_invitation(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """Delete an unused invitation of the researcher who is signed in."""
    Invitation.objects.filter(pk=invitation_id, invited_by=request.user.pk, used_at=None).delete()
    return redirect("study:researchers")


@researchers_only("POST")
def set_active(request: HttpRequest, user_id: int) -> HttpResponse:
    """Deactivate or activate another researcher. Only the first researcher may do so."""
    researcher = User.objects.filter(pk=user_id).first()
    if researcher is None or researcher == request.user or get_first_researcher() != request.user:
        text = _("Only the first researcher can deactivate others, but not themselves.")
        link = Link(_("Researchers"), reverse("study:researchers"))
        return render_error_page(request, 403, _("You are not allowed to do this"), text, link)
    set_researcher_active(researcher, active=request.POST.get("active") == "1", request=request)
    return redirect("study:researchers")


def set_researcher_active(
    researcher: User, *, active: bool, request: HttpRequest | None = None
) -> None:
    """Activate or deactivate a researcher.

    A deactivated researcher is signed out everywhere and cannot sign in. Unused invitations of the
    researcher are deleted. The researcher's studies continue. `request` is None for a command.
    """
    with transaction.atomic():
        researcher.is_active = active
        researcher.save(update_fields=["is_active"])
        if not active:
            Invitation.objects.filter(invited_by=researcher, used_at=None).delete()
        action = "activate" if active else "deactivate"
        audit.record_line(request, action, researcher.username, name="" if request else "manage.py")
