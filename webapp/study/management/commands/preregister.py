"""Writes the preregistration of a campaign or study, once, before the first participant.

It needs a file of hypotheses, and the output of `rehearse` for the same settings (of a study: with
--power). A study that only rates is registered as its campaign.
"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.study.design.refusals import Refused
from webapp.study.models import Campaign, Study
from webapp.study.rehearsal import preregistration


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", metavar="CODE", help="code of a campaign or a study")
        parser.add_argument("--rehearsal", type=Path, required=True, help="output of `rehearse`")
        parser.add_argument("--hypotheses", type=Path, required=True, help="text file")
        parser.add_argument("--out", type=Path, required=True, help="new file to write")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["code"]).first()
        campaign = Campaign.objects.filter(code=options["code"]).first()
        target = study.own_campaign if study and study.rates_only else campaign or study
        if target is None:
            raise CommandError(f"there is no campaign or study {options['code']!r}")
        try:
            rehearsal = json.loads(options["rehearsal"].read_text())
            hypotheses = options["hypotheses"].read_text()
            registration = preregistration.build_preregistration(target, rehearsal, hypotheses)
            self.stdout.write(preregistration.write_preregistration(registration, options["out"]))
        except (Refused, OSError, ValueError) as error:
            raise CommandError(str(error)) from None
