from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("study", "0008_situations")]

    operations = [
        migrations.RenameField("situations", "stamp", "game_version"),
    ]
