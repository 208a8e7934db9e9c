"""Store the PDFs of a study's figures apart from its results."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("study", "0033_rehearsal_archive")]

    operations = [
        migrations.AddField("studyanalysis", "pdfs", models.BinaryField(default=bytes)),
    ]
