"""Runs a judge of a campaign or experiment in this process, until it ends or pauses.

Judges are added on the page "Judges". Without the name of a judge, the command lists the judges.
"""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.study.design.refusals import Refused
from webapp.study.judging import judge_progress, judge_runs, judges
from webapp.study.models import Campaign, Judge, Study

RETRY_DELAY_S = 1.0  # delay before a run continues after an error of the connection


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", metavar="CODE")
        parser.add_argument("judge", nargs="?", metavar="J01")
        parser.add_argument("--dry-run", action="store_true", help="print the requests, send none")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = _find_campaign(options["campaign"])
        if options["judge"] is None:
            for row in campaign.judges.all():
                self.stdout.write(_format_judge(row))
            return
        judge = campaign.judges.filter(pseudonym=options["judge"]).first()
        if judge is None:
            raise CommandError(f"there is no judge {options['judge']!r} here")
        if options["dry_run"]:
            self.stdout.write(str(judge_progress.estimate_judge(judge)))
            return
        self._run_judge(judge)

    def _run_judge(self, judge: Judge) -> None:
        try:
            if judge.state != Judge.RUNNING:
                judges.start(judge, is_queued=False)
        except Refused as refused:
            raise CommandError(str(refused)) from None
        while True:
            judge_runs.run_judge(judge.pk)
            judge.refresh_from_db()
            if judge.state != Judge.RUNNING:
                break
            self.stdout.write(_format_judge(judge))
            time.sleep(RETRY_DELAY_S)
        self.stdout.write(_format_judge(judge))
        if judge.failure:
            raise CommandError(f"paused: {judge.failure}")


def _find_campaign(code: str) -> Campaign:
    """Return the campaign with that code, or that of the experiment or study with that code."""
    if campaign := Campaign.objects.filter(code=code).first():
        return campaign
    study = Study.objects.filter(code=code).first()
    if study and study.is_experiment:
        return judges.campaign_of_experiment(study)
    if study and study.own_campaign:
        return study.own_campaign  # type: ignore[no-any-return]
    raise CommandError(f"there is no campaign, experiment or rating study {code!r}")


def _format_judge(judge: Judge) -> str:
    progress = judge_progress.read_progress(judge)
    return (
        f"{judge.pseudonym}: {judge.state}, {progress.done} of {progress.total}, {judge.requests}"
        f" requests, {progress.tokens_in} tokens in, {progress.tokens_out} out"
    )
