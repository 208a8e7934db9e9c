"""Create the tables of a new database in one step.

A database that has applied only some of the replaced migrations applies the others of them. They
also convert its rows, so their files stay.
"""

import django.db.models.deletion
import django.utils.timezone
import game.models
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('play', '0001_initial'),
        ('play', '0002_tables'),
        ('play', '0003_company'),
        ('play', '0004_exchange'),
        ('play', '0005_casting'),
        ('play', '0006_moments'),
        ('play', '0007_backend_facts'),
        ('play', '0008_removed'),
        ('play', '0009_limits'),
        ('play', '0010_withdrawals'),
        ('play', '0011_chat'),
        ('play', '0012_host_seen'),
        ('play', '0013_plain_names'),
        ('play', '0014_onward'),
        ('play', '0015_shredding'),
        ('play', '0016_ended_workers'),
        ('play', '0017_secret_drafts'),
        ('play', '0018_claims_sheet'),
        ('play', '0020_hindsight'),
        ('play', '0021_public_replay'),
        ('play', '0022_final_claims'),
    ]

    initial = True

    dependencies = [
        ('game', '0001_squashed_0006_plain_names'),
    ]

    operations = [
        migrations.CreateModel(
            name='Shredding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(max_length=20)),
                ('seat', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('by_host', models.BooleanField(default=False)),
                ('reason', models.TextField(blank=True)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='audit_entries', to='game.game')),
            ],
        ),
        migrations.CreateModel(
            name='BackendFacts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('backend', models.CharField(max_length=60)),
                ('model', models.CharField(max_length=200)),
                ('facts', models.JSONField(default=dict)),
                ('at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('backend'), models.F('model'), name='facts_once_a_model')],
            },
        ),
        migrations.CreateModel(
            name='ChatLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(max_length=400)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chat', to='game.game')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='game.player')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='ClaimsSheet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('game_version', models.BigIntegerField(blank=True, null=True)),
                ('events_read', models.PositiveIntegerField(default=0)),
                ('reworded', models.PositiveIntegerField(default=0)),
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='game.game')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Desk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=game.models.new_key, max_length=32, unique=True)),
                ('seen_at', models.DateTimeField(blank=True, null=True)),
                ('draft', models.TextField(blank=True)),
                ('secret_draft', models.TextField(blank=True)),
                ('notes', models.JSONField(default=dict)),
                ('typing_at', models.DateTimeField(blank=True, null=True)),
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='desk', to='game.player')),
            ],
        ),
        migrations.CreateModel(
            name='FinalClaims',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reworded', models.PositiveIntegerField()),
                ('steps', models.JSONField()),
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='game.game')),
            ],
        ),
        migrations.CreateModel(
            name='Hindsight',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('game_version', models.BigIntegerField(blank=True, null=True)),
                ('reworded', models.PositiveIntegerField(default=0)),
                ('lines', models.JSONField(null=True)),
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='game.game')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Press',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64, unique=True)),
                ('visitor', models.UUIDField()),
                ('at', models.DateTimeField(db_index=True)),
                ('game', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, to='game.game')),
            ],
        ),
        migrations.CreateModel(
            name='Spent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('scope', models.CharField(max_length=24)),
                ('requests', models.PositiveBigIntegerField(default=0)),
                ('tokens', models.PositiveBigIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('day'), models.F('scope'), name='spent_once_a_day')],
            },
        ),
        migrations.CreateModel(
            name='StatedClaim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.PositiveIntegerField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('round', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(max_length=10)),
                ('role', models.CharField(blank=True, max_length=40)),
                ('targets', models.JSONField(default=list)),
                ('value', models.CharField(blank=True, max_length=40)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='game.game')),
                ('utterance', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='game.utterance')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Table',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('invitation', models.CharField(default=game.models.new_key, max_length=32, unique=True)),
                ('spectators', models.BooleanField(default=False)),
                ('faces', models.CharField(default='me', max_length=8)),
                ('personas', models.BooleanField(default=True)),
                ('research', models.BooleanField(default=False)),
                ('recipe', models.JSONField(default=dict)),
                ('casting', models.JSONField(default=dict)),
                ('looked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('unwatched', models.BooleanField(default=False)),
                ('host_seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('onward', models.CharField(blank=True, max_length=200)),
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='table', to='game.game')),
                ('successor', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='predecessor', to='game.game')),
            ],
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
        migrations.CreateModel(
            name='Lease',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('window', models.CharField(max_length=80)),
                ('holder', models.UUIDField()),
                ('beat_at', models.DateTimeField()),
                ('ended_workers', models.PositiveSmallIntegerField(default=0)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='game.game')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('game'), models.F('seat'), models.F('window'), name='one_lease')],
            },
        ),
        migrations.CreateModel(
            name='LLMCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('phase_number', models.PositiveIntegerField(default=0)),
                ('pass_number', models.PositiveIntegerField(default=0)),
                ('day', models.PositiveSmallIntegerField(default=0)),
                ('phase', models.CharField(blank=True, default='', max_length=40)),
                ('round', models.PositiveSmallIntegerField(default=0)),
                ('seat', models.PositiveSmallIntegerField()),
                ('purpose', models.CharField(default='answer', max_length=12)),
                ('window', models.CharField(max_length=80)),
                ('step', models.CharField(max_length=60)),
                ('backend', models.CharField(max_length=60)),
                ('kind', models.CharField(max_length=40)),
                ('brief', models.JSONField()),
                ('reply', models.JSONField(null=True)),
                ('failure', models.CharField(blank=True, max_length=60)),
                ('exchange', models.JSONField(null=True)),
                ('seconds', models.FloatField()),
                ('withdrawn', models.BooleanField(default=False)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='game.game')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('game'), models.F('seat'), models.F('window'), models.F('step'), name='asked_once')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('visitor', models.UUIDField(db_index=True)),
                ('host', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='game.game')),
                ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to='game.player')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('visitor'), models.F('game'), name='one_sitting_a_visitor')],
            },
        ),
        migrations.CreateModel(
            name='MindNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('phase_number', models.PositiveIntegerField(default=0)),
                ('pass_number', models.PositiveIntegerField(default=0)),
                ('day', models.PositiveSmallIntegerField(default=0)),
                ('phase', models.CharField(blank=True, default='', max_length=40)),
                ('round', models.PositiveSmallIntegerField(default=0)),
                ('seat', models.PositiveSmallIntegerField()),
                ('window', models.CharField(max_length=80)),
                ('preparation', models.BooleanField(default=False)),
                ('faculty', models.CharField(max_length=40)),
                ('data', models.JSONField()),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='game.game')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(models.F('game'), models.F('seat'), name='mind_of_a_seat')],
            },
        ),
        migrations.CreateModel(
            name='PublicReplay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=game.models.new_key, max_length=32, unique=True)),
                ('agreed', models.JSONField(default=list)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('game', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='public_replays', to='game.game')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('game'), condition=models.Q(('revoked_at', None)), name='one_public_replay_a_game')],
            },
        ),
        migrations.CreateModel(
            name='Removed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('visitor', models.UUIDField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='removed', to='game.game')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('visitor'), models.F('game'), name='one_removal_a_visitor')],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='game.player')),
                ('utterance', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='game.utterance')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('utterance'), models.F('player'), name='one_report_a_player')],
            },
        ),
    ]
