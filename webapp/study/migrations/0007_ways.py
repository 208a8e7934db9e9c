"""Ways out as one structure; quiz, breaks, time limit, rules; units of known answer."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

OLD = {"complete": ("complete_code", "complete_url"),
       "screened_out": ("screen_out_code", "screen_out_url")}  # fmt: skip


def gather(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    Campaign = apps.get_model("study", "Campaign")
    for row in Campaign.objects.all():
        for kind, (code, url) in OLD.items():
            told = {"code": getattr(row, code), "url": getattr(row, url)}
            if kept := {name: text for name, text in told.items() if text}:
                row.exits[kind] = kept
        row.save(update_fields=["exits"])


def scatter(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    Campaign = apps.get_model("study", "Campaign")
    for row in Campaign.objects.all():
        for kind, (code, url) in OLD.items():
            setattr(row, code, row.exits.get(kind, {}).get("code", ""))
            setattr(row, url, row.exits.get(kind, {}).get("url", ""))
        row.save()



def added(model: str, name: str, field: models.Field) -> migrations.AddField:
    return migrations.AddField(model_name=model, name=name, field=field)


class Migration(migrations.Migration):
    dependencies = [("study", "0006_tracks")]

    operations = [
        added("campaign", "exits", models.JSONField(blank=True, default=dict)),
        added("campaign", "exclusion", models.JSONField(blank=True, default=dict)),
        added("campaign", "quiz", models.JSONField(blank=True, default=dict)),
        added("campaign", "break_after", models.PositiveSmallIntegerField(default=0)),
        added("campaign", "time_limit", models.PositiveSmallIntegerField(default=0)),
        added("unit", "use", models.CharField(blank=True, max_length=10)),
        added("unit", "known", models.JSONField(blank=True, default=dict)),
        added("rater", "rulings", models.JSONField(blank=True, default=list)),
        added("rater", "quiz_tries", models.PositiveSmallIntegerField(default=0)),
        added("rater", "left_as", models.CharField(blank=True, max_length=20)),
        added("rater", "left_at", models.DateTimeField(blank=True, null=True)),
        added("rater", "exits_shown", models.JSONField(blank=True, default=list)),
        migrations.RunPython(gather, scatter),
        migrations.RemoveField(model_name="campaign", name="complete_code"),
        migrations.RemoveField(model_name="campaign", name="complete_url"),
        migrations.RemoveField(model_name="campaign", name="screen_out_code"),
        migrations.RemoveField(model_name="campaign", name="screen_out_url"),
    ]
