"""Moments as columns, and labels as lists.

Every window gets the moment at which its log opened it. Whether it began a round of talk is worked
out as `game.engine.state` does: the first public speech of a (day, round).
"""

from django.db import migrations, models

TIME = {
    "phase_number": models.PositiveIntegerField(default=0),
    "pass_number": models.PositiveIntegerField(default=0),
    "day": models.PositiveSmallIntegerField(default=0),
    "phase": models.CharField(max_length=40, blank=True, default=""),
    "round": models.PositiveSmallIntegerField(default=0),
}
LABELLED = ("event", "answer", "vote")


def fill(apps, schema_editor):
    for name in LABELLED:
        rows = apps.get_model("game", name).objects.exclude(label="")
        for row in rows.iterator():
            row.labels = [part for part in row.label.split(", ") if part]
            row.save(update_fields=["labels"])
    event, window = apps.get_model("game", "Event"), apps.get_model("game", "Window")
    for game in window.objects.order_by().values_list("game", flat=True).distinct():
        phases = list(
            event.objects.filter(game=game, kind="phase_opened")
            .order_by("seq")
            .values_list("seq", "data")
        )
        begun = None
        for row in window.objects.filter(game=game).order_by("opened_seq"):
            before = [data for seq, data in phases if seq < row.opened_seq]
            if not before:
                continue
            now = before[-1]
            row.phase_number, row.day = len(before), now["day"]
            row.phase, row.round = now["phase"], now["round"]
            speech = row.data["legal"]["form"] == "speech" and row.data["hears"] == "public"
            if speech and (row.day, row.round) != begun:
                row.opens_round, begun = True, (row.day, row.round)
            row.save()
        # A straw poll counts for the round it asked about, not for the one in which it closed.
        windows = {w.key: w for w in window.objects.filter(game=game)}
        for vote in apps.get_model("game", "Vote").objects.filter(game=game).select_related("event"):
            asked = windows[vote.event.data["window"]]
            vote.day, vote.round = asked.day, asked.round
            vote.save(update_fields=["day", "round"])


class Migration(migrations.Migration):
    dependencies = [("game", "0002_gathering")]

    operations = [
        *(migrations.AddField("window", name, field) for name, field in TIME.items()),
        migrations.AddField("window", "opens_round", models.BooleanField(default=False)),
        *(
            migrations.AddField(name, "labels", models.JSONField(default=list))
            for name in LABELLED
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        *(migrations.RemoveField(name, "label") for name in LABELLED),
    ]
