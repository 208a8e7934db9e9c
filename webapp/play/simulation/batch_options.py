"""The options of a batch of simulated games: reads and checks them, and plans the games."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from agents import backends
from agents.deduction.likelihoods import DeckTooLarge, deals_of
from agents.packs import pack_of
from agents.personas.big_five import PROFILES
from agents.recipe import METHODS, BadRecipe, Recipe, parse_switches
from game.engine import rulesets
from game.engine.declarations import Preset, format_value
from game.engine.ruleset import BadSettingsFile, Ruleset
from webapp.play.simulation.game_plans import GamePlanner, plan_games, plan_preset_games
from webapp.play.tables.rule_fields import SettingsFile, read_settings_file
from webapp.play.turns import model_choices, style_checks

MODEL_GAMES_AT_ONCE = 8  # default of --concurrency if agents wait for a model
OPTION_ERRORS = (rulesets.UnknownRuleset, backends.UnknownBackend, DeckTooLarge, BadRecipe)
Settings = dict[str, bool | int | str]


class BadOptionError(ValueError):
    """Invalid or contradicting options. The message names them and the problem."""


@dataclass(frozen=True)
class BatchOptions:
    """The options of a batch, under their names in `manage.py simulate`.

    Its help describes them. None stands for a default that depends on other options.
    """

    ruleset: str
    games: int | None
    seed: str
    backend: str
    method: str
    setting: str | None  # key of a paper's setting, None for no setting
    baseline: str | None
    context: str | None
    switch: Sequence[str]  # NAME=VALUE
    cast: Sequence[str]  # WHO:NAME=VALUE
    plain_speech: bool
    set: Sequence[str]  # NAME=VALUE
    settings_file: str | None
    style: Sequence[str]  # paths of files with styles
    concurrency: int | None
    processes: int
    go_on: bool
    part: str  # the games of a child process (`simulate._game_numbers`), "" in the parent

    @property
    def main_backends(self) -> frozenset[str]:
        """The backends of the tested and of the other seats, without those of `cast`."""
        return frozenset((self.backend, self.baseline or backends.HOUSE))

    @property
    def has_models(self) -> bool:
        cast_backends = {text.partition(":backend=")[2] for text in self.cast}
        return not self.main_backends | cast_backends <= {backends.HOUSE, ""}  # "": no backend

    @property
    def games_at_once(self) -> int:
        if self.concurrency is not None:
            return self.concurrency
        return MODEL_GAMES_AT_ONCE if self.has_models else max(1, self.processes)

    def to_arguments(self) -> Iterator[str]:
        """Yield the options that are set, as arguments of the command."""
        for name, value in vars(self).items():
            option = f"--{name.replace('_', '-')}"
            if value is True:
                yield option
            elif isinstance(value, list):
                yield from (f"{option}={text}" for text in value)
            elif value not in (None, False):  # an empty seed is one, too
                yield f"{option}={value}"


def parse_options(options: Mapping[str, Any]) -> BatchOptions:
    return BatchOptions(**{field.name: options[field.name] for field in fields(BatchOptions)})


def plan_batch(options: BatchOptions) -> tuple[GamePlanner, int]:
    """Check the options (BadOptionError). Return the planner of the games, and how many count.

    Void games of a paper's setting come on top.
    """
    try:
        ruleset, recipe = _find_ruleset(options), _build_recipe(options)
    except OPTION_ERRORS as error:
        raise BadOptionError(str(error)) from error
    settings, profiles = _choose_settings(ruleset, options)
    preset = _find_preset(ruleset, options.setting)
    _refuse_contradictions(ruleset, preset, settings)
    if options.baseline and not preset:
        raise BadOptionError("--baseline is the other model of a paper's --setting: name one")
    casting = _parse_casting(ruleset, options.cast)
    if preset and casting:
        raise BadOptionError("--cast and --setting both say who sits where: leave one out")
    styles = _read_styles(recipe, ruleset, options)
    if preset:
        games = preset.deals * preset.repeats if options.games is None else options.games
        baseline = options.baseline or backends.HOUSE
        planner = plan_preset_games(ruleset, preset, options.seed, recipe, baseline, settings)
    elif options.games is None:
        raise BadOptionError("--games is required without a paper's --setting")
    else:
        games = options.games
        planner = plan_games(ruleset, options.seed, recipe, settings, profiles, styles, casting)
    if min(games, options.games_at_once, options.processes) < 1:
        raise BadOptionError("--games, --concurrency and --processes take numbers from 1 up")
    return planner, games


def _find_ruleset(options: BatchOptions) -> Ruleset:
    ruleset = rulesets.get(options.ruleset)
    if backends.HOUSE in options.main_backends:
        deals_of(pack_of(ruleset))  # raises DeckTooLarge
    return ruleset


def _build_recipe(options: BatchOptions) -> Recipe:
    for name in options.main_backends:
        backends.get(name)  # raises UnknownBackend
    method = METHODS.get(options.method)
    papers_context = method.context if method and method.context != "whole" else "paper"
    return Recipe(
        options.backend,
        options.method,
        context=papers_context if options.context is None else options.context,
        has_plain_speech=options.plain_speech,
        switches=parse_switches(options.switch),
    )


def _find_preset(ruleset: Ruleset, name: str | None) -> Preset | None:
    """Return the paper's setting of that name, unless only people can play it."""
    if name is None:
        return None
    presets = {preset.key: preset for preset in ruleset.presets}
    if name not in presets:
        names = ", ".join(presets) or "none"
        raise BadOptionError(f"{ruleset.name} has no paper's setting {name!r}; known: {names}")
    if presets[name].people:
        settings = [f"{key}={format_value(v)}" for key, v in presets[name].settings.items()]
        raise BadOptionError(
            f"{name} is played with a person: open a table with the settings {', '.join(settings)}"
        )
    return presets[name]


def _choose_settings(ruleset: Ruleset, options: BatchOptions) -> SettingsFile:
    """Return the settings of `--set` and of the file, and the file's profiles."""
    file_settings, profiles = _read_settings_file(ruleset, options.settings_file)
    settings: Settings = {}
    for name, value in (_parse_setting(ruleset, text) for text in options.set):
        if name in settings:
            raise BadOptionError(f"--set {name} is given twice: keep one")
        if file_settings.get(name, value) != value:
            raise BadOptionError(f"--set {name} contradicts the settings file: leave one out")
        settings[name] = value
    return {**file_settings, **settings}, profiles


def _parse_setting(ruleset: Ruleset, text: str) -> tuple[str, bool | int | str]:
    """Parse a setting of the form name=value, which the ruleset must have."""
    name, _sep, value = text.partition("=")
    settings_by_key = {setting.key: setting for setting in ruleset.settings}
    if name not in settings_by_key:
        names = ", ".join(sorted(settings_by_key)) or "none"
        raise BadOptionError(f"{ruleset.name} has no setting {name!r}; known: {names}")
    default = settings_by_key[name].default
    parsed: bool | int | str = value
    if isinstance(default, bool):
        if value not in ("true", "false"):
            raise BadOptionError(f"--set {name} takes true or false, not {value!r}")
        parsed = value == "true"
    elif isinstance(default, int):
        try:
            parsed = int(value)
        except ValueError:
            raise BadOptionError(f"--set {name} takes a whole number, not {value!r}") from None
    if error := settings_by_key[name].value_error(parsed):
        raise BadOptionError(f"--set: {error}")
    return name, parsed


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
        raise BadOptionError(f"--cast {text}: {error}")
    return casting


def _read_settings_file(ruleset: Ruleset, path: str | None) -> SettingsFile:
    """Return the settings and the profiles of a settings file, none without a file."""
    if path is None:
        return {}, []
    try:
        return read_settings_file(ruleset, _read_text("--settings-file", path))
    except BadSettingsFile as error:
        raise BadOptionError(f"--settings-file {path}: {error}") from None


def _read_styles(recipe: Recipe, ruleset: Ruleset, options: BatchOptions) -> list[str]:
    """Read the styles of `--style`, which must be valid in the ruleset."""
    paths = options.style
    if paths and ("persona" not in recipe.faculties or options.setting):
        raise BadOptionError(
            "--style needs a method with a persona, such as guarded, and no setting"
        )
    if len(paths) > len(ruleset.deck):
        raise BadOptionError(f"--style is given {len(paths)} times for {len(ruleset.deck)} seats")
    texts = [_read_text("--style", path) for path in paths]
    errors = style_checks.style_errors(ruleset.name, texts)
    for path, text in zip(paths, texts, strict=True):
        if text in errors:
            raise BadOptionError(f"--style {path}: {errors[text]}")
    return texts


def _read_text(option: str, path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise BadOptionError(f"{option} {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadOptionError(f"{option} {path} is no text in UTF-8") from None


def _refuse_contradictions(
    ruleset: Ruleset, preset: Preset | None, settings: Mapping[str, bool | int | str]
) -> None:
    """Raise BadOptionError if the settings contradict each other or the paper's setting."""
    preset_settings = preset.settings if preset else {}
    for name, value in settings.items():
        if preset_settings.get(name, value) != value:
            raise BadOptionError(
                f"--setting {preset and preset.key} has"
                f" {name}={format_value(preset_settings[name])}: leave out"
                f" --set {name}, or the --setting"
            )
    defaults = {setting.key: setting.default for setting in ruleset.settings}
    values = {**defaults, **preset_settings, **settings}
    for setting in ruleset.settings:
        if setting.key in settings and setting.needs and not setting.has_effect(values):
            needed, needed_value = setting.needs
            raise BadOptionError(f"--set {setting.key} needs {needed}={format_value(needed_value)}")
    if conflict := ruleset.find_conflict(values, 0):
        raise BadOptionError(conflict)
