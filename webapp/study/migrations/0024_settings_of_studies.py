"""Remove what a campaign's study holds now, and what a rater's participant does."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("study", "0023_campaigns_in_studies")]

    operations = [
        migrations.AlterField(
            "campaign",
            "study",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="campaigns",
                to="study.study",
            ),
        ),
        *(
            migrations.RemoveField("campaign", name)
            for name in (
                "owner", "key", "listed_only", "exits", "consent", "least_experience", "time_limit",
            )
        ),
        *(migrations.RemoveField("rater", name) for name in ("invited", "visitor", "exits_shown", "erasure_requested_at")),
        migrations.RemoveField("identity", "rater"),
        migrations.AlterField(
            "identity",
            "participant",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="identity",
                to="study.participant",
            ),
        ),
    ]
