"""The base class of stages' pages, and what all these pages show: texts, progress, messages.

The view `entrance.personal_link` finds the participant's step and calls its StagePage to show it or
to handle a POST. A stage page stores answers by `sessions.responses` and moves its participant by
`sessions.lifecycle`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import nh3
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from markdown_it import MarkdownIt

from webapp.play.table_owners import OwnerMessage
from webapp.proxies import site_address
from webapp.study.models import Message, Participant, Seating
from webapp.study.planning import estimates
from webapp.study.sessions import lifecycle, participant_state
from webapp.study.sessions.participant_state import WAITING, Step

REVISION_HEADER = "Revision"  # a response to a POST that stores an answer has the new revision here
MARKDOWN_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_markdown_parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_html_cleaner = nh3.Cleaner(
    tags=MARKDOWN_TAGS,
    attributes={"a": {"href", "title"}, "ol": {"start"}},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    set_tag_attribute_values={"a": {"target": "_blank"}},
    link_rel="noopener noreferrer",
)


@dataclass(frozen=True)
class Visit:
    """One request of a participant at a step."""

    request: HttpRequest
    participant: Participant
    step: Step
    # This POST is the last one of its page, because the step has ended.
    is_final: bool = False

    @property
    def action(self) -> str:
        """The value of the pressed button (`do`), "save" if a script stores the input."""
        return self.request.POST.get("do", "")

    @cached_property
    def seatings(self) -> Sequence[Seating]:
        """The participant's current seatings, read once for the request."""
        return participant_state.current_seatings(self.participant)

    def advance(self) -> HttpResponse:
        """Complete the step and redirect to the next one."""
        lifecycle.advance(self.participant, self.step.index)
        return self.reload()

    def reload(self) -> HttpResponse:
        """Redirect to the page of the participant's current step."""
        return redirect("take:step", self.participant.key)

    def page(self, template: str, status: int = 200, **context: Any) -> HttpResponse:
        """Render a template that extends the frame of a step (`study/take/stage.html`)."""
        participant, step = self.participant, self.step
        idle_limit = participant_state.idle_limit(participant, step)
        frame = {
            "participant": participant,
            "study": participant.study,
            "step": step,
            "title": format_title(step),
            "text": render_markdown(step.stage.text),
            "progress": format_progress(participant, step),
            "due_at": participant.due_at,
            "idle_minutes": int(idle_limit.total_seconds() // 60) if idle_limit else 0,
            "page_state": format_page_state(participant, self.seatings),
            "owner_messages": list_messages(participant),
            "site": site_address(self.request),
        }
        return render(self.request, template, {**frame, **context}, status=status)


@lru_cache(maxsize=256)
def render_markdown(text: str) -> SafeString:
    """Return a researcher's Markdown text as safe HTML, "" for an empty one.

    The syntax is CommonMark with tables. HTML in the text is shown as plain text. Pictures are left
    out, because fetching one would reveal participants to another server. Links open in another
    tab. Headings begin at h2, because the page has an h1 of its own.
    """
    tokens = _markdown_parser.parse(text)
    headings = [t for t in tokens if t.type in ("heading_open", "heading_close")]
    levels = sorted({token.tag for token in headings})  # the tags in use, for example h2, h4
    for token in headings:
        token.tag = f"h{min(4, 2 + levels.index(token.tag))}"
    rendered = _markdown_parser.renderer.render(tokens, _markdown_parser.options, {})
    return mark_safe(_html_cleaner.clean(rendered).strip())


def conflict_response(revision: int, values: Mapping[str, Sequence[str]]) -> JsonResponse:
    """Return the response (409) to a script that posts values older than the stored ones."""
    headers = {REVISION_HEADER: str(revision)}
    return JsonResponse({"revision": revision, "values": values}, status=409, headers=headers)


class StagePage(ABC):
    """The page of one kind of step (`Step.kind`)."""

    kind: str

    @abstractmethod
    def show(self, visit: Visit) -> HttpResponse:
        """Answer a GET request."""

    def post(self, visit: Visit) -> HttpResponse:
        """Answer a POST request from this page. `do=save` only stores the input, response 204."""
        return HttpResponse(status=204) if visit.action == "save" else visit.reload()

    def render_part(self, visit: Visit) -> str:
        """Return the HTML of the part that polling updates, "" if there is none."""
        return ""


class PlainPage(StagePage):
    """The page of a stage without a page of its own: its text, and a button to the next step."""

    kind = ""

    def show(self, visit: Visit) -> HttpResponse:
        return visit.page("study/take/plain.html")

    def post(self, visit: Visit) -> HttpResponse:
        return super().post(visit) if visit.action == "save" else visit.advance()


def format_progress(participant: Participant, step: Step) -> str:
    """Return "3 of 6: The game, about 12 minutes". A waiting room counts as part of its game."""
    steps = [s for s in participant_state.list_steps(participant) if s.kind != WAITING]
    number = sum(s.index <= step.index for s in steps) + (step.kind == WAITING)
    text = _("{number} of {count}: {title}").format(
        number=number, count=len(steps), title=format_title(step)
    )
    stage_minutes = estimates.mean_stage_minutes_or_zero(
        participant_state.design_of(participant.study), step.stage
    )
    minutes = round(stage_minutes * participant.extra_time / 100)
    if not minutes:
        return text
    text_with_minutes = ngettext("{text}, about {n} minute", "{text}, about {n} minutes", minutes)
    return text_with_minutes.format(text=text, n=minutes)


def format_page_state(participant: Participant, seatings: Sequence[Seating]) -> str:
    """Return a value that changes when the participant has to see another page."""
    states = "".join(f"-{seating.pk}{seating.state}" for seating in seatings)
    return f"{participant.step}{participant.exit}{states}"


def list_messages(participant: Participant) -> list[OwnerMessage]:
    """Return the messages from and to the participant, and mark them as seen."""
    return read_messages(participant.messages.all())


def read_messages(rows: QuerySet[Message]) -> list[OwnerMessage]:
    """Return one participant's messages as a page shows them, in order, and mark them as seen."""
    messages = list(rows.exclude(kind=Message.REPORT).order_by("pk"))
    if unseen := [m.pk for m in messages if not m.from_participant and m.seen_at is None]:
        Message.objects.filter(pk__in=unseen, seen_at=None).update(seen_at=timezone.now())
    # Participants do not see which researcher has written.
    return [OwnerMessage(m.text, m.at, m.from_participant) for m in messages]


def format_title(step: Step) -> str:
    """Return the title of a step for participants: the researcher's, or that of its kind."""
    default = _("Waiting room") if step.kind == WAITING else step.stage.page_title
    return step.stage.title or str(default)
