"""A researcher's studies: a new one, a copy, a file, opening and closing, an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from webapp.storable_text import storable
from webapp.study import audit
from webapp.study.models import Study
from webapp.study.researcher.access import own_study, researchers_only
from webapp.study.researcher.fields import kindly
from webapp.study.sessions import design_file, rated_games, ready, studies
from webapp.study.sessions.design_file import DesignFile

MOST = 500  # studies of one researcher


class NameForm(forms.Form):
    """A study of one's own, from the beginning."""

    name = forms.CharField(label=gettext_lazy("Its name"), max_length=120)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kindly(self)


@researchers_only
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """A ready one (`ready=key`), one of a file, or an empty one with a name."""
    form, refused = NameForm(), list[str]()
    if request.method == "POST":
        try:
            made = _made(request)
            if made is not None:
                return redirect("study:study_setup", made.code)
            form = NameForm(request.POST)
        except studies.Refused as error:
            refused = error.sentences
    context = {"form": form, "refused": refused, "ready": ready.all()}
    wrong = bool(refused or form.errors)
    template = "study/researcher/study_new.html"
    return render(request, template, context, status=422 if wrong else 200)


def _made(request: HttpRequest) -> Study | None:
    """The study that was asked for; none where its name is missing. Raises Refused."""
    assert isinstance(request.user, User)
    if Study.objects.filter(owner=request.user).count() >= MOST:
        raise studies.Refused([_("You have five hundred studies. Delete one first.")])
    if key := request.POST.get("ready"):
        try:
            return _from_file(request.user, ready.get(key))
        except LookupError as error:
            raise studies.Refused([str(error.args[0])]) from None
    if (given := request.FILES.get("file")) is not None:
        if (given.size or 0) > design_file.MOST_BYTES:
            raise studies.Refused([_("That file is too large for a study.")])
        try:
            text = given.read().decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise studies.Refused([_("Save the study as plain text (UTF-8).")]) from None
        return _from_file(request.user, design_file.read(text))
    form = NameForm(request.POST)
    return studies.create(request.user, form.cleaned_data["name"]) if form.is_valid() else None


def _from_file(owner: User, file: DesignFile) -> Study:
    seed = {"seed": file.seed} if file.seed else {}
    return studies.create(owner, file.name, design=file.design, **seed)


@own_study
@require_GET
def study(request: HttpRequest, study: Study) -> HttpResponse:
    """Where one would go on: the set-up of a draft, else how far it is."""
    if study.rates_only and (campaign := study.own_campaign):
        return redirect("study:campaign", campaign.code)
    page = "study:study_setup" if study.state == Study.DRAFT else "study:study_monitor"
    return redirect(page, study.code)


@own_study
@require_POST
def copy(request: HttpRequest, study: Study) -> HttpResponse:
    made = studies.copy(study)
    messages.success(request, _("This is the copy: everything in it can be changed."))
    return redirect("study:study_setup", made.code)


@own_study
@require_POST
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    """A study in which nobody took part goes without a trace; any other stays."""
    try:
        studies.delete(study)
    except studies.Refused as refused:
        _say(request, refused.sentences)
        return redirect("study:study", study.code)
    messages.success(request, _("“{name}” is deleted.").format(name=study.name))
    return redirect("study:campaigns")


@own_study
@require_POST
def state(request: HttpRequest, study: Study) -> HttpResponse:
    """Open, pause, resume or close the study."""
    do = request.POST.get("do", "")
    turns = {
        "open": (studies.open, _("The study is open. Here are the links.")),
        "pause": (studies.pause, _("Nobody new is let in for now; who is there goes on.")),
        "resume": (studies.resume, _("People can come in again.")),
        "close": (studies.close, _("The study is closed: nobody new is let in.")),
    }
    if do not in turns:
        return redirect("study:study", study.code)
    turn, told = turns[do]
    try:
        turn(study, request.user.get_username())
    except studies.Refused as refused:
        _say(request, refused.sentences)
        return redirect("study:study", study.code)
    messages.success(request, told)
    page = "study:study_people" if do == "open" else "study:study_monitor"
    return redirect(page, study.code)


@own_study
@require_GET
def file(request: HttpRequest, study: Study) -> HttpResponse:
    """The study as a file, from which the same can be made elsewhere."""
    design = rated_games.portable(study)
    text = design_file.written(DesignFile(study.name, design, seed=study.seed))
    audit.note(request, "export", f"{study.code} study.toml")
    response = HttpResponse(storable(text), content_type="application/toml; charset=utf-8")
    name = f"{slugify(study.name)[:60] or 'study'}.toml"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _say(request: HttpRequest, sentences: Sequence[str]) -> None:
    for sentence in sentences:
        messages.error(request, sentence)
