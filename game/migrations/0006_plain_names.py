from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("game", "0005_reworded")]

    operations = [
        migrations.RenameField("game", "stamp", "version"),
        migrations.RenameModel("Pulse", "Heartbeat"),
    ]
