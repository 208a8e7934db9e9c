"""Give every campaign a study, and everybody who rates a participant.

A campaign that a study made for its own games stays in that study. Every other campaign gets a
study of its own, with the stages consent and ratings; `games_of` keeps the study whose games join it.
The keys of links stay what they were.
"""

import hashlib
from datetime import timedelta

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from webapp.study.design.stages import Design

EXITS = {
    "complete": ("completed",),
    "screened_out": ("screened_out", "quiz_failed"),
    "full": ("full",),
    "declined": ("declined",),
    "withdrawn": ("left",),
    "timed_out": ("timed_out",),
}
LEFT_AS = {"withdrawn": "left", "full": "full", "timed_out": "timed_out"}


def move(apps, schema_editor):
    Campaign = apps.get_model("study", "Campaign")
    for campaign in Campaign.objects.order_by("pk"):
        direct = campaign.raters.filter(kind="person", participant=None)
        campaign.games_of = campaign.study
        if not campaign.study_id or not campaign.listed_only or direct.exists():
            campaign.study = _study(apps, campaign)
        campaign.save(update_fields=["study", "games_of"])
        for rater in direct.order_by("pk"):
            _participant(apps, campaign, rater)


def _study(apps, campaign):
    Study, ConsentText = (apps.get_model("study", n) for n in ("Study", "ConsentText"))
    study = Study.objects.create(
        owner=campaign.owner,
        name=campaign.name,
        state=campaign.state,
        key=campaign.key,
        seed=campaign.seed,
        design=_design(campaign),
        listed_only=campaign.listed_only,
        opened_at=campaign.opened_at,
        closed_at=campaign.closed_at,
    )
    Study.objects.filter(pk=study.pk).update(created_at=campaign.created_at)
    version = hashlib.sha256(campaign.consent.encode()).hexdigest()
    if campaign.raters.exclude(consented_at=None).exists():
        ConsentText.objects.create(study=study, version=version, text=campaign.consent)
    return study


def _design(campaign):
    exits = {}
    for old, kinds in EXITS.items():
        way = campaign.exits.get(old, {})
        code, url = way.get("code", ""), way.get("url", "")
        for kind in kinds if code or url else ():
            exits[kind] = {"code_kind": "same" if code else "none", "code": code, "url": url}
    consent = {
        "kind": "consent",
        "text": campaign.consent,
        "experience": True,
        "least_experience": campaign.least_experience,
    }
    ratings = {"kind": "ratings", "campaign": campaign.code}
    if campaign.time_limit:
        ratings |= {"minutes": campaign.time_limit, "then": "out"}
    told = {"stages": [consent, ratings], "exits": exits, "reading_factor": False}
    return Design.from_json(told).to_json()


def _participant(apps, campaign, rater):
    Participant, Identity = (apps.get_model("study", n) for n in ("Participant", "Identity"))
    erased = rater.key.startswith("erased-")
    way, ended = _exit(rater, erased)
    begun = rater.consented_at
    person = Participant(
        study=campaign.study,
        key=rater.key,
        pseudonym="P" + rater.pseudonym[1:],
        invited=rater.invited,
        consented_at=begun,
        visitor=rater.visitor,
        step=1 if begun else 0,
        step_at=begun,
        seen_at=rater.seen_at,
        exit=way,
        exited_at=ended,
        withdrew=erased,
        excluded=rater.excluded,
        exclusion_reason=rater.exclusion_reason,
    )
    if begun:
        person.consent_version = hashlib.sha256(campaign.consent.encode()).hexdigest()
        person.times = {"ratings-1": begun.isoformat()}
        went = ended.isoformat() if ended else None
        by = "participant" if ended else ""
        visit = {"step": "ratings-1", "came": begun.isoformat(), "went": went, "by": by}
        person.visits = [visit]
        if campaign.time_limit and not way:
            person.due_at = begun + timedelta(minutes=campaign.time_limit)
    person.save()
    rater.participant = person
    rater.save(update_fields=["participant"])
    Identity.objects.filter(rater=rater).update(participant=person, rater=None)


def _exit(rater, erased):
    if erased:
        return "left", rater.left_at
    if rater.finished_at:
        return "completed", rater.finished_at
    if rater.screened_out_at:
        return "quiz_failed" if rater.quiz_tries else "screened_out", rater.screened_out_at
    return LEFT_AS.get(rater.left_as, ""), rater.left_at


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("study", "0022_rater_erasure"),
    ]

    operations = [
        migrations.AddField(
            "campaign",
            "games_of",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="rated_in",
                to="study.study",
            ),
        ),
        migrations.RunPython(move, migrations.RunPython.noop),
    ]
