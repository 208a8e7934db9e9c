"""Pages of a researcher's rooms: the list, and a room with its link, study, labels and visitors."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.play.error_pages import Link, render_error_page
from webapp.study.design.setting_fields import KEY_PATTERN
from webapp.study.design.stages import Design
from webapp.study.models import Identity, Room, Study, normalize_name
from webapp.study.monitor.active_participants import ActiveParticipants
from webapp.study.permissions import Permission, find_access, rooms_with, studies_with
from webapp.study.researcher import audit
from webapp.study.researcher.access import get_row_or_404, researchers_only
from webapp.study.researcher.fields import LabelsForm, ResearcherForm
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import download, render_form_page
from webapp.study.sessions import rooms

MAX_ROOMS_PER_RESEARCHER = 100
WAITING, INSIDE, ENDED, ABSENT = "waiting", "inside", "ended", "absent"
STATES = LABELS["room_states"]


class Visitor(NamedTuple):
    """A person on the list of labels or in the room."""

    label: str
    state: str  # a key of STATES
    away: str = ""  # how long they have been away as text, "" if they are not


class NewRoomForm(ResearcherForm):
    name = forms.RegexField(
        KEY_PATTERN,
        label=gettext_lazy("Name in the link"),
        help_text=gettext_lazy("Use lowercase letters, digits, “-” and “_”, such as “lab-2”."),
        max_length=40,
        error_messages={
            "invalid": gettext_lazy(
                "Start with a letter. Use lowercase letters, digits, “-” and “_”."
            )
        },
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if Room.objects.filter(name=name).exists():
            raise forms.ValidationError(_("This name is taken. Choose a different one."))
        return name


class RoomLabelsForm(LabelsForm):
    """The form of a room's list of labels. An empty list admits everyone who has the link."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["labels"]
        field.help_text = _(
            "Enter one label per line, one for each participant. Leave empty to admit everyone"
            " who has the link. Anyone who knows a label can continue as its participant, so use"
            " labels that are hard to guess if participants are not supervised."
        )
        field.widget.attrs["rows"] = 8

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("file"):
            self.cleaned_data["labels"] = ""
        return super().clean()


def _get_visible_room(request: HttpRequest, name: str) -> Room:
    rows = Room.objects.filter(rooms_with(request.user.pk), name=name)
    text = _("The address may be mistyped, or the room may belong to another researcher.")
    rows = rows.select_related("study", "owner")
    return get_row_or_404(rows, _("This room does not exist"), text)


@researchers_only("GET", "POST")
def room_list(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    form = NewRoomForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if Room.objects.filter(owner=request.user).count() < MAX_ROOMS_PER_RESEARCHER:
            new_room = Room.objects.create(owner=request.user, name=form.cleaned_data["name"])
            audit.record_line(request, "room", f"{new_room.name}: made")
            return redirect("study:room", new_room.name)
        text = _("You have reached the maximum of {n} rooms. Delete one first.")
        form.add_error("name", text.format(n=MAX_ROOMS_PER_RESEARCHER))
    visible = Room.objects.filter(rooms_with(request.user.pk)).select_related("study", "owner")
    context = {"rooms": visible, "form": form}
    return render_form_page(request, "rooms", context)


@researchers_only("GET", "POST")
def show_room(request: HttpRequest, room_name: str) -> HttpResponse:
    """Show a room, and let its owner change or delete it."""
    room = _get_visible_room(request, room_name)
    is_owner = room.owner_id == request.user.pk
    if request.method == "POST" and not is_owner:
        text = _("Only its owner, {name}, can change the room.")
        text = text.format(name=room.owner.get_username())
        link = Link(_("Go to the room"), reverse("study:room", args=[room.name]))
        return render_error_page(request, 403, _("This room is not yours"), text, link)
    action = request.POST.get("do")
    if action == "set_study":
        return _set_study(request, room)
    if action == "delete":
        audit.record_line(request, "room", f"{room.name}: deleted")
        room.delete()
        messages.success(request, _("The room was deleted. Its link no longer works."))
        return redirect("study:rooms")
    if action == "labels":
        form = RoomLabelsForm(request.POST, request.FILES)
        if form.is_valid():
            room.labels = form.cleaned_data["labels"]
            room.save(update_fields=["labels"])
            audit.record_line(request, "room", f"{room.name}: {len(room.labels)} labels")
            messages.success(request, _("Saved."))
            return redirect("study:room", room.name)
    else:
        form = RoomLabelsForm(initial={"labels": "\n".join(room.labels)})
    context = {
        "form": form,
        "is_owner": is_owner,
        "link": request.build_absolute_uri(reverse("take:room", args=[room.name])),
        "possible_studies": _possible_studies(request.user.pk),
        "current_study": rooms.find_study(room),
        **_visitor_context(request, room),
    }
    return render_form_page(request, "room", context)


def _possible_studies(account_id: int | None) -> list[Study]:
    """Return the studies that a room of this account can lead to."""
    studies = Study.objects.filter(studies_with(account_id, Permission.RUN), rehearsal=False)
    return [study for study in studies.exclude(state=Study.CLOSED) if not study.is_experiment]


def _set_study(request: HttpRequest, room: Room) -> HttpResponse:
    """Set the study that the room leads to (`study` of the post, "" for none)."""
    code = request.POST.get("study", "")
    studies = _possible_studies(request.user.pk)
    chosen = next((study for study in studies if study.code == code), None)
    if code and chosen is None:
        messages.error(request, _("Choose one of your studies that is not closed."))
    else:
        room.study = chosen
        room.save(update_fields=["study"])
        audit.record_line(request, "room", f"{room.name}: leads to {code or 'nothing'}")
        text = _("The room now leads to “{name}”.").format(name=chosen.name) if chosen else ""
        messages.success(request, text or _("The room now leads to no study. Participants wait."))
    return redirect("study:room", room.name)


@researchers_only("GET")
def room_part(request: HttpRequest, room_name: str) -> HttpResponse:
    context = _visitor_context(request, _get_visible_room(request, room_name))
    return render(request, "study/researcher/room_part.html", context)


@researchers_only("GET")
def download_links(request: HttpRequest, room_name: str) -> HttpResponse:
    """Download the room's link for each label as text, one per line after the label."""
    room = _get_visible_room(request, room_name)
    if not _can_see_labels(request, room):
        text = _("Labels are external names. Your role does not show them.")
        back = Link(_("Go to the room"), reverse("study:room", args=[room.name]))
        return render_error_page(request, 403, _("Your role does not allow this"), text, back)
    link = request.build_absolute_uri(reverse("take:room", args=[room.name]))
    queries = ((label, urlencode({"participant_label": label})) for label in room.labels)
    audit.record_line(request, "export", f"room {room.name} links.txt")
    lines = "".join(f"{label}\t{link}?{query}\n" for label, query in queries)
    return download(lines, f"fabula-room-{room.name}-links.txt")


def _can_see_labels(request: HttpRequest, room: Room) -> bool:
    """Return whether the researcher owns the room, or has a role that shows outside names."""
    access = find_access(room.study, request.user.pk) if room.study else None
    return room.owner_id == request.user.pk or bool(access and access.can_see_identities)


def _visitor_context(request: HttpRequest, room: Room) -> dict[str, Any]:
    visitors = list(_find_visitors(room))
    unnamed = rooms.open_visits(room).filter(label="").count()
    counts = Counter({WAITING: unnamed})
    counts.update(visitor.state for visitor in visitors)
    rows = [(visitor.label, STATES[visitor.state], visitor.away) for visitor in visitors]
    return {
        "room": room,
        "counts": [(name, counts[state]) for state, name in STATES.items() if state in counts],
        "unnamed": unnamed,
        "visitors": rows if _can_see_labels(request, room) else [],
    }


def _find_visitors(room: Room) -> Iterator[Visitor]:
    """Yield a visitor for each label on the room's list, and for other labels of visitors."""
    waiting = {normalize_name(visit.label): visit.label for visit in rooms.open_visits(room)}
    study = rooms.find_study(room)
    participants = dict(_find_participants(room, study)) if study else {}
    listed = {normalize_name(label): label for label in room.labels}
    unlisted = {key: participant.label for key, participant in participants.items()}
    for key, label in {**unlisted, **waiting, **listed}.items():
        if label:
            state = WAITING if key in waiting else ABSENT
            yield participants.get(key) or Visitor(label, state)


def _find_participants(room: Room, study: Study) -> Iterator[tuple[str, Visitor]]:
    """Yield (normalized label, participant) of those on the list or who joined by the room."""
    listed = {normalize_name(label) for label in room.labels}
    rows = Identity.objects.filter(participant__study=study).exclude(normal_label="")
    absences: dict[int, str] = {}  # participant id -> how long they have been away
    if not study.rates_only:  # the monitor does not track the pages of raters
        active = ActiveParticipants(study, Design.from_json(study.design), timezone.now())
        absences = {row.pk: active.time_away(row) for row in active.participants}
    for row in rows.exclude(participant__consented_at=None).select_related("participant"):
        if row.normal_label in listed or row.session == rooms.room_session(room):
            state = ENDED if row.participant.exit else INSIDE
            away = absences.get(row.participant_id, "")
            yield row.normal_label, Visitor(row.label, state, away)
