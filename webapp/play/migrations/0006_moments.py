"""Requests and notes carry moments and say what they were made for; no key is parsed any more."""

from django.db import migrations, models

TIME = {
    "phase_number": models.PositiveIntegerField(default=0),
    "pass_number": models.PositiveIntegerField(default=0),
    "day": models.PositiveSmallIntegerField(default=0),
    "phase": models.CharField(max_length=40, blank=True, default=""),
    "round": models.PositiveSmallIntegerField(default=0),
}
STEPS = ("favor", "judgement", "strategy")


def fill(apps, schema_editor):
    window = apps.get_model("game", "Window")
    for name in ("Asked", "MindNote"):
        model = apps.get_model("play", name)
        for game in model.objects.order_by().values_list("game", flat=True).distinct():
            rows = {w.key: w for w in window.objects.filter(game=game)}
            begun = {f"prepare.{w.day}.{w.round}": w for w in rows.values() if w.opens_round}
            for row in model.objects.filter(game=game).iterator():
                _fill(row, rows, begun, name)


def _fill(row, windows, begun, name):
    key = row.window
    if key.startswith("rival."):
        row.purpose, key = "rival", key.split(".", 2)[2]
    preparation = key.startswith("prepare.")
    when = begun.get(key) if preparation else windows.get(key)
    if when:
        for field in TIME:
            setattr(row, field, getattr(when, field))
    if preparation and name == "MindNote":
        row.preparation = True
    if name == "Asked":
        if preparation and row.purpose != "rival":
            row.purpose = "preparation"
        if row.step in STEPS:
            row.step += "/first"
    elif row.faculty == "memory":
        row.data.pop("window", None)
    row.save()


class Migration(migrations.Migration):
    dependencies = [("play", "0005_casting"), ("game", "0003_moments")]

    operations = [
        *(migrations.AddField("asked", name, field) for name, field in TIME.items()),
        *(
            migrations.AddField("mindnote", name, field)
            for name, field in TIME.items()
            if name != "round"
        ),
        migrations.AlterField("mindnote", "round", TIME["round"]),
        migrations.AddField("mindnote", "preparation", models.BooleanField(default=False)),
        migrations.AddField(
            "asked", "purpose", models.CharField(max_length=12, default="answer")
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
