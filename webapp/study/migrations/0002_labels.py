"""Labels become lists."""

from django.db import migrations, models


def fill(apps, schema_editor):
    for row in apps.get_model("study", "Stimulus").objects.exclude(label="").iterator():
        row.labels = [part for part in row.label.split(", ") if part]
        row.save(update_fields=["labels"])


class Migration(migrations.Migration):
    dependencies = [("study", "0001_initial")]

    operations = [
        migrations.AddField("stimulus", "labels", models.JSONField(default=list)),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RemoveField("stimulus", "label"),
    ]
