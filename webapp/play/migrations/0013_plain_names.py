import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("play", "0012_host_seen")]

    operations = [
        migrations.RenameModel("Sitting", "Membership"),
        migrations.RenameModel("Deed", "AuditEntry"),
        migrations.RenameModel("Asked", "LLMCall"),
        migrations.AlterField("membership", "game", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="game.game")),
        migrations.AlterField("auditentry", "game", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="audit_entries", to="game.game")),
    ]
