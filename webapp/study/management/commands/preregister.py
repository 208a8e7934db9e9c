"""Lay down, before anybody comes, what a campaign or a study expects and tests: a file made once.

A campaign needs what `rehearse --campaign` printed for just these settings; a study needs a file of
the tests it plans. Both need a file of hypotheses.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.study.design.value_checks import Refused
from webapp.study.models import Campaign, Study
from webapp.study.rehearsal import preregistration


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", metavar="CODE", help="of a campaign or of a study")
        parser.add_argument("--rehearsal", type=Path, help="what `rehearse` printed")
        parser.add_argument("--tests", type=Path, help="of a study: the planned tests, a text file")
        parser.add_argument("--hypotheses", type=Path, required=True, help="a text file")
        parser.add_argument("--out", type=Path, required=True, help="a file that is not there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(code=options["code"]).first()
        study = Study.objects.filter(code=options["code"]).first()
        if campaign is None and study is None:
            raise CommandError(f"there is no campaign and no study {options['code']!r}")
        needed = "rehearsal" if campaign else "tests"
        if options[needed] is None:
            raise CommandError(f"--{needed} is missing")
        try:
            file = options["rehearsal"]
            rehearsal = json.loads(file.read_text()) if file else {}
            hypotheses = options["hypotheses"].read_text()
            if campaign:
                laid_down: Any = preregistration.build_preregistration(
                    campaign, rehearsal, hypotheses
                )
            else:
                assert study
                tests = options["tests"].read_text()
                laid_down = preregistration.of_study(study, rehearsal, hypotheses, tests)
            self.stdout.write(preregistration.freeze(laid_down, options["out"]))
        except Refused as refused:
            raise CommandError(" ".join(refused.sentences)) from None
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from None
