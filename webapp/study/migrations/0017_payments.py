import django.db.models.deletion
from django.db import migrations, models


def rewards(apps, schema_editor):
    """What a platform pays itself is in no file, of studies before this too."""
    sent = apps.get_model('study', 'Identity').objects.exclude(study='').exclude(participant=None)
    payments = apps.get_model('study', 'Payment').objects.filter(reason='completed')
    payments.filter(participant__in=sent.values('participant')).update(reward=True)


class Migration(migrations.Migration):

    dependencies = [
        ('study', '0016_kept_instruments'),
    ]

    operations = [
        migrations.CreateModel(
            name='PlatformStatus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(max_length=20)),
                ('at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'platform statuses',
            },
        ),
        migrations.AddField(
            model_name='participant',
            name='bonuses_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='payment',
            name='cases',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='payment',
            name='note',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name='payment',
            name='reward',
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name='PaymentBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('platform_study', models.CharField(blank=True, max_length=200)),
                ('state', models.CharField(default='made', max_length=10)),
                ('lines', models.PositiveIntegerField()),
                ('total', models.DecimalField(decimal_places=2, max_digits=10)),
                ('sha256', models.CharField(max_length=64)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('made_by', models.CharField(max_length=150)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('settled_by', models.CharField(blank=True, max_length=150)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='payment_batches', to='study.study')),
            ],
            options={
                'verbose_name_plural': 'payment batches',
                'ordering': ['number'],
            },
        ),
        migrations.RemoveField(model_name='payment', name='batch'),  # nothing ever stood there
        migrations.AddField(
            model_name='payment',
            name='batch',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='payments', to='study.paymentbatch'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.CheckConstraint(condition=models.Q(('batch', None), models.Q(('reward', False), ('status__in', ['due', 'paid'])), _connector='OR'), name='a_batch_holds_what_is_paid'),
        ),
        migrations.AddField(
            model_name='platformstatus',
            name='participant',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='platform_status', to='study.participant'),
        ),
        migrations.AddConstraint(
            model_name='paymentbatch',
            constraint=models.UniqueConstraint(models.F('study'), models.F('number'), name='one_batch_a_number'),
        ),
        migrations.RunPython(rewards, migrations.RunPython.noop),
    ]
