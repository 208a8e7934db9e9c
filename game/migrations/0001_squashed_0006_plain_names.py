"""Create the tables of a new database in one step.

A database that has applied only some of the replaced migrations applies the others of them. They
also convert its rows, so their files stay.
"""

import django.db.models.deletion
import game.models
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('game', '0001_initial'),
        ('game', '0002_gathering'),
        ('game', '0003_moments'),
        ('game', '0004_erased'),
        ('game', '0005_reworded'),
        ('game', '0006_plain_names'),
    ]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Game',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(default=game.models.new_code, max_length=24, unique=True)),
                ('ruleset', models.CharField(max_length=40)),
                ('seed', models.CharField(max_length=80)),
                ('settings', models.JSONField(default=dict)),
                ('pace', models.CharField(default='natural', max_length=20)),
                ('limits', models.JSONField(default=dict)),
                ('winner', models.CharField(blank=True, max_length=20)),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('called_off', models.BooleanField(default=False)),
                ('revealed_at', models.DateTimeField(blank=True, null=True)),
                ('version', models.PositiveIntegerField(default=0)),
                ('reworded', models.PositiveIntegerField(default=0)),
                ('phase_at', models.DateTimeField()),
                ('due_at', models.DateTimeField(blank=True, db_index=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Heartbeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.PositiveIntegerField()),
                ('kind', models.CharField(max_length=40)),
                ('audience', models.CharField(max_length=80)),
                ('data', models.JSONField(default=dict)),
                ('labels', models.JSONField(default=list)),
                ('at', models.DateTimeField()),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='game.game')),
            ],
            options={
                'ordering': ['seq'],
                'constraints': [models.UniqueConstraint(models.F('game'), models.F('seq'), name='one_event_a_seq')],
            },
        ),
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=40)),
                ('kind', models.CharField(choices=[('person', 'person'), ('agent', 'agent'), ('open', 'open')], max_length=10)),
                ('stand_in', models.BooleanField(default=False)),
                ('left_at', models.DateTimeField(blank=True, null=True)),
                ('erased_at', models.DateTimeField(blank=True, null=True)),
                ('portrait', models.PositiveSmallIntegerField(default=0)),
                ('recipe', models.JSONField(default=dict)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='players', to='game.game')),
            ],
            options={
                'ordering': ['seat'],
                'constraints': [models.UniqueConstraint(models.F('game'), models.F('seat'), name='one_player_a_seat')],
            },
        ),
        migrations.CreateModel(
            name='Utterance',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('seat', models.PositiveSmallIntegerField()),
                ('window', models.CharField(max_length=80)),
                ('text', models.TextField()),
                ('sha256', models.CharField(max_length=64)),
                ('words', models.PositiveIntegerField()),
                ('event', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='utterance', to='game.event')),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='utterances', to='game.game')),
            ],
        ),
        migrations.CreateModel(
            name='Vote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('day', models.PositiveSmallIntegerField()),
                ('round', models.PositiveSmallIntegerField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('target', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('labels', models.JSONField(default=list)),
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='vote', to='game.event')),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='votes', to='game.game')),
            ],
        ),
        migrations.CreateModel(
            name='Window',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('phase_number', models.PositiveIntegerField(default=0)),
                ('pass_number', models.PositiveIntegerField(default=0)),
                ('day', models.PositiveSmallIntegerField(default=0)),
                ('phase', models.CharField(blank=True, default='', max_length=40)),
                ('round', models.PositiveSmallIntegerField(default=0)),
                ('key', models.CharField(max_length=80)),
                ('data', models.JSONField()),
                ('asked', models.JSONField()),
                ('opened_seq', models.PositiveIntegerField()),
                ('opens_round', models.BooleanField(default=False)),
                ('opened_at', models.DateTimeField()),
                ('not_before', models.DateTimeField()),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('agents_missing', models.PositiveSmallIntegerField(default=0)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='windows', to='game.game')),
            ],
            options={
                'indexes': [models.Index(models.F('opened_at'), condition=models.Q(('agents_missing__gt', 0), ('closed_at', None)), name='open_for_agents')],
                'constraints': [models.UniqueConstraint(models.F('game'), models.F('key'), name='one_window_a_key')],
            },
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('post', models.UUIDField(default=uuid.uuid4)),
                ('action', models.JSONField()),
                ('labels', models.JSONField(default=list)),
                ('at', models.DateTimeField()),
                ('utterance', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to='game.utterance')),
                ('window', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='game.window')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(models.F('window'), models.F('seat'), models.F('post'), name='one_answer_a_post')],
            },
        ),
    ]
