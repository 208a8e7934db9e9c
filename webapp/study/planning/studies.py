"""The lifecycle of a study: setup, opening and closing.

A function that raises `Refused` has changed nothing. The exception's sentences are for researchers.
Opening a study locks its settings. A copy can be changed again.
"""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.engine import rulesets
from webapp.study import program
from webapp.study.design.participation_rules import Ethics
from webapp.study.design.rating_design import CampaignSettings
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import field_check
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Study
from webapp.study.planning import study_plan
from webapp.study.rating import campaigns
from webapp.study.sessions import slots, study_campaigns, study_events

# Settings that can be changed after the opening, and those that it locks.
ALWAYS_CHANGEABLE = ("name", "listed_only")
LOCKED = ("seed", "design")
SETTINGS = (*ALWAYS_CHANGEABLE, *LOCKED)
MAX_COPIED_NAME_CHARS = 110  # leaves room for "(copy)" in the 120 characters of a study's name


def create(owner: User, name: str, **settings: Any) -> Study:
    """Create a draft with some of SETTINGS, or raise `Refused`."""
    study = Study(owner=owner, seed=secrets.token_hex(8), design=Design().to_json())
    _apply_settings(study, {"name": name, **settings})
    with transaction.atomic():
        study.save()
        study_campaigns.create_campaigns(study)
    return study


def change(study: Study, **settings: Any) -> Study:
    """Change some of SETTINGS. Raise `Refused` if one is not valid, or is locked."""
    with _locked_study(study) as row:
        old_values = {name: getattr(row, name) for name in LOCKED}
        _apply_settings(row, settings)
        if row.state != Study.DRAFT and any(old_values[n] != getattr(row, n) for n in LOCKED):
            raise Refused(
                [_("The study was opened, so its settings are fixed. Make a copy to change them.")]
            )
        row.save(update_fields=SETTINGS)
    for name in SETTINGS:
        setattr(study, name, getattr(row, name))
    return study


def copy(study: Study, owner: User | None = None) -> Study:
    """Create a draft with the same settings, and a seed and links of its own."""
    return create(
        owner or study.owner,
        _("{name} (copy)").format(name=study.name[:MAX_COPIED_NAME_CHARS]),
        design=study_campaigns.design_with_settings(study),
        listed_only=study.listed_only,
    )


def open(study: Study, actor: str = "") -> None:
    """Open a draft to participants, or raise `Refused`. Draws its conditions and slots.

    A study that only rates has none: its campaign draws units, unless it has ratings already.
    """
    if study.rates_only:
        with transaction.atomic():
            campaigns.open(study.campaigns.get())
            _record_event(study, "opened", actor)
        study.refresh_from_db()
        return
    # This check may contact a model's server, so it runs outside the transaction.
    if study.state == Study.DRAFT and (errors := study_plan.find_opening_errors(study)):
        raise Refused(errors)
    with _locked_study(study) as row:
        if row.state != Study.DRAFT:
            raise Refused([_("The study is open already, or was opened before.")])
        if errors := list(study_plan.build_plan(row).problems):
            raise Refused(errors)
        design = Design.from_json(row.design)
        row.instruments_at_opening = program.named_instruments(design)
        row.program_at_opening = program.program_facts(design)
        row.state, row.opened_at, row.config_hash = Study.OPEN, timezone.now(), config_hash(row)
        row.save()
        slots.draw_slots(row)
        study_campaigns.open_campaigns(row)
        _record_event(row, "opened", actor)
    study.refresh_from_db()


def lock_reason(study: Study) -> str:
    """Return a sentence if a study that was opened cannot become a draft again, "" if it can."""
    if study.participants.filter(consented_at__isnull=False).exists():
        return _("A participant has agreed, so the settings are fixed. Make a copy to edit.")
    if study.slots.filter(game__isnull=False).exists():
        return _("The games have started, so the settings are fixed. Make a copy to edit.")
    if any(campaign.has_ratings for campaign in study.campaigns.all()):
        return _("Ratings depend on these settings, so they are fixed. Make a copy to edit.")
    return ""


def unlock(study: Study, actor: str = "") -> None:
    """Make a study that was opened a draft again. Links stay, and slots are deleted.

    Raise `Refused` if a participant has agreed, a game has begun, or ratings depend on it.
    """
    with _locked_study(study) as row:
        if row.state == Study.DRAFT:
            raise Refused([_("The study is already a draft.")])
        if reason := lock_reason(row):
            raise Refused([reason])
        row.slots.all().delete()
        row.conditions.all().delete()
        study_campaigns.reset_campaigns(row)
        row.state, row.config_hash = Study.DRAFT, ""
        row.instruments_at_opening = row.program_at_opening = row.retention = {}
        row.opened_at = row.closed_at = None
        row.save()
        _record_event(row, "unlocked", actor)
    study.refresh_from_db()


def pause(study: Study, actor: str = "", reason: str = "") -> None:
    """Admit no new participants until `resume`. Active participants continue."""
    _change_state(study, "paused", Study.PAUSED, actor, reason, allowed=[Study.OPEN])


def resume(study: Study, actor: str = "", reason: str = "") -> None:
    """Admit participants again after a pause or a closing."""
    allowed = [Study.PAUSED, Study.CLOSED]
    _change_state(study, "resumed", Study.OPEN, actor, reason, allowed=allowed)
    if study.rates_only:
        campaigns.open(study.campaigns.get())


def close(study: Study, actor: str = "", reason: str = "") -> None:
    """Admit no more participants. Active participants can complete the study."""
    allowed = [Study.OPEN, Study.PAUSED]
    _change_state(study, "closed", Study.CLOSED, actor, reason, allowed=allowed)
    if study.rates_only:
        campaigns.close(study.campaigns.get())


def _change_state(
    study: Study, event_kind: str, state: str, actor: str, reason: str, *, allowed: list[str]
) -> None:
    with _locked_study(study) as row:
        if row.state not in allowed:
            raise Refused([_("This is not possible in the study’s current state.")])
        row.state, row.closed_at = state, timezone.now() if state == Study.CLOSED else None
        row.retention = {}  # its dates count from the last closing
        row.save(update_fields=["state", "closed_at", "retention"])
        _record_event(row, event_kind, actor, reason)
    study.refresh_from_db()


def _record_event(study: Study, kind: str, actor: str, reason: str = "") -> None:
    """Record an audit event, by the study's owner if there is no `actor`."""
    study_events.record_event(study, kind, actor=actor or study.owner.get_username(), reason=reason)


def delete(study: Study) -> None:
    """Delete a study. Raise `Refused` if a participant has agreed, or it has games."""
    with _locked_study(study) as row:
        if Participant.objects.filter(study=row, consented_at__isnull=False).exists():
            raise Refused([_("A study with participants cannot be deleted. Close it instead.")])
        if row.is_experiment and row.slots.filter(game__isnull=False).exists():
            raise Refused([_("An experiment with games cannot be deleted. Close it instead.")])
        row.delete()


def config_hash(study: Study) -> str:
    """Return the SHA-256 (hex) of the design, the questions of its instruments, and the seed.

    Settings of the table with their default values are left out.
    """
    design = Design.from_json(study.design)
    design_data = design.to_json()
    design_data["table"]["settings"] = _non_default_settings(design)
    if design.ethics == Ethics():
        # Studies without these settings keep the hash that they had before the settings existed.
        del design_data["ethics"]
    instruments = study.instruments_at_opening or program.named_instruments(design)
    data = {"seed": study.seed, "design": design_data, "instruments": instruments}
    return program.json_hash(data)


def _non_default_settings(design: Design) -> dict[str, Any]:
    table = design.table
    is_known = table.ruleset in rulesets.names()
    known_settings = rulesets.get(table.ruleset).settings if is_known else ()
    defaults = {setting.key: setting.default for setting in known_settings}
    return {k: v for k, v in table.settings.items() if k not in defaults or v != defaults[k]}


@contextmanager
def _locked_study(study: Study) -> Iterator[Study]:
    """Open a transaction, and yield the study's locked row with its owner."""
    rows = Study.objects.select_for_update(of=("self",)).select_related("owner")
    with transaction.atomic():
        yield rows.get(pk=study.pk)


def _apply_settings(study: Study, settings: Mapping[str, Any]) -> None:
    if unknown := sorted(set(settings) - set(SETTINGS)):
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    errors: list[str] = []
    for name, value in settings.items():
        try:
            setattr(study, name, _CHECKS[name](value))
        except Refused as refused:
            errors += refused.sentences
    if errors:
        raise Refused(errors)


def _check_design(value: Any) -> dict[str, Any]:
    return (value if isinstance(value, Design) else Design.from_json(value)).to_json()


_CHECKS = {
    **{name: field_check(CampaignSettings, name) for name in ("name", "seed", "listed_only")},
    "design": _check_design,
}
