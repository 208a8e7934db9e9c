"""The consent page: shows the consent text and its form, and enrols a visitor who agrees.

The page may also end the visit: the visitor declines, the study is full, or the page's script
detects a browser that stores nothing. Nothing is stored about a visitor before consent. The names
that a platform gives to a visitor are signed data of the form, and grant no access.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from game.models import new_key
from webapp.play.rate_limits import CROWD, TOTAL_FACTOR
from webapp.proxies import client_address
from webapp.rate_counters import Rate
from webapp.study.design.exits import ExitKind
from webapp.study.design.stages import ConsentStage, Design
from webapp.study.models import Participant, Study
from webapp.study.participant.exit_page import VisitorField, render_exit_page
from webapp.study.participant.stage_pages import render_markdown
from webapp.study.planning import estimates
from webapp.study.rater.notice_pages import render_notice
from webapp.study.rating import effort, quotas
from webapp.study.sessions import enrolment, participant_state
from webapp.study.sessions.enrolment import TIME_LIMIT_PERCENTS, Agreement, NameTaken, NotOpened

# An older module's name, kept because a change would invalidate open forms.
SALT = "webapp.study.rater.coming"

# Field of `Identity` -> parameters that platforms use for it. The first one present counts.
NAME_PARAMETERS = {
    "label": (
        "PROLIFIC_PID", "participant_label", "participantId", "workerId", "label",
    ),
    "study": ("STUDY_ID", "hitId", "study"),
    "session": ("SESSION_ID", "assignmentId", "session"),
}  # fmt: skip
MAX_NAME_CHARS = 200

# Starts by one shared link. A class behind one address can start twice an hour.
_starts_per_address = Rate("raters/address", 2 * CROWD, 3600)
_starts_per_link = Rate("raters/campaign", TOTAL_FACTOR * 2 * CROWD, 3600)
# Visitors counted as turned away.
_turned_away_per_form = Rate("raters/turned_away/form", 1, 86_400)  # once a day
_turned_away_per_address = Rate("raters/turned_away", 2 * CROWD, 3600)

# Experience with the game, from none to expert.
EXPERIENCE_CHOICES = (
    (0, _("I don’t know the game")),
    (1, _("I know it, but have not played")),
    (2, _("I have played it")),
    (3, _("I play it well")),
    (4, _("I am an expert")),
)


class ConsentForm(forms.Form):
    """The form of the consent page. Its script fills in the results of the browser check."""

    experience = forms.TypedChoiceField(
        label=_("How well do you know the game Werewolf (also called Mafia)?"),
        choices=EXPERIENCE_CHOICES,
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Choose the answer that fits best."),
            "invalid_choice": _("Choose one of the five answers."),
        },
    )
    extra_time = forms.TypedChoiceField(
        label=_("Do you need more time to read and write?"),
        help_text=_(
            "Every time limit at your table gets longer. The other players are not told why."
        ),
        choices=[
            (TIME_LIMIT_PERCENTS[0], _("No, the usual time")),
            (TIME_LIMIT_PERCENTS[1], _("Yes, 50% more time")),
            (TIME_LIMIT_PERCENTS[2], _("Yes, twice the time")),
        ],
        coerce=int,
        initial=TIME_LIMIT_PERCENTS[0],
        required=False,
        widget=forms.RadioSelect,
    )
    publish_words = forms.BooleanField(
        label=_("What I say in the games may be published word for word"),
        help_text=_(
            "This is optional. You can take part either way, and your name is not published."
        ),
        required=False,
    )
    of_age = forms.BooleanField(
        error_messages={
            "required": _("You must be this old to take part. Tick the box if you are.")
        }
    )
    version = forms.CharField(max_length=64, required=False)
    shown = forms.CharField(max_length=400, required=False)  # made by `sign_moment`
    # Results of the browser check. `socket` is the time until the socket answered, in ms.
    socket = forms.IntegerField(min_value=0, max_value=60_000, required=False)
    scripts = forms.BooleanField(required=False)
    sound = forms.ChoiceField(choices=[("", ""), ("heard", ""), ("unheard", "")], required=False)

    def __init__(self, design: Design, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        ethics = design.ethics
        if not any(isinstance(s, ConsentStage) and s.experience for s in design.stages):
            del self.fields["experience"]
        if not ethics.publish_words:
            del self.fields["publish_words"]
        if ethics.least_age:
            age_text = _("I am {age} years old or older").format(age=ethics.least_age)
            self.fields["of_age"].label = age_text
        else:
            del self.fields["of_age"]

    def build_agreement(self, study: Study) -> Agreement:
        """Build the agreement from the valid form."""
        cleaned = self.cleaned_data
        device = {name: cleaned[name] for name in ("scripts", "sound")}
        return Agreement(
            version=enrolment.consent_version(study),
            extra_time=cleaned["extra_time"] or TIME_LIMIT_PERCENTS[0],
            device={**device, "socket_ms": cleaned["socket"]},
            shown_at=read_moment(study.key, cleaned["shown"]),
            publish_words=cleaned.get("publish_words"),
            of_age=cleaned.get("of_age"),
            experience=cleaned.get("experience"),
        )


def handle_consent_page(
    request: HttpRequest,
    study: Study,
    field: VisitorField,
    enrol: Callable[[Agreement], Participant | None],
) -> HttpResponse:
    """Show the consent page, and enrol a visitor who agrees.

    `enrol` stores the agreement. It returns None if too many visitors have started.
    """
    if request.POST.get("do") == "decline":
        return _render_turned_away(request, study, "declined", field)
    campaign = study.campaigns.get() if study.rates_only else None
    if quotas.is_all_rated(campaign) if campaign else study.is_full:
        return _render_turned_away(request, study, "full", field)
    posted = request.POST if field.is_posted else None
    form = ConsentForm(participant_state.design_of(study), posted)
    if not form.is_valid() or _has_text_changed(study, form):
        return _render_consent_page(request, study, form, field)
    try:
        participant = enrol(form.build_agreement(study))
    except NameTaken:
        return render_notice(request, "name_taken", study)
    except NotOpened:
        study.refresh_from_db()
        if study.state == Study.DRAFT:
            return render_notice(request, "not_open", study)
        form = ConsentForm(participant_state.design_of(study), posted)
        return _render_consent_page(request, study, form, field)
    if participant is None:
        return render_notice(request, "rate_limit")
    participant_state.remember_participant(request, participant)
    return redirect("take:step", participant.key)


def _render_consent_page(
    request: HttpRequest, study: Study, form: ConsentForm, field: VisitorField
) -> HttpResponse:
    """Render the consent page. A posted one is incomplete, or has to be confirmed again."""
    design, stage = participant_state.design_of(study), enrolment.consent_stage(study)
    unanswered = {"of_age", "experience"} & form.errors.keys()
    is_incomplete = bool(unanswered) and not _has_text_changed(study, form)
    is_reshown = request.method == "POST" and not is_incomplete
    signed_moment = request.POST.get("shown", "")
    if not read_moment(study.key, signed_moment):
        signed_moment = sign_moment(study.key, timezone.now())
    completed = participant_state.exit_settings(study, "completed")
    campaign = study.campaigns.first() if study.rates_only else None
    minutes = effort.announced_minutes(campaign) if campaign else estimates.total_minutes(design)
    context = {
        "study": study,
        "stage": stage,
        "text": render_markdown(enrolment.consent_text(study)),
        "form": form,
        "visitor_field": field,
        "again": is_reshown,
        "signed_moment": signed_moment,
        "consent_version": enrolment.consent_version(study),
        "minutes": minutes,
        "time_limit": study.stage("ratings").get("minutes") if study.rates_only else 0,
        "pay": design.format_money(completed.pay),
        "bonus": design.format_money(estimates.max_bonus_or_zero(design)),
        "may_take_longer": design.reading_factor,
        "action": form_address(study, field),
    }
    error_status = 409 if is_reshown else 422
    status = error_status if is_reshown or is_incomplete else 200
    response = render(request, "study/take/consent.html", context, status=status)
    # The address may contain an outside name. No request for a style or picture may repeat it.
    response["Referrer-Policy"] = "strict-origin"
    return response


def form_address(study: Study, field: VisitorField) -> str:
    """Return the address of the visitor's link, to which the form posts."""
    name, key = ("step", field.value) if field.name == "own" else ("shared_link", study.key)
    return reverse(f"take:{name}", args=[key])


def _has_text_changed(study: Study, form: ConsentForm) -> bool:
    return bool(form.cleaned_data.get("version") != enrolment.consent_version(study))


@never_cache
@csrf_exempt  # it sets no cookies and changes no data
@require_http_methods(["GET", "HEAD", "POST"])
def unsuitable_browser(request: HttpRequest, key: str) -> HttpResponse:
    """Show the exit for a browser that stores nothing, to which the first page's script posts."""
    study = Study.objects.filter(key=key).first()
    if study is None or study.is_experiment:
        return render_notice(request, "unknown_link")
    signed_form, own_key = request.POST.get("coming", ""), request.POST.get("own", "")
    field = VisitorField("coming", signed_form, read_form(study.key, signed_form) is not None)
    if not field.is_posted:
        is_posted = study.participants.filter(key=own_key).exists()
        field = VisitorField("own", own_key, is_posted)
    return _render_turned_away(request, study, "unsuitable", field)


def _render_turned_away(
    request: HttpRequest, study: Study, kind: ExitKind, field: VisitorField
) -> HttpResponse:
    """Show the exit page of a visitor who did not begin. Only a counter is stored, once a visit."""
    # The page of a full study is counted when it is requested. Its button posts and is not counted
    # again. For other exits only a request from the first page counts, because anyone can send one.
    should_count = request.method == "GET" if kind == "full" else field.is_posted
    address = client_address(request)
    if should_count and may_count_turned_away(str(study.pk), address, field.value):
        enrolment.increment_turned_away(study, kind)
    return render_exit_page(request, study, kind, visitor_field=field)


def parse_names(query: QueryDict) -> dict[str, str]:
    """Return the visitor's outside names in an address, cut to MAX_NAME_CHARS."""
    names = {}
    for name, aliases in NAME_PARAMETERS.items():
        values = [query.get(key, "") for key in aliases]
        text = next((value for value in values if value.strip()), "")
        names[name] = "".join(c for c in text if c.isprintable()).strip()[:MAX_NAME_CHARS]
    return names


def sign_form(study_key: str, names: Mapping[str, str]) -> str:
    """Sign a visitor's outside names for the consent form of that study.

    The data also have a `ticket`, which becomes the key of the personal link, so that a second
    submission creates no second participant. `room` is the name of the room that admitted the
    visitor; no address can set it.
    """
    form_data = {name: names.get(name, "") for name in (*NAME_PARAMETERS, "room")}
    return signing.dumps({**form_data, "ticket": new_key(), "to": study_key}, salt=SALT)


def read_form(study_key: str, signed_form: str) -> dict[str, str] | None:
    """Return the data that `sign_form` signed for this study, None for anything else."""
    try:
        form_data: dict[str, str] = signing.loads(signed_form, salt=SALT)
    except signing.BadSignature:
        return None
    is_form = isinstance(form_data, dict)  # `sign_moment` signs with the same salt
    return form_data if is_form and form_data.get("to") == study_key else None


def sign_moment(study_key: str, now: datetime) -> str:
    """Sign the time when the consent page of that study was shown, for its form."""
    return signing.dumps([study_key, now.isoformat()], salt=SALT)


def read_moment(study_key: str, signed_moment: str) -> datetime | None:
    """Return the time that `sign_moment` signed for this study, None for anything else."""
    try:
        signed_key, moment = signing.loads(signed_moment, salt=SALT)
    except (signing.BadSignature, ValueError):
        # ValueError: a form of `sign_form`, signed with the same salt.
        return None
    return datetime.fromisoformat(moment) if signed_key == study_key else None


def may_count_turned_away(limit_scope: str, address: str, form_or_key: str) -> bool:
    """Return whether a visitor who does not begin may be counted, and use up one count.

    A visit counts once a day for its form, within the limit of the network address, so that one
    visitor cannot distort a study's figures.
    """
    if not _turned_away_per_form.try_acquire(f"{limit_scope} {form_or_key}"):
        return False
    return _turned_away_per_address.try_acquire(f"{limit_scope} {address}")


def may_start(limit_scope: str, address: str) -> bool:
    """Return whether the rate limits let a visitor begin, and use up one start."""
    is_address_free = _starts_per_address.try_acquire(f"{limit_scope} {address}")
    return is_address_free and _starts_per_link.try_acquire(limit_scope)
