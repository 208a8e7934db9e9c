"""The ethics record of a study as Markdown, for the page "Ethics" and its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.study.design.exits import EXITS
from webapp.study.design.stages import DebriefingStage, Design
from webapp.study.ethics import retention
from webapp.study.models import ConsentText, Erasure, Participant, Study
from webapp.study.planning import frozen, recipients, studies, study_plan
from webapp.study.planning.pay_checks import BONUS_LABELS
from webapp.study.sessions import enrolment, participant_steps

MAX_PSEUDONYMS = 500  # listed for one consent text


def participation_lines(study: Study, design: Design) -> Iterator[str]:
    """Yield Markdown lines: the number of participants, their stages and minutes."""
    plan = study_plan.plan(study)
    if plan.counted:
        people = ngettext("{n} person", "{n} people", plan.people).format(n=plan.people)
        games = ngettext("{n} game", "{n} games", plan.games).format(n=plan.games)
        yield _(
            "- Planned: {people} who come to the end, in {games} that count. Each takes about"
            " {minutes} minutes."
        ).format(people=people, games=games, minutes=plan.minutes)
        parts = (_("{stage} ({n} min)").format(stage=name, n=n) for name, n in plan.parts)
        yield _("- In order: {stages}.").format(stages=", ".join(parts))
    yield _(
        "- Stored of each: what they answer, say, vote and choose, and when; when they came to each"
        " stage and left it; what their browser can do; apart from that, the name or number that"
        " came with their link."
    )
    yield _("- They can stop at any time, by a link on every page.")


def payment_lines(design: Design) -> Iterator[str]:
    """Yield Markdown lines: the pay of each exit, and bonuses."""
    for kind, settings in design.exits.items():
        if settings.pay:
            amount = design.format_money(settings.pay)
            yield _("- {amount} for {who}").format(amount=amount, who=EXITS[kind])
    for bonus in design.bonuses:
        amount = design.format_money(bonus.amount)
        yield _("- a bonus of {amount} each time, for {what}").format(
            amount=amount, what=BONUS_LABELS[bonus.rule]
        )
    if not design.bonuses and not any(settings.pay for settings in design.exits.values()):
        yield _("- Nobody is paid by this study.")


def disclosure_lines(design: Design) -> Iterator[str]:
    """Yield Markdown lines: facts that participants do not learn at first, and when they do."""
    if not design.blind:
        yield _("- Everybody sees who is a person and who is a computer player.")
        return
    yield _("- While they play, nobody is told which players are people.")
    debriefings = [stage for stage in design.stages if isinstance(stage, DebriefingStage)]
    if any(stage.reveal for stage in debriefings):
        yield _("- The debriefing tells each of them who was who in their games.")
    elif debriefings:
        yield _("- There is a debriefing, and it does not tell who was who.")
    else:
        yield _("- There is no debriefing: nobody learns it.")


def render_markdown(study: Study) -> str:
    """Return the current record."""
    design = participant_steps.design_of(study)
    parts: list[tuple[str, Iterable[str]]] = [
        (_("Who is responsible"), _controller_lines(study, design)),
        (_("What participants go through"), participation_lines(study, design)),
        (_("What they are paid"), payment_lines(design)),
        (_("What they are not told at first"), disclosure_lines(design)),
        (_("What participants agree to"), _consent_text_lines(study)),
        (_("Age, publishing of words, agreeing again"), _consent_lines(study, design)),
        (_("Who gets the words"), _recipient_lines(design)),
        (_("What becomes of the data when somebody leaves"), _leaving_lines(design)),
        (_("How long data are kept"), _retention_lines(study, design)),
        (_("A copy of one’s data"), _data_copy_lines()),
        (_("What was frozen when the study was opened"), _frozen_lines(study, design)),
    ]
    lines = [f"# {_escape(study.name)}", ""]
    lines += [_("As of {day}.").format(day=timezone.now().date().isoformat()), ""]
    for title, part_lines in parts:
        lines += [f"## {title}", "", *part_lines, ""]
    return "\n".join(lines).rstrip() + "\n"


def _escape(text: str) -> str:
    """Return the text in one line, with Markdown escaped."""
    one_line = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|" else c for c in one_line)


def _table_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(_escape(str(cell)) or '–' for cell in row)} |"


def _controller_lines(study: Study, design: Design) -> Iterator[str]:
    ethics, missing = design.ethics, _("not settled")
    rows = [
        (_("Responsible for the data"), ethics.controller or missing),
        (_("Contact"), ethics.contact or missing),
        (_("Board and number of the approval"), ethics.board or missing),
        (_("Legal basis"), ethics.legal_basis or missing),
        (_("Study"), study.code),
        (_("Fingerprint of the settings"), study.config_hash or studies.config_hash(study)),
    ]
    yield from _table_lines(("", ""), rows)


def _consent_text_lines(study: Study) -> Iterator[str]:
    """Yield Markdown lines: each consent text with the participants who agreed to it.

    Without any agreement, the text that would be shown.
    """
    people = Participant.objects.filter(study=study, consented_at__isnull=False)
    consent_texts = list(ConsentText.objects.filter(study=study))
    for text in consent_texts:
        names = people.filter(consent_version=text.version).values_list("pseudonym", flat=True)
        number = len(names)
        agreed = ngettext("{n} person agreed", "{n} people agreed", number).format(n=number)
        day = text.first_used_at.date().isoformat()
        version_text = _("Version {version}, first used on {day}: {agreed}.")
        yield version_text.format(version=f"`{text.version[:12]}`", day=day, agreed=agreed)
        yield ""
        if number:
            yield ", ".join(sorted(names)[:MAX_PSEUDONYMS]) + (
                "" if number <= MAX_PSEUDONYMS else " …"
            )
            yield ""
        yield from _quote_lines(text.text)
    other_count = people.exclude(
        consent_version__in=[text.version for text in consent_texts]
    ).count()
    if other_count:
        yield ngettext(
            "{n} person agreed to a text that was not kept: it was before texts were.",
            "{n} people agreed to a text that was not kept: it was before texts were.",
            other_count,
        ).format(n=other_count)
    if not consent_texts and study.design["stages"][0]["kind"] == "consent":
        yield _("Nobody has agreed yet. This text would be shown:")
        yield ""
        yield from _quote_lines(enrolment.consent_text(study))


def _quote_lines(text: str) -> Iterator[str]:
    yield from (f"> {line}".rstrip() for line in text.splitlines())
    yield ""


def _consent_lines(study: Study, design: Design) -> Iterator[str]:
    ethics = design.ethics
    people = Participant.objects.filter(study=study, consented_at__isnull=False)
    if ethics.least_age:
        yes = people.filter(of_age=True).count()
        age_text = _(
            "- Nobody begins without saying that they are {age} years old or older: {n} did."
        )
        yield age_text.format(age=ethics.least_age, n=yes)
    else:
        yield _("- No least age is asked.")
    if ethics.publish_words:
        yes, no = (people.filter(publish_words=value).count() for value in (True, False))
        yield _(
            "- Whether their words may be published is a tick of its own, never set beforehand and"
            " never needed to take part: {yes} set it, {no} did not."
        ).format(yes=yes, no=no)
    else:
        yield _("- Nobody is asked whether their words may be published.")
    if ethics.consent_again and any(isinstance(s, DebriefingStage) for s in design.stages):
        kept, back = (
            people.filter(consent_again=answer).count()
            for answer in (Participant.KEPT, Participant.TAKEN_BACK)
        )
        yield _(
            "- After the debriefing everybody is asked whether they stay with their agreement."
            " Nothing is chosen beforehand; who says nothing stays with it and can take it back"
            " later: {kept} stayed, {back} had their data deleted."
        ).format(kept=kept, back=back)
    else:
        yield _("- Nobody is asked again after the debriefing.")


def _recipient_lines(design: Design) -> Iterator[str]:
    recipient_list = recipients.list_recipients(design)
    if not recipient_list:
        yield _(
            "Nobody outside: all computer players are built in, and no word leaves the machine."
        )
        return
    head = (_("Model server"), _("Model"), _("Called here"), _("In the conditions"))
    unknown = _("not among the models of this site now")
    yield from _table_lines(
        head,
        [(r.host or unknown, r.model, r.backend, ", ".join(r.conditions)) for r in recipient_list],
    )
    yield ""
    yield _(
        "Sent to them: what a computer player may know at that moment of the game, that is the"
        " rules, everything said and voted so far, the names at the table, the secrets of its own"
        " seat, and a word on how to play. Not sent: who is a person, outside names, codes, pay,"
        " addresses, answers to questionnaires."
    )
    yield ""
    yield _("Terms of the providers:")
    yield ""
    yield from _quote_lines(design.ethics.terms or _("not settled"))


def _leaving_lines(design: Design) -> Iterator[str]:
    policy_texts = {
        "stand_in": _("- A computer player takes their seat, and the game goes on."),
        "wait": _("- A computer player takes their seat, and the game goes on."),
        "end": _("- The game ends for everybody, and those who stay wait for another one."),
    }
    yield _("Everybody can leave at any time without a reason, and choose:")
    yield ""
    yield _("- *Keep*: what they answered and said until then stays.")
    yield _(
        "- *Delete*: answers, ratings, times, device, practice game, outside name and payments are"
        " deleted at once, in the database’s file as well; name and payments of who is still owed"
        " pay only when that is paid, unless they do without it."
    )
    yield ""
    yield _("Of a game that they play with others:")
    yield ""
    yield policy_texts[design.dropout.policy]
    yield (
        _("- Such a game counts.")
        if design.dropout.counts
        else _("- Such a game does not count; it is played again by others.")
    )
    yield _(
        "- Their moves stay, for the game rests on them: votes, choices, and that somebody sat in"
        " the seat. What others said and answered stays theirs."
    )
    yield _(
        "- Deleting takes out their words and the name they chose, and all requests to models and"
        " notes of computer players that may repeat them. While the game goes on, and in a blind"
        " one while others of it are still on their way, the words stay, a day at the longest after"
        " the game: a gap would tell who is a person."
    )
    yield ""
    days = design.ethics.withdraw_days
    yield (
        ngettext(
            "That can be done until {n} day after one’s own end.",
            "That can be done until {n} days after one’s own end.",
            days,
        ).format(n=days)
        if days
        else _("That can be done for as long as the data are kept, by one’s own link.")
    )


def _retention_lines(study: Study, design: Design) -> Iterator[str]:
    ethics, never = design.ethics, _("not settled: nothing is deleted by itself")
    period = _("{n} days after the study is closed")
    extra_days = study.prolonged
    rows = [
        (
            _("Outside names and payments"),
            period.format(n=ethics.identity_days + extra_days)
            if ethics.identity_days
            else _("with the rest"),
        ),
        (
            _("Everything else that is personal"),
            period.format(n=ethics.retention_days + extra_days) if ethics.retention_days else never,
        ),
    ]
    yield from _table_lines((_("What"), _("Until")), rows)
    yield ""
    if extra_days:
        yield _("Prolonged by {n} days.").format(n=extra_days)
        yield ""
    for due in retention.deletion_dates(study):
        label = rows[0][0] if due.what == retention.IDENTITIES else rows[1][0]
        text = _("- {what}: deleted on {day}.") if due.done else _("- {what}: due on {day}.")
        yield text.format(what=label, day=(due.done or due.at).date().isoformat())
    yield ""
    yield _(
        "The researcher is told 30 and 7 days before. What stays: the design, the games without"
        " people’s words, and what was done when."
    )
    erased = Erasure.objects.filter(participant__study=study)
    if number := erased.count():
        yield ""
        unfinished = erased.filter(done_at=None).count()
        yield _("Erased so far: {n}, of whom something is still to go of {left}.").format(
            n=number, left=unfinished
        )


def _data_copy_lines() -> Iterator[str]:
    yield _(
        "On every page of the way and after the end a participant finds “What is stored of me”: a"
        " file of all that is stored of them, and of nobody else."
    )


def _frozen_lines(study: Study, design: Design) -> Iterator[str]:
    current_facts = frozen.program_facts(design)
    frozen_facts = study.frozen or current_facts
    if not study.frozen:
        yield _("The study was not opened yet; this is as it would be now.")
        yield ""
    state_labels = {True: _("as it is now"), False: _("changed since")}
    rows = []
    for key, title in (("version", _("Version of Fabula")), ("program", _("Its program"))):
        is_same = frozen_facts[key] == current_facts[key]
        rows.append((title, frozen_facts[key], state_labels[is_same]))
    for kind, title in (("templates", _("Prompt")), ("instruments", _("Questionnaire"))):
        for name, value in sorted(frozen_facts[kind].items()):
            is_same = current_facts[kind].get(name) == value
            rows.append((f"{title} {name}", value, state_labels[is_same]))
    yield from _table_lines((_("What"), "SHA-256", ""), rows)
