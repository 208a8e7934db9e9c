"""The page of a study's team: its owner, the members with their roles, and the audit log."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.models import AuditLine, Study, StudyRole
from webapp.study.permissions import OWNER, ROLE_LABELS, ROLE_NAMES, Permission
from webapp.study.researcher import audit
from webapp.study.researcher.access import access_of, own_study
from webapp.study.researcher.fields import ResearcherForm
from webapp.study.researcher.responses import render_form_page

PAGE_NAME = "study:study_team"
MAX_AUDIT_LINES = 30
ASSIGNABLE_ROLES = [(role, name) for role, name in ROLE_NAMES.items() if role != OWNER]


class RoleForm(ResearcherForm):
    """The form of a role for an active researcher. `cleaned_data["account"]` is the account."""

    account = forms.CharField(label=gettext_lazy("Name of the researcher"), max_length=150)
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ASSIGNABLE_ROLES)

    def __init__(self, study: Study, data: Any = None) -> None:
        super().__init__(data)
        self.study = study
        self.fields["account"].widget.attrs |= {"list": "researchers", "autocomplete": "off"}

    def clean_account(self) -> User:
        name = self.cleaned_data["account"]
        account = User.objects.filter(username__iexact=name, is_active=True).first()
        if account is None:
            text = _("Unknown name. Invite this researcher on the page “Researchers”.")
            raise forms.ValidationError(text)
        if account.pk == self.study.owner_id:
            raise forms.ValidationError(_("This researcher already owns the study."))
        return account


@own_study("GET")
def team(request: HttpRequest, study: Study) -> HttpResponse:
    return _render_page(request, study, RoleForm(study))


def _render_page(request: HttpRequest, study: Study, form: RoleForm) -> HttpResponse:
    context: dict[str, Any] = {
        "study": study,
        "tab": "team",
        "form": form,
        "members": study.roles.select_related("account"),
        "role_names": ASSIGNABLE_ROLES,
        "role_help": [(labels["name"], labels["help"]) for labels in ROLE_LABELS.values()],
    }
    if access_of(request).has_permission(Permission.OWN):
        accounts = User.objects.filter(is_active=True).exclude(pk=study.owner_id)
        context["researchers"] = accounts.order_by("username")
        lines = AuditLine.objects.filter(study=study.code).order_by("-pk")
        context["lines"] = lines[:MAX_AUDIT_LINES]
    return render_form_page(request, "study_team", context)


@own_study("POST")
def change_role(request: HttpRequest, study: Study) -> HttpResponse:
    """Give or change a role, or remove it (`do=remove`)."""
    if request.POST.get("do") == "remove":
        role = study.roles.filter(account__username=request.POST.get("account", "")).first()
        if role:
            _remove_role(request, role)
            text = _("{name} no longer has access to the study.")
            messages.success(request, text.format(name=role.account.get_username()))
        return redirect(PAGE_NAME, study.code)
    form = RoleForm(study, request.POST)
    if not form.is_valid():
        return _render_page(request, study, form)
    account, new_role = form.cleaned_data["account"], form.cleaned_data["role"]
    study.roles.update_or_create(account=account, defaults={"role": new_role})
    audit.record_line(request, "study_role", f"{study.code} {account.get_username()}: {new_role}")
    text = _("{name} now has the role {role} in this study.")
    role_name = ROLE_NAMES[new_role]
    messages.success(request, text.format(name=account.get_username(), role=role_name))
    return redirect(PAGE_NAME, study.code)


def _remove_role(request: HttpRequest, role: StudyRole) -> None:
    role.delete()
    name = role.account.get_username()
    audit.record_line(request, "study_role", f"{role.study.code} {name}: no {role.role} any more")


@own_study("POST")
def leave_study(request: HttpRequest, study: Study) -> HttpResponse:
    """Remove the researcher's own role. An owner must hand over the study first."""
    role = study.roles.filter(account=request.user.pk).first()
    if access_of(request).role == OWNER or role is None:
        messages.error(request, _("Transfer the study to another researcher before you leave it."))
        return redirect(PAGE_NAME, study.code)
    _remove_role(request, role)
    messages.success(request, _("You have left “{name}”.").format(name=study.name))
    return redirect("study:campaigns")


@own_study("POST")
def hand_over_study(request: HttpRequest, study: Study) -> HttpResponse:
    """Make a member with a role the owner. The former owner becomes an editor."""
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        role = row.roles.filter(
            account__username=request.POST.get("account", ""), account__is_active=True
        ).first()
        if role is None or row.owner_id != request.user.pk:
            messages.error(request, _("Choose a researcher who has access to the study."))
            return redirect(PAGE_NAME, study.code)
        role.delete()
        row.roles.create(account=row.owner, role=StudyRole.EDITOR)
        row.owner = role.account
        row.save(update_fields=["owner"])
        name = role.account.get_username()
        audit.record_line(request, "study_hand_over", f"{study.code} {name}: owner")
    text = _("{name} now owns the study. You are an editor.")
    messages.success(request, text.format(name=name))
    return redirect(PAGE_NAME, study.code)
