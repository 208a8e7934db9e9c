"""Rename the model of audit events, and fields whose names did not say what they hold."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

RENAMED_FIELDS = (
    ("study", "asked", "instruments_at_opening"),
    ("study", "frozen", "program_at_opening"),
    ("study", "prolonged", "extra_retention_days"),
    ("participant", "shown", "item_layouts"),
    ("participant", "waited", "waited_s"),
    ("seating", "waited", "waited_s"),
    ("identity", "normal", "normal_label"),
    ("unit", "known", "known_answers"),
    ("situations", "found", "keys_by_position"),
    ("analysis", "asked_at", "requested_at"),
    ("analysis", "rests_on", "data_digest"),
    ("studyanalysis", "asked_at", "requested_at"),
    ("studyanalysis", "rests_on", "data_digest"),
    ("rehearsal", "asked", "options"),
    ("rehearsal", "told", "progress"),
    ("rehearsal", "asked_at", "requested_at"),
    ("erasure", "asked_at", "requested_at"),
    ("erasure", "words_at", "texts_removed_at"),
    ("judge", "asked_at", "started_at"),
    ("judgedraw", "asked_at", "requested_at"),
    ("judgedraw", "again", "requested_again"),
    ("platformrequest", "remote", "bulk_payment_id"),
    ("platformrequest", "paying", "may_have_paid"),
)


class Migration(migrations.Migration):
    dependencies = [("study", "0035_prolific")]

    operations = [
        migrations.RenameModel("Happening", "AuditEvent"),
        *(migrations.RenameField(*names) for names in RENAMED_FIELDS),
        migrations.AlterField(
            "auditevent",
            "study",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="audit_events",
                to="study.study",
            ),
        ),
        migrations.AlterField(
            "campaign",
            "games_of",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="study.study",
            ),
        ),
        migrations.AlterField(
            "campaigngame",
            "campaign",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="chosen_games",
                to="study.campaign",
            ),
        ),
        migrations.AlterField(
            "rehearsal",
            "study",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="study.study"
            ),
        ),
        migrations.AlterField(
            "studyanalysis",
            "study",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="study.study"
            ),
        ),
    ]
