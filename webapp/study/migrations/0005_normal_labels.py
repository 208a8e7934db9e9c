"""Outside names that are there already can be compared normalised, too."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def normalise(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    from webapp.study.models import normalize_name

    Identity = apps.get_model("study", "Identity")
    for row in Identity.objects.exclude(label="").iterator():
        row.normal = normalize_name(row.label)
        row.save(update_fields=["normal"])


class Migration(migrations.Migration):
    dependencies = [("study", "0004_entrance")]

    operations = [migrations.RunPython(normalise, migrations.RunPython.noop)]
