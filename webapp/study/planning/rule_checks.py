"""Checks of a design's rules for participants: assignment, waiting, exits, pay, ethics, time."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.study.design.conditions import ConditionPlan, conditions_by_backend, count_conditions
from webapp.study.design.exits import BONUS_LABELS, EXITS
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import url_check
from webapp.study.design.stages import ConsentStage, DebriefingStage, Design, RatingsStage
from webapp.study.planning.estimates import max_minutes
from webapp.study.sessions.bonuses import human_items
from webapp.study.sessions.enrolment import TIME_LIMIT_PERCENTS

# A contact in a text: an e-mail address, a web address or a phone number.
CONTACT_PATTERN = re.compile(r"\S@\S|https?://\S|\+?\d[\d /()-]{6,}\d")


def find_errors(design: Design) -> list[str]:
    """Return a sentence for each error in the rules that prevents opening the study."""
    return [
        *_assignment_errors(design),
        *_waiting_errors(design),
        *_exit_errors(design),
        *_ethics_errors(design),
        *find_bonus_errors(design),
    ]


def _assignment_errors(design: Design) -> Iterator[str]:
    """Yield a sentence if there are too few conditions for a participant's games."""
    assignment, games_each = design.assignment, design.assignment.games_each
    condition_count = count_conditions(design)
    if assignment.distinct_conditions and games_each > condition_count:
        yield ngettext(
            "There is only {n} condition, and participants never play one twice. Set games per"
            " participant to {n}, or allow repeats.",
            "There are only {n} conditions, and participants never play one twice. Set games per"
            " participant to {n} or less, or allow repeats.",
            condition_count,
        ).format(n=condition_count)


def _waiting_errors(design: Design) -> Iterator[str]:
    if design.waiting.least > design.waiting.most:
        yield _("In the waiting room the minimum wait is longer than the maximum wait.")


def _exit_errors(design: Design) -> Iterator[str]:
    for exit_kind, settings in design.exits.items():
        exit_name = EXITS[exit_kind]
        if settings.code_kind == "same" and not settings.code.strip():
            yield _("Enter the code for {who}.").format(who=exit_name)
        if settings.code_kind != "same" and settings.code.strip():
            error_text = _(
                "There is a code for {who}, but codes are off for them. Choose “one code for all”."
            )
            yield error_text.format(who=exit_name)
        if settings.pay and not design.currency.strip():
            error_text = _("There is pay for {who}. Choose a currency.")
            yield error_text.format(who=exit_name)
        try:
            url_check(_("The return address for {who}").format(who=exit_name))(settings.url)
        except Refused as refused:
            yield from refused.sentences


def _ethics_errors(design: Design) -> Iterator[str]:
    ethics = design.ethics
    has_debriefing = any(isinstance(s, DebriefingStage) for s in design.stages)
    consent_texts = " ".join(s.text for s in design.stages if isinstance(s, ConsentStage))
    # An exit with pay, a code or a return address shows that people come for pay, or are sent by
    # a recruiting service.
    is_recruiting = any(
        settings.pay or settings.url.strip() or settings.code_kind != "none"
        for settings in design.exits.values()
    )
    has_contact = ethics.contact.strip() or CONTACT_PATTERN.search(consent_texts)
    if is_recruiting and not has_contact:
        yield _(
            "Participants are paid or recruited by a service, but they see no contact. Enter a"
            " contact under “Ethics” or in the consent text."
        )
    if ethics.consent_again and not has_debriefing:
        yield _("Renewed consent needs a debriefing. Add one, or turn renewed consent off.")
    if 0 < ethics.retention_days < ethics.identity_days:
        yield _("External names are kept longer than other data. Shorten their retention.")
    if 0 < ethics.retention_days < ethics.withdraw_days:
        yield _(
            "Participants may delete their data for longer than the data are kept. Shorten that"
            " period."
        )


def find_bonus_errors(design: Design) -> Iterator[str]:
    """Yield a sentence for each error in the bonuses."""
    counts = Counter(bonus.rule for bonus in design.bonuses)
    for rule, times in counts.items():
        if times > 1:
            error_text = _("There are {n} bonuses for {what}. Keep one.")
            yield error_text.format(n=times, what=BONUS_LABELS[rule])
    if design.bonuses and not design.currency.strip():
        yield _("Choose a currency for the bonuses.")
    for bonus in design.bonuses:
        if bonus.most and bonus.most < bonus.amount:
            error_text = _("The bonus for {what} is {amount}, but its maximum is {most}. Raise it.")
            label = BONUS_LABELS[bonus.rule]
            yield error_text.format(what=label, amount=bonus.amount, most=bonus.most)
    with suppress(LookupError, TypeError):  # another check reports these errors
        if "guessed_human" in counts and not human_items(design.stages, {}):
            yield _(
                "There is a bonus for guessing who was human, but no questionnaire asks for it. Add"
                " one after the game, or remove the bonus."
            )


def find_notes(design: Design, conditions: Sequence[ConditionPlan]) -> list[str]:
    """Return notes for the researcher, which do not prevent opening the study."""
    return [
        *_design_notes(design),
        *_ethics_notes(design),
        *_extra_time_notes(design, conditions),
        *_bonus_notes(design, conditions),
    ]


def _design_notes(design: Design) -> Iterator[str]:
    waiting, exits = design.waiting, design.exits
    if design.currency or any(settings.pay for settings in exits.values()):
        paid = {kind for kind, settings in exits.items() if settings.pay}
        if "completed" not in paid:
            yield _("Participants who finish the study get no pay.")
        if "waited_out" not in paid:
            yield _("Participants who got no game get no pay.")
        if "completed" in paid:
            for kind in ("technical", "full", "left"):
                if kind not in paid:
                    yield _("There is no pay for {who}.").format(who=EXITS[kind])
    if waiting.leave_paid_after > waiting.most:
        yield _("The maximum wait ends before participants may leave with pay.")
    if waiting.at_most == "begin":
        yield (
            _("Games that start with computer players in open seats count like all others.")
            if waiting.short_counts
            else _(
                "Games that start with computer players in open seats do not count. Other"
                " participants play them again."
            )
        )
    if design.is_blind and not waiting.least:
        yield _("Set a minimum wait: without it, participants may guess that they play alone.")
    if any(isinstance(stage, RatingsStage) for stage in design.stages):
        yield _(
            "Participants do not rate their own games, so early participants find few games to"
            " rate."
        )


def _ethics_notes(design: Design) -> Iterator[str]:
    ethics = design.ethics
    missing = [
        label
        for label, is_present in (
            (_("the data controller"), ethics.controller),
            (_("a contact"), ethics.contact),
            (_("the approval of the ethics board"), ethics.board),
            (_("the legal basis"), ethics.legal_basis),
            (_("a minimum age"), ethics.least_age),
            (_("the retention period"), ethics.retention_days),
        )
        if not is_present
    ]
    if missing:
        text = _("Ethics boards require more under “Ethics”: {what}.")
        yield text.format(what=", ".join(missing))
    if conditions_by_backend(design) and not ethics.terms.strip():
        yield _("Describe under “Ethics” what the providers of language models do with text.")


def _bonus_notes(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    if not design.bonuses:
        return
    if any(condition.table.blind for condition in conditions):
        yield _(
            "Bonuses for games at blind tables are shown and paid after the study is closed and all"
            " games have ended, because earlier they would reveal who is a person."
        )
    has_open_table = any(not condition.table.blind for condition in conditions)
    if has_open_table and any(b.rule == "guessed_human" for b in design.bonuses):
        yield _("At tables that show who is human, every participant earns this bonus.")


def find_duration_errors(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence if a participant can take longer than the platform allows."""
    allowed, needed = design.platform.most_minutes, max_minutes(design, conditions)
    if allowed and needed > allowed:
        error_text = _(
            "All stages and the longest waits take up to {n} minutes, but the platform’s maximum"
            " is {most}. Raise the maximum there and here, or shorten stages or waits."
        )
        yield error_text.format(n=needed, most=allowed)


def _extra_time_notes(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence if only participants who choose twice the time can take too long."""
    allowed = design.platform.most_minutes
    if not allowed or not design.reading_factor or max_minutes(design, conditions) > allowed:
        return
    needed = max_minutes(design, conditions, time_limit_percent=max(TIME_LIMIT_PERCENTS))
    if needed > allowed:
        note_text = _(
            "Participants who choose twice the time can take up to {n} minutes, more than the "
            "platform’s {most}. Pay them with a bonus."
        )
        yield note_text.format(n=needed, most=allowed)
