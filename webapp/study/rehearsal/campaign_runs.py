"""Rehearsal of a campaign: the power of the planned test and the cost, on a copy.

`rehearse` copies the campaign and starts this module as a process whose database is the copy. There
`campaign_power` lets simulated raters rate the campaign repeatedly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.study.rehearsal import separate_process
from webapp.study.rehearsal.rehearsal_options import CampaignRunOptions

if TYPE_CHECKING:
    from webapp.study.models import Campaign

# Functions import models locally: `main` runs this module as a program, and models can be imported
# only after django.setup().

ROWS_FILE = "rows.jsonl"
DATABASE_FILE = "scratch.sqlite3"


def rehearse(
    campaign: Campaign, options: CampaignRunOptions, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """Rehearse a copy of `campaign` in a separate process, or raise `Refused`."""
    from webapp.study.rating import campaigns
    from webapp.study.rehearsal import campaign_copy

    def write_rows(folder: Path) -> None:
        campaign_copy.write_campaign(campaign, folder / ROWS_FILE)

    result = separate_process.run_in_process(
        __name__, options, write_rows, _build_environment, on_progress
    )
    campaign_data = {"campaign": campaign.code, "config_hash": campaigns.config_hash(campaign)}
    return {**campaign_data, **result}


def _build_environment(folder: Path) -> dict[str, str]:
    database = {"DATABASE_URL": f"sqlite:///{folder / DATABASE_FILE}"}
    settings = {"FABULA_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    return {**os.environ, **database, **settings}


def main(folder: Path) -> None:
    """Rehearse the campaign whose rows are in `folder`. Runs in the separate process."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from webapp.study.rehearsal import campaign_copy, campaign_power

    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:  # faster; a crash may lose this database
        cursor.execute("PRAGMA synchronous=OFF")
    options = CampaignRunOptions(**separate_process.read_options(folder))
    campaign = campaign_copy.load_campaign(folder / ROWS_FILE)
    separate_process.write_result(
        folder, lambda: campaign_power.rehearse_campaign(campaign, options)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
