"""Writes the preregistration of a campaign before the first rating: an unchangeable file.

It contains hypotheses, exclusion rules and tests. It needs the output of `rehearse --campaign` for
exactly these settings, and a file of hypotheses.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.study.design.value_checks import Refused
from webapp.study.models import Campaign
from webapp.study.rehearsal import preregistration


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", metavar="CODE")
        parser.add_argument("--rehearsal", type=Path, required=True, help="what it printed")
        parser.add_argument("--hypotheses", type=Path, required=True, help="a text file")
        parser.add_argument("--out", type=Path, required=True, help="a file that is not there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(code=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"there is no campaign {options['campaign']!r}")
        try:
            rehearsal = json.loads(options["rehearsal"].read_text())
            hypotheses = options["hypotheses"].read_text()
            laid_down = preregistration.of(campaign, rehearsal, hypotheses)
            self.stdout.write(preregistration.freeze(laid_down, options["out"]))
        except Refused as refused:
            raise CommandError(" ".join(refused.sentences)) from None
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from None
