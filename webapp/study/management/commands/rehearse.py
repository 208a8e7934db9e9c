"""Lets simulated people take part in a study or a campaign before real ones do.

The result is one JSON object on standard output; everything else is on standard error.

STUDY or --template NAME: simulated participants use the pages of the study, over HTTP and sockets,
in a separate Fabula, or with --site on the running one. --out FILE writes the ZIP of their data.
The exit status is 1 if a participant was stuck or paid wrongly, or an answer was lost. With --power
no pages are used; the planned tests are computed many times with simulated answers.

--campaign CODE, or a STUDY that only rates: simulated raters rate a copy of it many times, with the
given effect and with none. The results are power, type I error, minutes and cost.

No simulated data stay in the database.
"""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand, get_by_code
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Campaign, Study
from webapp.study.planning import ready, studies
from webapp.study.planning.study_file import DesignFile
from webapp.study.rehearsal import campaign_runs, study_power, study_runs
from webapp.study.rehearsal.rehearsal_options import (
    Assumptions,
    CampaignRunOptions,
    PowerOptions,
    StudyRunOptions,
)

OptionsType = TypeVar("OptionsType", bound=Assumptions)


# Types of arguments. argparse shows their names in errors, for example "invalid share value".
def share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text} is not a share from 0 to 1")
    return value


def count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ArgumentTypeError(f"{text} is not 1 or more")
    return value


def speed(text: str) -> float:
    value = float(text)
    if not 1 <= value <= 1000:
        raise ArgumentTypeError(f"{text} is not from 1 to 1000")
    return value


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("study", nargs="?", default="", metavar="STUDY", help="code of the study")
        add("--template", default="", metavar="NAME", help="a ready study")
        add("--campaign", default="", metavar="CODE", help="code of a campaign")
        add("--careless", type=share, default=0.0, help="share of careless people")
        add("--dropout", type=share, default=0.0, help="share that leaves")
        add("--effect", type=float, help="effect in steps of a scale from 1 to 5")
        add("--noise", type=float, default=0.8, help="SD of an answer, in these steps")
        add("--seed", default="1", help="seed of all random choices (default: 1)")
        add = parser.add_argument_group("a study").add_argument
        add("--participants", type=count, help="number of people")
        add("--idle", type=share, default=0.0, help="share that becomes idle")
        add("--speed", type=speed, default=1.0, help="divisor of the time that people take")
        add("--patience", type=count, metavar="SECONDS",
            help="past the expected time, until a person is stuck")  # fmt: skip
        add("--out", type=Path, metavar="FILE", help="ZIP of the simulated data")
        add("--site", default="", metavar="URL", help="running site with this database")
        add("--power", action="store_true", help="power of the planned tests")
        add("--share", type=share, help="share that is right by chance")
        add = parser.add_argument_group("power, of a campaign or with --power").add_argument
        add("--runs", type=count, help="repetitions (default: 100, of a campaign 20)")
        add("--item", default="", help="item of the test (default: that of the planned test)")
        add("--between", nargs=2, default=(), metavar=("A", "B"),
            help="conditions of the test; B has the effect")  # fmt: skip
        add("--alpha", type=share, default=0.05, help="significance level (default: 0.05)")
        add = parser.add_argument_group("a campaign").add_argument
        add("--raters", type=count, help="number of raters")
        add("--pay", type=float, help="pay per rater who finishes")

    def handle(self, *args: Any, **options: Any) -> None:
        if sum(bool(options[name]) for name in ("study", "template", "campaign")) != 1:
            raise CommandError("choose what to rehearse: STUDY, --template NAME or --campaign CODE")
        try:
            results = self._rehearse(options)
        except Refused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(json.dumps(results, ensure_ascii=False))
        if any(results.get(key) for key in study_runs.FAULT_COUNTS):
            sys.exit(1)

    def _rehearse(self, options: dict[str, Any]) -> dict[str, Any]:
        study = get_by_code(Study, options["study"]) if options["study"] else None
        if campaign := _find_campaign(options["campaign"], study):
            return self._rehearse_campaign(campaign, options)
        if study:
            name, design = study.name, study.design
        else:
            template = _load_template(options["template"])
            name, design = template.name, template.design.to_json()
        if options["power"]:
            return self._rehearse_power(design, study, options)
        return self._rehearse_pages(name, design, study, options)

    def _rehearse_campaign(self, campaign: Campaign, options: dict[str, Any]) -> dict[str, Any]:
        # A study that only rates is rehearsed as its campaign: its people may be given as either.
        raters = options["participants"] or options["raters"]
        if not raters:
            raise CommandError("enter the number of raters: --raters N")
        run_options = _build_options(CampaignRunOptions, {**options, "raters": raters})
        return campaign_runs.rehearse(campaign, run_options, self.stderr.write)

    def _rehearse_power(
        self, design: dict[str, Any], study: Study | None, options: dict[str, Any]
    ) -> dict[str, Any]:
        power_options = _build_options(PowerOptions, options)
        tests = study_power.rehearse_tests(
            Design.from_json(design), power_options, self.stderr.write
        )
        provenance = (
            {"study": study.code, "config_hash": studies.config_hash(study)} if study else {}
        )
        return {**provenance, **tests}

    def _rehearse_pages(
        self, name: str, design: dict[str, Any], study: Study | None, options: dict[str, Any]
    ) -> dict[str, Any]:
        participants = options["participants"] or options["raters"]
        if not participants:
            raise CommandError("enter the number of people: --participants N")
        if options["site"] and study is None:
            raise CommandError("--site needs a STUDY, whose owner gets the copy")
        run_options = {
            **options,
            "participants": participants,
            "owner": study.owner.get_username() if study else None,
            "site": options["site"].rstrip("/"),
        }
        study_options = _build_options(StudyRunOptions, run_options)
        save_zip = options["out"].write_bytes if options["out"] else None
        return study_runs.rehearse(name, design, study_options, self.stderr.write, save_zip)


def _find_campaign(code: str, study: Study | None) -> Campaign | None:
    """Return the campaign with the code or of a study that only rates, None for any other study."""
    if code:
        return get_by_code(Campaign, code)
    own_campaign: Campaign | None = study.own_campaign if study and study.rates_only else None
    return own_campaign


def _load_template(key: str) -> DesignFile:
    try:
        return ready.get(key)
    except LookupError as unknown:
        raise CommandError(str(unknown.args[0])) from None


def _build_options(options_type: type[OptionsType], options: dict[str, Any]) -> OptionsType:
    """Build `options_type` from the options for which it has fields."""
    names = [field.name for field in fields(options_type)]
    return options_type(**{name: options[name] for name in names if options[name] is not None})
