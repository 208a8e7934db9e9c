"""The ethics record of a study as Markdown, for the page "Ethics" and its file.

Each function named *_lines yields the Markdown lines of one section.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents import model_catalog
from webapp.study import program
from webapp.study.design.conditions import conditions_by_backend
from webapp.study.design.exits import BONUS_LABELS, EXITS
from webapp.study.design.stages import DebriefingStage, Design
from webapp.study.ethics import retention
from webapp.study.models import ConsentText, Erasure, Participant, Study
from webapp.study.planning import studies, study_plan
from webapp.study.sessions import enrolment, participant_state

DEFAULT_HOST = "api.openai.com"  # host of a backend without an address
MAX_PSEUDONYMS = 500  # at most this many are listed for one consent text
VERSION_CHARS = 12  # this many characters of a consent text's hash are shown


def render_markdown(study: Study) -> str:
    """Return the record with the current data of the study."""
    design = participant_state.design_of(study)
    access_text = _(
        "On every page of the study and after its end, a participant finds “My stored data”: a "
        "file with all data about them and about no one else."
    )
    parts: list[tuple[str, Iterable[str]]] = [
        (_("Data controller"), _controller_lines(study, design)),
        (_("Procedure for participants"), _participation_lines(study, design)),
        (_("Pay"), _payment_lines(design)),
        (_("Information withheld at first"), _disclosure_lines(design)),
        (_("Consent text"), _consent_text_lines(study)),
        (_("Age, publication of text, renewed consent"), _consent_lines(study, design)),
        (_("Recipients of text"), _recipient_lines(design)),
        (_("Data of participants who leave"), _leaving_lines(design)),
        (_("Retention"), _retention_lines(study, design)),
        (_("Data access"), [access_text]),
        (_("Settings fixed when the study was opened"), _frozen_lines(study, design)),
    ]
    lines = [f"# {_escape_markdown(study.name)}", ""]
    lines += [_("As of {day}.").format(day=timezone.now().date().isoformat()), ""]
    for title, part_lines in parts:
        lines += [f"## {title}", "", *part_lines, ""]
    return "\n".join(lines).rstrip() + "\n"


def _controller_lines(study: Study, design: Design) -> Iterator[str]:
    ethics, missing = design.ethics, _("not set")
    rows = [
        (_("Data controller"), ethics.controller or missing),
        (_("Contact"), ethics.contact or missing),
        (_("Board and approval number"), ethics.board or missing),
        (_("Legal basis"), ethics.legal_basis or missing),
        (_("Study"), study.code),
        (_("Fingerprint of the settings"), study.config_hash or studies.config_hash(study)),
    ]
    yield from _table_lines(("", ""), rows)


def _participation_lines(study: Study, design: Design) -> Iterator[str]:
    plan = study_plan.build_plan(study)
    if plan.is_complete:
        people = ngettext("{n} participant", "{n} participants", plan.people).format(n=plan.people)
        games = ngettext("{n} game", "{n} games", plan.games).format(n=plan.games)
        yield _(
            "- Planned: {people} who finish the study, in {games} that count. Each takes about"
            " {minutes} minutes."
        ).format(people=people, games=games, minutes=plan.minutes)
        parts = (_("{stage} ({n} min)").format(stage=name, n=n) for name, n in plan.parts)
        yield _("- In order: {stages}.").format(stages=", ".join(parts))
    yield _(
        "- Stored for each participant: answers, statements, votes and choices, with their"
        " times; the start and end of each stage; the capabilities of the browser; separately,"
        " the name or number that came with the link."
    )
    yield _("- Participants can stop at any time, with a link on every page.")


def _payment_lines(design: Design) -> Iterator[str]:
    for kind, settings in design.exits.items():
        if settings.pay:
            amount = design.format_money(settings.pay)
            yield _("- {amount} for {who}").format(amount=amount, who=EXITS[kind])
    for bonus in design.bonuses:
        amount = design.format_money(bonus.amount)
        yield _("- a bonus of {amount} for each of these: {what}").format(
            amount=amount, what=BONUS_LABELS[bonus.rule]
        )
    if not design.bonuses and not any(settings.pay for settings in design.exits.values()):
        yield _("- The study pays no participants.")


def _disclosure_lines(design: Design) -> Iterator[str]:
    """Yield what participants do not learn at first, and when they learn it."""
    if not design.is_blind:
        yield _("- Everyone sees which players are human and which are computer players.")
        return
    yield _("- During the game, participants do not learn which players are human.")
    debriefings = [stage for stage in design.stages if isinstance(stage, DebriefingStage)]
    if any(stage.reveal for stage in debriefings):
        yield _(
            "- The debriefing reveals to each participant who was human in their games, and"
            " all roles."
        )
    elif debriefings:
        yield _("- There is a debriefing. It does not reveal who was human.")
    else:
        yield _("- There is no debriefing. Participants do not learn who was human.")


def _consent_text_lines(study: Study) -> Iterator[str]:
    """Yield each consent text with who agreed to it, or else the text that would be shown."""
    people = Participant.objects.filter(study=study, consented_at__isnull=False)
    consent_texts = list(ConsentText.objects.filter(study=study))
    for text in consent_texts:
        names = people.filter(consent_version=text.version).values_list("pseudonym", flat=True)
        agreed = ngettext("{n} participant agreed", "{n} participants agreed", len(names))
        agreed = agreed.format(n=len(names))
        version, day = f"`{text.version[:VERSION_CHARS]}`", text.first_used_at.date().isoformat()
        sentence = _("Version {version}, first used on {day}: {agreed}.")
        yield from _paragraphs(sentence.format(version=version, day=day, agreed=agreed))
        if names:
            ellipsis = " …" if len(names) > MAX_PSEUDONYMS else ""
            yield from _paragraphs(", ".join(sorted(names)[:MAX_PSEUDONYMS]) + ellipsis)
        yield from _quote_lines(text.text)
    stored_versions = [text.version for text in consent_texts]
    if other_count := people.exclude(consent_version__in=stored_versions).count():
        yield ngettext(
            "{n} participant agreed before texts were stored, so their text is unknown.",
            "{n} participants agreed before texts were stored, so their text is unknown.",
            other_count,
        ).format(n=other_count)
    if not consent_texts and study.design["stages"][0]["kind"] == "consent":
        yield from _paragraphs(_("No participant has agreed yet. This text would be shown:"))
        yield from _quote_lines(enrolment.consent_text(study))


def _consent_lines(study: Study, design: Design) -> Iterator[str]:
    ethics = design.ethics
    people = Participant.objects.filter(study=study, consented_at__isnull=False)
    if ethics.least_age:
        yes = people.filter(of_age=True).count()
        age_text = _("- Participants must confirm that they are {age} years old or older: {n} did.")
        yield age_text.format(age=ethics.least_age, n=yes)
    else:
        yield _("- There is no minimum age.")
    if ethics.publish_words:
        yes, no = (people.filter(publish_words=value).count() for value in (True, False))
        yield _(
            "- Permission to publish participants’ text has a checkbox of its own. It is never"
            " preselected and never required: {yes} selected it, {no} did not."
        ).format(yes=yes, no=no)
    else:
        yield _("- Participants are not asked for permission to publish their text.")
    if ethics.consent_again and any(isinstance(s, DebriefingStage) for s in design.stages):
        kept_count, withdrawn_count = (
            people.filter(consent_again=answer).count()
            for answer in (Participant.KEPT, Participant.TAKEN_BACK)
        )
        yield _(
            "- After the debriefing, participants are asked whether they still agree. No answer"
            " is preselected. Without an answer the consent stays valid, and it can be withdrawn"
            " later: {kept} kept it, {back} had their data deleted."
        ).format(kept=kept_count, back=withdrawn_count)
    else:
        yield _("- Participants are not asked for their consent again after the debriefing.")


def _recipient_lines(design: Design) -> Iterator[str]:
    recipients = list(_recipient_rows(design))
    if not recipients:
        yield _("None. All computer players are built in, and no text leaves the server.")
        return
    head = (_("Model server"), _("Model"), _("Name on this site"), _("Conditions"))
    yield from _table_lines(head, recipients)
    yield ""
    text = _(
        "Sent to the models: what a computer player may know at that moment, that is the rules,"
        " all statements and votes so far, the names at the table, the secrets of its own seat,"
        " and advice on how to play. Not sent: who is human, external names, codes, pay,"
        " addresses, answers to questionnaires."
    )
    yield from _paragraphs(text, _("Terms of the providers:"))
    yield from _quote_lines(design.ethics.terms or _("not set"))


def _recipient_rows(design: Design) -> Iterator[tuple[str, str, str, str]]:
    """Yield (host, model, backend, conditions) of each model server that receives text."""
    models = model_catalog.valid_chat_models()
    for backend, condition_names in conditions_by_backend(design).items():
        host, model = _("no longer a model of this site"), ""
        if settings := models.get(backend):
            host, model = urlsplit(settings.url).hostname or DEFAULT_HOST, settings.model
        yield host, model, backend, ", ".join(condition_names)


def _leaving_lines(design: Design) -> Iterator[str]:
    yield from _paragraphs(_("Participants can leave at any time without a reason, and choose:"))
    yield _("- *Keep*: their answers and statements so far are kept.")
    yield _(
        "- *Delete*: answers, ratings, times, device, practice game, external name and payments"
        " are deleted at once, also in the database’s file. If pay is still due, name and"
        " payments are deleted after it is paid, unless the participant gives up the pay."
    )
    yield ""
    yield from _shared_game_lines(design)
    yield ""
    days = design.ethics.withdraw_days
    yield (
        ngettext(
            "This is possible until {n} day after the participant’s own end.",
            "This is possible until {n} days after the participant’s own end.",
            days,
        ).format(n=days)
        if days
        else _("This is possible with the participant’s link for as long as data are kept.")
    )


def _shared_game_lines(design: Design) -> Iterator[str]:
    yield from _paragraphs(_("For a game with other participants:"))
    yield (
        _("- The game ends for everyone. The remaining participants wait for another game.")
        if design.dropout.policy == "end"
        else _("- A computer player takes their seat, and the game continues.")
    )
    yield (
        _("- Such a game counts.")
        if design.dropout.counts
        else _("- Such a game does not count. Other participants play it again.")
    )
    yield _(
        "- Their actions are kept because the game depends on them: votes, choices, and the fact"
        " that the seat was taken. Statements and answers of other players are kept."
    )
    yield _(
        "- Deletion removes their statements and chosen name, and all requests to models and"
        " notes of computer players that may repeat them. The text is kept while the game is in"
        " progress, and in a blind game while other participants are still active, for a maximum"
        " of one day after the game. A gap would reveal who is human."
    )


def _retention_lines(study: Study, design: Design) -> Iterator[str]:
    extra_days = study.extra_retention_days
    identities, other_data = _("External names and payments"), _("All other personal data")
    period = _("{n} days after the study is closed")

    def describe_end(days: int, unlimited: str) -> str:
        return period.format(n=days + extra_days) if days else unlimited

    never = _("not set: nothing is deleted automatically")
    rows = [
        (identities, describe_end(design.ethics.identity_days, _("with the other data"))),
        (other_data, describe_end(design.ethics.retention_days, never)),
    ]
    yield from _table_lines((_("Data"), _("Until")), rows)
    yield ""
    if extra_days:
        yield from _paragraphs(_("Extended by {n} days.").format(n=extra_days))
    for due in retention.deletion_dates(study):
        label = identities if due.data_kind == retention.IDENTITIES else other_data
        text = _("- {what}: deleted on {day}.") if due.done_at else _("- {what}: due on {day}.")
        yield text.format(what=label, day=(due.done_at or due.at).date().isoformat())
    yield ""
    yield _(
        "The researcher is notified 30 and 7 days before. The design, the games without"
        " participants’ text, and the times of all actions are kept."
    )
    erased = Erasure.objects.filter(participant__study=study)
    if number := erased.count():
        yield ""
        unfinished = erased.filter(done_at=None).count()
        yield _("Erased so far: {n}. For {left} of them, some data remain.").format(
            n=number, left=unfinished
        )


def _frozen_lines(study: Study, design: Design) -> Iterator[str]:
    current_facts = program.program_facts(design)
    frozen_facts = study.program_at_opening or current_facts
    if not study.program_at_opening:
        yield from _paragraphs(_("The study is not open yet. These are the current settings."))
    state_labels = {True: _("unchanged"), False: _("changed since")}
    rows = []
    for key, title in (("version", _("Version of Fabula")), ("program", _("Its program"))):
        is_same = frozen_facts[key] == current_facts[key]
        rows.append((title, frozen_facts[key], state_labels[is_same]))
    for kind, title in (("templates", _("Prompt")), ("instruments", _("Questionnaire"))):
        for name, value in sorted(frozen_facts[kind].items()):
            is_same = current_facts[kind].get(name) == value
            rows.append((f"{title} {name}", value, state_labels[is_same]))
    yield from _table_lines((_("What"), "SHA-256", ""), rows)


def _paragraphs(*texts: str) -> Iterator[str]:
    """Yield the texts, each with an empty line after it."""
    for text in texts:
        yield from (text, "")


def _table_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(_escape_markdown(str(cell)) or '–' for cell in row)} |"


def _quote_lines(text: str) -> Iterator[str]:
    yield from (f"> {line}".rstrip() for line in text.splitlines())
    yield ""


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))
