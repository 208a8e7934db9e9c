from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('study', '0014_rehearse'),
    ]

    operations = [
        migrations.AddField(
            model_name='participant',
            name='visits',
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name='participant',
            name='shown',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='study',
            name='turned_away',
            field=models.JSONField(default=dict),
        ),
    ]
