"""Runs an experiment: computer players play all games of a design.

DESIGN is a file (TOML), the key of a ready experiment, or the code of an existing one. `run` opens
it; a running Fabula (`make play`) then plays its games. With --here this process plays them and
prints one JSON object for each. Everything else is printed on standard error.
"""

import json
import subprocess
import sys
import threading
from argparse import SUPPRESS, ArgumentParser
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.study import analysis, timed_steps
from webapp.study.data.studies import ExportOptions, build_zip, verification
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.experiments import game_starts, local_run
from webapp.study.models import Slot, Study
from webapp.study.monitor.model_requests import request_stats
from webapp.study.planning import ready, studies, study_file, study_plan
from webapp.study.planning.study_file import DesignFile
from webapp.study.researcher import audit
from webapp.study.sessions.slots import slot_counts

AUDIT_ACTOR = "manage.py"
PROGRESS_REPORTS = 20  # number of reports in a run with --here


class Command(DatabaseCommand):
    help = __doc__

    _print_lock = threading.Lock()

    def add_arguments(self, parser: ArgumentParser) -> None:
        subparsers = parser.add_subparsers(dest="do", required=True)
        run = subparsers.add_parser("run", help="open or continue the experiment")
        run.add_argument("--here", action="store_true", help="play the games in this process")
        run.add_argument("--processes", type=int, default=1, help="number, with --here")
        # Set by `_start_process` for the further processes: the number of all of them.
        run.add_argument("--part", type=int, default=0, help=SUPPRESS)
        run.add_argument("--games", type=int, help="games per condition (new ones)")
        run.add_argument("--backend", default="", help="backend of the other seats (new ones)")
        run.add_argument("--seed", default="", help="seed (default: the file's)")
        run.add_argument("--owner", default="", help="name of the researcher (new ones)")
        extend = subparsers.add_parser("extend", help="add games to every condition")
        extend.add_argument("--games", type=int, required=True, help="total games per condition")
        export = subparsers.add_parser("export", help="write the data and the report as one ZIP")
        export.add_argument("--out", type=Path, help="file to write (default: fabula-CODE.zip)")
        verify = subparsers.add_parser("verify", help="compute the figures of a ZIP again")
        verify.add_argument("file", type=Path, metavar="ZIP")
        restart = subparsers.add_parser("restart", help="play a failed game again")
        restart.add_argument("--game", type=int, required=True, metavar="NUMBER")
        for name, help_text in (("status", "show the progress"), ("pause", "start no more games"),
                                ("cancel", "close it and keep its games")):  # fmt: skip
            subparsers.add_parser(name, help=help_text)
        for name, subparser in subparsers.choices.items():
            if name != "verify":
                subparser.add_argument("design", metavar="DESIGN")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["do"] == "verify":
            self._verify(options["file"])
            return
        actions: dict[str, Callable[[Study], None]] = {
            "run": lambda study: self._run(study, options),
            "status": self._status,
            "pause": lambda study: studies.pause(study, AUDIT_ACTOR),
            "cancel": lambda study: studies.close(study, AUDIT_ACTOR, "cancelled"),
            "extend": lambda study: game_starts.extend_experiment(
                study, options["games"], AUDIT_ACTOR
            ),
            "export": lambda study: self._export(study, options["out"]),
            "restart": lambda study: game_starts.restart_game(study, options["game"], AUDIT_ACTOR),
        }
        try:
            actions[options["do"]](self._get_experiment(options))
        except Refused as refused:
            raise CommandError(str(refused)) from None

    def _run(self, study: Study, options: dict[str, Any]) -> None:
        if study.state == Study.DRAFT:
            self._open(study)
        elif study.state != Study.OPEN and not options["part"]:
            studies.resume(study, AUDIT_ACTOR)
        if not options["part"]:
            self.stderr.write(f"experiment {study.code}: {study.slots.count()} games")
        if options["here"] or options["part"]:
            self._play_here(study, options)

    def _open(self, study: Study) -> None:
        for note in study_plan.build_plan(study).notes:
            self.stderr.write(note)
        studies.open(study, AUDIT_ACTOR)

    def _play_here(self, study: Study, options: dict[str, Any]) -> None:
        """Play the games in this process, and start the further ones if this is the first."""
        is_first = not options["part"]
        process_count = options["part"] or options["processes"]
        self._ended_count = 0
        self._planned_count = study.slots.count() if is_first else 0
        further_count = process_count - 1 if is_first else 0
        processes = [_start_process(study, process_count) for _ in range(further_count)]
        readers = [threading.Thread(target=self._forward, args=(process,)) for process in processes]
        for reader in readers:
            reader.start()
        try:
            for game in local_run.play_games(study, process_count):
                self._print_game(json.dumps(game, ensure_ascii=False))
        except BaseException:
            for process in processes:
                process.terminate()
            raise
        finally:
            for reader in readers:
                reader.join()
        if is_first:
            self._report_end(study)

    def _forward(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        for line in process.stdout:
            self._print_game(line.rstrip("\n"))
        process.wait()

    def _print_game(self, line: str) -> None:
        """Print a game. The first process also reports the progress, PROGRESS_REPORTS times."""
        with self._print_lock:
            self.stdout.write(line)
            self.stdout.flush()
            self._ended_count += 1
            step = max(1, self._planned_count // PROGRESS_REPORTS)
            if self._planned_count and self._ended_count % step == 0:
                progress = f"{self._ended_count} games have ended"
                self.stderr.write(f"{progress}, {self._planned_count} are planned")

    def _report_end(self, study: Study) -> None:
        """Close the experiment if all games are done. Raise CommandError if some failed."""
        timed_steps.close_finished()
        study.refresh_from_db()
        if study.state == Study.PAUSED:
            event = study.audit_events.filter(what="paused").last()
            raise CommandError(f"{study.code} is paused: {event.reason if event else ''}")
        failed = study.slots.filter(state=Slot.FAILED)
        for slot in failed:
            self.stderr.write(f"game {slot.index} failed: {slot.void_reason}")
        if failed:
            raise CommandError(f"{len(failed)} games failed: `experiment restart --game NUMBER`")
        self.stderr.write(f"results: manage.py metrics {study.code} --format markdown")

    def _export(self, study: Study, file: Path | None) -> None:
        """Write the ZIP of the experiment's data with the report, which `verify` can check."""
        if not study.slots.filter(state=Slot.DONE).exists():
            raise CommandError(f"no game of {study.code} counts yet; see `experiment status`")
        file = file or Path(f"fabula-{study.code}.zip")
        options = ExportOptions(results=True, report=True)
        body = build_zip(study, options, analysis.study_results(study))
        try:
            file.write_bytes(body)
        except OSError as error:
            raise CommandError(str(error)) from None
        about = f"{study.code} report"
        audit.record_line(None, "export", about, name=AUDIT_ACTOR, study=study.code)
        self.stdout.write(f"{file}: {len(body)} bytes")

    def _verify(self, file: Path) -> None:
        try:
            result = verification.verify_report(verification.read_archive(file))
        except (OSError, verification.UnreadableArchive) as error:
            raise CommandError(f"{file}: {error}") from None
        for sentence in (*result.differences, *result.notices):
            self.stdout.write(sentence)
        if result.differences:
            raise CommandError(f"{file}: {len(result.differences)} differences")
        self.stdout.write(f"{file}: {result.checked_count} figures match the data")

    def _status(self, study: Study) -> None:
        stats = request_stats(study)
        failed = study.slots.filter(state=Slot.FAILED)
        status = {
            "experiment": study.code,
            "name": study.name,
            "state": study.state,
            "games": {
                name: {state: count for state, count in counts.items() if count}
                for name, counts in slot_counts(study).items()
            },
            "failures": Counter(failed.values_list("void_reason", flat=True)),
            "requests": stats.requests,
            "tokens": stats.tokens_in + stats.tokens_out,
            "costs": dict(stats.costs),
        }
        self.stdout.write(json.dumps(status, ensure_ascii=False))

    def _get_experiment(self, options: dict[str, Any]) -> Study:
        """Return the experiment that DESIGN names. `run` creates it from a file."""
        name = options["design"]
        study = Study.objects.filter(code=name).first()
        if study is None:
            file = _load_design_file(name)
            if options["do"] == "run":
                study = self._get_or_create(_apply_options(file, options), options)
            else:
                study = Study.objects.filter(name=file.name).order_by("pk").last()
                if study is None:
                    raise CommandError(f"{file.name!r} has not been run yet; use `experiment run`")
        if not study.is_experiment:
            raise CommandError(f"{name} is a study with people; open it on its page")
        return study

    def _get_or_create(self, file: DesignFile, options: dict[str, Any]) -> Study:
        """Return the experiment of this file and seed. If there is none, create and open it."""
        if not file.design.is_experiment:
            raise CommandError(f"{options['design']} has people: open it on its page")
        owner, seed = _find_owner(options["owner"]), options["seed"] or file.seed
        for earlier in Study.objects.filter(owner=owner, name=file.name, seed=seed) if seed else ():
            if earlier.design == file.design.to_json():
                return earlier
            self.stderr.write(f"{earlier.code} has the same name and seed, but another design.")
        chosen_seed = {"seed": seed} if seed else {}
        study = studies.create(owner, file.name, design=file.design, **chosen_seed)
        try:
            self._open(study)
        except Refused:
            studies.delete(study)  # else a run with a mistake leaves a draft behind
            raise
        return study


def _start_process(study: Study, processes: int) -> subprocess.Popen[str]:
    manage = str(settings.BASE_DIR / "manage.py")
    command = [sys.executable, manage, "experiment", "run", study.code, f"--part={processes}"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _load_design_file(name: str) -> DesignFile:
    if Path(name).is_file():
        try:
            return study_file.parse_study_file(Path(name).read_text("utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{name}: {error}") from None
    try:
        return ready.get(name)
    except LookupError:
        keys = (key for key, file in ready.all_ready().items() if file.design.is_experiment)
        raise CommandError(
            f"{name!r} is no file, ready experiment or experiment code; ready: {', '.join(keys)}"
        ) from None


def _apply_options(file: DesignFile, options: dict[str, Any]) -> DesignFile:
    design = file.design.to_json()
    if options["games"]:
        design["assignment"]["games"] = options["games"]
    if options["backend"]:
        design["table"]["backend"] = options["backend"]
    return replace(file, design=Design.from_json(design))


def _find_owner(name: str) -> User:
    """Return the owner of a new experiment: NAME, or the only researcher.

    On a site without researchers it is an account that cannot sign in.
    """
    active = User.objects.filter(is_active=True)
    if name:
        owner = active.filter(username=name).first()
        if owner is None:
            names = ", ".join(active.values_list("username", flat=True)) or "none"
            raise CommandError(f"there is no researcher {name!r}; known: {names}")
        return owner
    if active.count() > 1:
        names = ", ".join(active.values_list("username", flat=True))
        raise CommandError(f"choose an owner with --owner NAME; researchers: {names}")
    return active.first() or User.objects.get_or_create(username=AUDIT_ACTOR, is_active=False)[0]
