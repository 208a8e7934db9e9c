"""Play games of agents alone, without web server or broker. Print a JSON line for each game."""

from __future__ import annotations

import gc
import json
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from agents import backends
from agents.deduction.likelihoods import DeckTooLarge, deals_of
from agents.packs import pack_of
from agents.personas.big_five import PROFILES
from agents.recipe import METHODS, BadRecipe, Recipe, parse_switches
from game.engine import rulesets
from game.engine.roles import Preset, format_value
from game.engine.ruleset import BadSettingsFile, Ruleset
from webapp.commands import DatabaseCommand
from webapp.play.simulation import batches
from webapp.play.simulation.game_plans import GamePlanner, plan_games, plan_preset_games
from webapp.play.simulation.game_pool import run_batch
from webapp.play.tables.settings_files import FileContent, read_settings_file
from webapp.play.turns import model_choices, style_checks

GC_THRESHOLD = 20_000  # new objects before a garbage collection: some megabytes
MODEL_GAMES_AT_ONCE = 8  # default of --concurrency where agents wait for a model
BAD_OPTION_ERRORS = (rulesets.UnknownRuleset, backends.UnknownBackend, DeckTooLarge, BadRecipe)


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        _add_game_options(parser)
        _add_seat_options(parser)
        _add_run_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        has_models = _set_defaults(options)
        planner, preset = _plan_games(options)
        if min(options["games"] or 0, options["concurrency"], options["processes"]) < 1:
            raise CommandError("--games, --concurrency and --processes take numbers from 1 up")
        # By default every few queries would trigger a collection of all loaded objects.
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, 20, 20)
        if options["processes"] > 1:
            results = batches.run_in_processes(options["processes"], options)
        else:
            results = run_batch(
                planner,
                batches.game_numbers(options["part"], options["games"]),
                options["concurrency"],
                has_models=has_models,
                should_resume=options["go_on"],
                should_replay=preset is not None,
            )
        with batches.stoppable(), closing(results):
            if options["part"]:
                self._write_for_parent(results)
            else:
                self._write_results(results, options)

    def _write_results(self, results: Iterable[batches.Result], options: dict[str, Any]) -> None:
        """Write the results as they arrive."""
        done_games, failures, games = 0, 0, options["games"]
        try:
            for number, result in enumerate(results, 1):
                done_games = number
                if isinstance(result, Exception):
                    failures += 1
                    self.stderr.write(f"game {number} failed: {result!r}")
                else:
                    self.stdout.write(json.dumps(result, ensure_ascii=False))
                    self.stdout.flush()
                self.stderr.write(f"{number} of {games} games", ending="\r")
        except KeyboardInterrupt:
            text = (
                f"stopped after {done_games} of {games} games. To continue, repeat the command "
                "with --go-on: no game begins again, and no answered request is sent again."
            )
            raise CommandError(text, returncode=130) from None
        self.stderr.write("")
        if failures:
            raise CommandError(f"{failures} of {games} games failed")

    def _write_for_parent(self, results: Iterable[batches.Result]) -> None:
        with suppress(KeyboardInterrupt):
            for result in results:
                self.stdout.write(json.dumps(batches.to_json(result), ensure_ascii=False))
                self.stdout.flush()


def _add_game_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--ruleset", required=True)
    add("--games", type=int)
    add("--seed", required=True)
    add("--backend", default="house")
    add("--method", default="baseline")
    add(
        "--setting",
        help="a setting of a paper: it sets the rules, the seats and the number of games",
    )
    add("--baseline", help="with --setting, the backend of the seats that are not tested (house)")
    add("--context", help="how much of the talk a model's request holds: paper, whole or evidence")
    _add_repeatable(
        parser, "--switch", "NAME=VALUE", "a switch of the method; manage.py recipes lists them"
    )


def _add_seat_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    _add_repeatable(
        parser,
        "--cast",
        "WHO:NAME=VALUE",
        "the backend, method or persona of one seat or role, such as werewolf:method=guarded",
    )
    add("--plain-speech", action="store_true", help="the built-in players use plain speech")
    _add_repeatable(parser, "--set", "NAME=VALUE", "a setting of the ruleset")
    add(
        "--settings-file",
        metavar="FILE",
        help="a settings file of another program, such as a contest server (YAML)",
    )
    _add_repeatable(
        parser, "--style", "FILE", "a file with a style (TOML), for a seat drawn at random"
    )


def _add_repeatable(parser: ArgumentParser, name: str, metavar: str, text: str) -> None:
    """Add an option whose values form a list."""
    help_text = f"{text}; may be given several times"
    parser.add_argument(name, action="append", default=[], metavar=metavar, help=help_text)


def _add_run_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--concurrency",
        type=int,
        help=f"games at once ({MODEL_GAMES_AT_ONCE} with a model, else one for each process)",
    )
    add("--processes", type=int, default=1, help="how many processes share the games (1)")
    add(
        "--go-on",
        action="store_true",
        help="continue a stopped batch: repeat its command with this option",
    )
    # The part of a child process, such as "0/2" (`batches.game_numbers`).
    add("--part", default="", help=SUPPRESS)


def _set_defaults(options: dict[str, Any]) -> bool:
    """Set the options whose default depends on others. Return whether agents wait for a model."""
    options["baseline_backend"] = options["baseline"] or backends.HOUSE
    cast_backends = [text.partition(":backend=")[2] for text in options["cast"]]
    used = {options["backend"], options["baseline_backend"], *filter(None, cast_backends)}
    has_models = used != {backends.HOUSE}
    if options["concurrency"] is None:
        options["concurrency"] = MODEL_GAMES_AT_ONCE if has_models else max(1, options["processes"])
    if options["context"] is None:  # the one of the method's paper
        method = METHODS.get(options["method"])
        options["context"] = method.context if method and method.context != "whole" else "paper"
    return has_models


def _plan_games(options: dict[str, Any]) -> tuple[GamePlanner, Preset | None]:
    """Return the planner of the batch's games, and the paper's setting if there is one.

    If `options` have no number of games, the number of a paper's setting is added to them.
    """
    ruleset, recipe = _find_ruleset_and_recipe(options)
    file_settings, profiles = _read_settings_file(ruleset, options["settings_file"])
    chosen = _parse_settings(ruleset, options["set"])
    for name, value in chosen.items():
        if file_settings.get(name, value) != value:
            raise CommandError(f"--set {name} contradicts the settings file: leave one out")
    chosen = {**file_settings, **chosen}
    seed, preset = options["seed"], _find_preset(ruleset, options["setting"])
    _refuse_contradictions(ruleset, preset, chosen)
    if options["baseline"] and not preset:
        raise CommandError("--baseline is the other model of a paper's --setting: name one")
    casting = _parse_casting(ruleset, options["cast"])
    if preset and casting:
        raise CommandError("--cast and --setting both say who sits where: leave one out")
    styles = _read_styles(recipe, ruleset, options)
    if preset is None:
        return plan_games(ruleset, seed, recipe, chosen, profiles, styles, casting), None
    options["games"] = options["games"] or preset.deals * preset.repeats
    baseline = options["baseline_backend"]
    return plan_preset_games(ruleset, preset, seed, recipe, baseline, chosen), preset


def _find_ruleset_and_recipe(options: Mapping[str, Any]) -> tuple[Ruleset, Recipe]:
    try:
        ruleset = rulesets.get(options["ruleset"])
        used = (options["backend"], options["baseline_backend"])
        for name in used:
            backends.get(name)
        if backends.HOUSE in used:
            deals_of(pack_of(ruleset))  # raises DeckTooLarge
        recipe = Recipe(
            options["backend"],
            options["method"],
            context=options["context"],
            has_plain_speech=options["plain_speech"],
            switches=parse_switches(options["switch"]),
        )
    except BAD_OPTION_ERRORS as error:
        raise CommandError(str(error)) from error
    return ruleset, recipe


def _find_preset(ruleset: Ruleset, name: str | None) -> Preset | None:
    """Return the paper's setting of that name, unless only people can play it."""
    if name is None:
        return None
    presets = {preset.key: preset for preset in ruleset.presets}
    if name not in presets:
        names = ", ".join(presets) or "none"
        raise CommandError(f"{ruleset.name} has no paper's setting {name!r}; known: {names}")
    if presets[name].people:
        settings = [f"{key}={format_value(v)}" for key, v in presets[name].settings.items()]
        raise CommandError(
            f"{name} is played with a person: open a table with the settings {', '.join(settings)}"
        )
    return presets[name]


def _parse_settings(ruleset: Ruleset, texts: Sequence[str]) -> dict[str, bool | int | str]:
    """Parse the settings of `--set`. None may be set twice."""
    chosen: dict[str, bool | int | str] = {}
    for name, value in (_parse_setting(ruleset, text) for text in texts):
        if name in chosen:
            raise CommandError(f"--set {name} is there twice: keep one")
        chosen[name] = value
    return chosen


def _parse_setting(ruleset: Ruleset, text: str) -> tuple[str, bool | int | str]:
    """Parse a setting of the form name=value, which the ruleset must have."""
    name, _sep, value = text.partition("=")
    settings_by_key = {setting.key: setting for setting in ruleset.settings}
    if name not in settings_by_key:
        names = ", ".join(sorted(settings_by_key)) or "none"
        raise CommandError(f"{ruleset.name} has no setting {name!r}; known: {names}")
    default = settings_by_key[name].default
    read: bool | int | str = value
    if isinstance(default, bool):
        if value not in ("true", "false"):
            raise CommandError(f"--set {name} takes true or false, not {value!r}")
        read = value == "true"
    elif isinstance(default, int):
        try:
            read = int(value)
        except ValueError:
            raise CommandError(f"--set {name} takes a whole number, not {value!r}") from None
    if error := settings_by_key[name].value_error(read):
        raise CommandError(f"--set: {error}")
    return name, read


def _parse_casting(ruleset: Ruleset, texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Parse the choices of `--cast`, by seat or role."""
    choices: dict[str, Collection[str]] = {
        "backend": model_choices.known_backends(),
        "method": METHODS,
        "persona": [f"profile:{name}" for name in PROFILES],
    }
    seats = [*map(str, range(1, len(ruleset.deck) + 1)), *dict.fromkeys(ruleset.deck)]
    casting: dict[str, dict[str, str]] = {}
    for text in texts:
        holder, _colon, choice = text.partition(":")
        name, _equals, value = choice.partition("=")
        if holder not in seats:
            error = f"no seat or role {holder!r}; known: {', '.join(seats)}"
        elif name not in choices:
            error = f"write WHO:NAME=VALUE with one of {', '.join(choices)}"
        elif value not in choices[name]:
            error = f"known: {', '.join(choices[name])}"
        else:
            casting.setdefault(holder, {})[name] = value
            continue
        raise CommandError(f"--cast {text}: {error}")
    return casting


def _read_settings_file(ruleset: Ruleset, path: str | None) -> FileContent:
    """Return the settings and the profiles of a settings file, none without a file."""
    if path is None:
        return {}, []
    try:
        return read_settings_file(ruleset, _read_text("--settings-file", path))
    except BadSettingsFile as error:
        raise CommandError(f"--settings-file {path}: {error}") from None


def _read_styles(recipe: Recipe, ruleset: Ruleset, options: Mapping[str, Any]) -> list[str]:
    """Read the styles of `--style`, which must be valid in the ruleset."""
    paths: list[str] = options["style"]
    if paths and ("persona" not in recipe.faculties or options["setting"]):
        raise CommandError("--style needs a method with a persona, such as guarded, and no setting")
    if len(paths) > len(ruleset.deck):
        raise CommandError(f"--style is there {len(paths)} times for {len(ruleset.deck)} seats")
    texts = [_read_text("--style", path) for path in paths]
    errors = style_checks.style_errors(ruleset.name, texts)
    for path, text in zip(paths, texts, strict=True):
        if text in errors:
            raise CommandError(f"--style {path}: {errors[text]}")
    return texts


def _read_text(option: str, path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise CommandError(f"{option} {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CommandError(f"{option} {path} is no text in UTF-8") from None


def _refuse_contradictions(
    ruleset: Ruleset, preset: Preset | None, chosen: Mapping[str, bool | int | str]
) -> None:
    """Check that the chosen settings fit each other and the paper's setting."""
    fixed = preset.settings if preset else {}
    for name, value in chosen.items():
        if fixed.get(name, value) != value:
            fixed_text = f"{name}={format_value(fixed[name])}"
            raise CommandError(
                f"--setting {preset and preset.key} has {fixed_text}: leave out"
                f" --set {name}, or the --setting"
            )
    values = {setting.key: setting.default for setting in ruleset.settings} | {**fixed, **chosen}
    for setting in ruleset.settings:
        if setting.key in chosen and setting.needs and values[setting.needs[0]] != setting.needs[1]:
            needed, needed_value = setting.needs
            raise CommandError(f"--set {setting.key} needs {needed}={format_value(needed_value)}")
    if conflict := ruleset.find_conflict(values, 0):
        raise CommandError(conflict)
