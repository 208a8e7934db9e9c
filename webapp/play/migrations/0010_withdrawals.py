"""Words that were taken out leave the record too: those of before are still to be blanked there,
which the sweeper does."""

import django.db.models.deletion
from django.db import migrations, models


def note_down(apps, schema_editor):
    utterance = apps.get_model("game", "Utterance")
    window = apps.get_model("game", "Window")
    withdrawal = apps.get_model("play", "Withdrawal")
    gone = utterance.objects.filter(text="", event__isnull=False)
    for game, key, seat in gone.values_list("game", "window", "seat"):
        since = window.objects.get(game=game, key=key).opened_seq
        withdrawal.objects.create(game_id=game, since=since, seat=seat)


class Migration(migrations.Migration):

    dependencies = [
        ('game', '0004_erased'),
        ('play', '0009_limits'),
    ]

    operations = [
        migrations.AddField(
            model_name='asked',
            name='withdrawn',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='table',
            name='research',
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name='Withdrawal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.PositiveIntegerField(default=0)),
                ('seat', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawals', to='game.game')),
            ],
        ),
        migrations.RunPython(note_down, migrations.RunPython.noop),
    ]
