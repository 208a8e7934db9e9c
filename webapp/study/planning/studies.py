"""Setting up, opening and closing a study. Pages and tests call these functions.

`Refused` carries sentences that say what is wrong. Nothing has been changed then. The settings are
locked once a study has been opened. A copy can be changed again.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.engine import rulesets
from webapp.study.design.stages import Design, Ethics
from webapp.study.design.value_checks import Refused, check_field
from webapp.study.models import Participant, Study
from webapp.study.planning import frozen, study_plan
from webapp.study.planning.study_plan import Plan, plan, problems
from webapp.study.rating import campaigns
from webapp.study.rating.rating_checks import CampaignSettings
from webapp.study.sessions import audit_events, rated_games, slots

__all__ = [
    "ALWAYS_CHANGEABLE",
    "LOCKED",
    "Plan",
    "Refused",
    "change",
    "close",
    "config_hash",
    "copy",
    "create",
    "delete",
    "open",
    "pause",
    "plan",
    "problems",
    "resume",
    "unlock",
    "why_locked",
]

ALWAYS_CHANGEABLE = (
    "name",
    "listed_only",
)  # settings that may still be changed after the study was opened
LOCKED = ("seed", "design")
SETTINGS = (*ALWAYS_CHANGEABLE, *LOCKED)


def create(owner: User, name: str, **settings: Any) -> Study:
    """Return a new draft.

    `settings` are some of SETTINGS. Raises Refused.
    """
    study = Study(owner=owner, seed=secrets.token_hex(8), design=Design().data())
    _set(study, {"name": name, **settings})
    with transaction.atomic():
        study.save()
        rated_games.create_campaigns(study)
    return study


def change(study: Study, **settings: Any) -> Study:
    """Set some of SETTINGS.

    `design` is a Design or its data. Raises Refused.
    """
    with transaction.atomic():
        row = _locked_study(study)
        before = {name: getattr(row, name) for name in LOCKED}
        _set(row, settings)
        if row.state != Study.DRAFT and any(before[n] != getattr(row, n) for n in LOCKED):
            raise Refused([locked_sentence()])
        row.save(update_fields=SETTINGS)
    for name in SETTINGS:
        setattr(study, name, getattr(row, name))
    return study


def locked_sentence() -> str:
    return _("The study was opened with these settings: they stay. Make a copy to change them.")


def copy(study: Study, owner: User | None = None) -> Study:
    """Return a draft of the same settings, with a seed and links of its own.

    owner: of the copy; by default the study's.
    """
    return create(
        owner or study.owner,
        _("{name} (copy)").format(name=study.name[:110]),
        design=rated_games.design_with_settings(study),
        listed_only=study.listed_only,
    )


def open(study: Study, actor: str = "") -> None:
    """Draw conditions and slots, and admit participants.

    actor: name of the researcher, for the audit events. Raises Refused with what to do first.
    """
    if study.rates_only:
        with transaction.atomic():
            campaigns.open(study.campaigns.get())
            audit_events.record_event(study, "opened", actor=actor or study.owner.get_username())
        study.refresh_from_db()
        return
    if study.state == Study.DRAFT and (problems_found := study_plan.problems(study)):
        raise Refused(
            problems_found
        )  # it may contact a model's server, so it runs outside the transaction
    with transaction.atomic():
        row = _locked_study(study)
        if row.state != Study.DRAFT:
            raise Refused([_("The study is open already, or was.")])
        if problems_found := list(study_plan.plan(row).problems):
            raise Refused(problems_found)
        design = Design.of(row.design)
        row.asked, row.frozen = frozen.instruments_asked(design), frozen.program_facts(design)
        row.state, row.opened_at, row.config_hash = Study.OPEN, timezone.now(), config_hash(row)
        row.save(update_fields=["state", "opened_at", "config_hash", "asked", "frozen"])
        slots.draw_slots(row)
        rated_games.open_campaigns(row)
        audit_events.record_event(row, "opened", actor=actor or row.owner.get_username())
    study.refresh_from_db()


def why_locked(study: Study) -> str:
    """Return why a study that was opened cannot become a draft again, "" if it can."""
    if study.participants.filter(consented_at__isnull=False).exists():
        return _("Somebody has agreed to take part: the settings stay. A copy can be changed.")
    if study.slots.filter(game__isnull=False).exists():
        return _("Its games have begun: the settings stay. A copy can be changed.")
    if any(campaign.locked for campaign in study.campaigns.all()):
        return _("Ratings rest on these settings: they stay. A copy can be changed.")
    return ""


def unlock(study: Study, actor: str = "") -> None:
    """Make a study that was opened a draft again. Links stay, slots are drawn anew.

    Raises Refused once somebody has agreed to take part, or a game has begun.
    """
    with transaction.atomic():
        row = _locked_study(study)
        if row.state == Study.DRAFT:
            raise Refused([_("The study is a draft already.")])
        if reason := why_locked(row):
            raise Refused([reason])
        row.slots.all().delete()
        row.conditions.all().delete()
        rated_games.reset_campaigns(row)
        row.state, row.config_hash, row.asked, row.frozen = Study.DRAFT, "", {}, {}
        row.opened_at = row.closed_at = None
        row.retention = {}
        row.save()
        audit_events.record_event(row, "unlocked", actor=actor or row.owner.get_username())
    study.refresh_from_db()


def pause(study: Study, actor: str = "", reason: str = "") -> None:
    """Admit no new participants for a while. Active participants continue."""
    _change_state(study, "paused", Study.PAUSED, (Study.OPEN,), actor, reason)


def resume(study: Study, actor: str = "", reason: str = "") -> None:
    """Let participants in again, after a pause or an end."""
    _change_state(study, "resumed", Study.OPEN, (Study.PAUSED, Study.CLOSED), actor, reason)
    if study.rates_only:
        campaigns.open(study.campaigns.get())


def close(study: Study, actor: str = "", reason: str = "") -> None:
    """Admit no more participants. Active participants can complete the study."""
    _change_state(study, "closed", Study.CLOSED, (Study.OPEN, Study.PAUSED), actor, reason)
    if study.rates_only:
        campaigns.close(study.campaigns.get())


def _change_state(
    study: Study, event_kind: str, to: str, allowed: tuple[str, ...], actor: str, reason: str
) -> None:
    with transaction.atomic():
        row = _locked_study(study)
        if row.state not in allowed:
            raise Refused([_("That can’t be done with the study as it is now.")])
        row.state, row.closed_at = to, timezone.now() if to == Study.CLOSED else None
        row.retention = {}  # it counts from the last closing
        row.save(update_fields=["state", "closed_at", "retention"])
        audit_events.record_event(
            row, event_kind, actor=actor or row.owner.get_username(), reason=reason
        )
    study.refresh_from_db()


def delete(study: Study) -> None:
    """Delete a study. Raises Refused if anybody took part, or an experiment has games."""
    with transaction.atomic():
        row = _locked_study(study)
        if Participant.objects.filter(study=row, consented_at__isnull=False).exists():
            raise Refused([_("People took part in this study: close it and keep it.")])
        if row.is_experiment and row.slots.filter(game__isnull=False).exists():
            raise Refused([_("This experiment has played games: close it and keep it.")])
        row.delete()


def config_hash(study: Study) -> str:
    """Return the SHA-256 (hex) of everything that the data depend on.

    These are the design, the questions of its instruments, and the seed. A table's rule with the
    usual value counts as not named.
    """
    design = Design.of(study.design)
    plain_design = design.data()
    plain_design["table"]["settings"] = _changed_rules(design)
    if design.ethics == Ethics():
        # Studies without these settings keep the hash that they had before the settings existed.
        del plain_design["ethics"]
    instruments_asked = study.asked or frozen.instruments_asked(design)
    data = {"seed": study.seed, "design": plain_design, "instruments": instruments_asked}
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _changed_rules(design: Design) -> dict[str, Any]:
    """Return the rules of the base table that differ from the usual ones."""
    table = design.table
    rules_known = rulesets.get(table.ruleset).settings if table.ruleset in rulesets.names() else ()
    usual = {setting.key: setting.default for setting in rules_known}
    return {k: v for k, v in table.settings.items() if k not in usual or v != usual[k]}


def _locked_study(study: Study) -> Study:
    """Return the study's row, locked until the transaction ends."""
    return Study.objects.select_for_update(of=("self",)).select_related("owner").get(pk=study.pk)


def _set(study: Study, settings: Mapping[str, Any]) -> None:
    """Put checked settings on the study, unsaved. Raises Refused, TypeError for unknown names."""
    if unknown := sorted(set(settings) - set(SETTINGS)):
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    faults: list[str] = []
    for name, value in settings.items():
        try:
            setattr(study, name, _CHECKS[name](value))
        except Refused as refused:
            faults += refused.sentences
    if faults:
        raise Refused(faults)


def _design(value: Any) -> dict[str, Any]:
    return (value if isinstance(value, Design) else Design.of(value)).data()


_CHECKS = {
    **{name: check_field(CampaignSettings, name) for name in ("name", "seed", "listed_only")},
    "design": _design,
}
