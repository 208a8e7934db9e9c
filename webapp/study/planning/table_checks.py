"""Checks of the conditions' tables: game, settings, seats, roles, computer players, pace."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.personas.big_five import FACTORS, HIGHEST, LOWEST, PROFILES, are_scores
from agents.personas.characters import CHARACTERS
from agents.recipe import CONTEXTS, FACULTIES, MAX_TEMPERATURE, METHODS, OFFICE, WEAKER
from game import clock
from game.engine import rulesets
from game.engine.declarations import effective_settings
from game.engine.ruleset import Ruleset
from webapp.play.tables.switches_field import switch_errors
from webapp.play.turns import model_choices, style_checks
from webapp.play.turns.casting import OWN_PERSONA, OWN_STYLE
from webapp.study.design.conditions import ConditionPlan
from webapp.study.design.experiment_rules import SeatTypes
from webapp.study.design.stages import TableDesign

MAX_QUOTED_CHARS = 40  # names and values from a study file are cut to this length in errors
# Uses of other models than the table's (`Recipe.backends`).
BACKEND_USES = (OFFICE, WEAKER, "statement", "vote", "poll", *FACULTIES)


def find_errors(conditions: Sequence[ConditionPlan]) -> list[str]:
    """Return the distinct errors in the tables, with the conditions that have them."""
    conditions_by_error: dict[str, list[str]] = {}
    for condition in conditions:
        for sentence in dict.fromkeys(_table_errors(condition.table)):
            conditions_by_error.setdefault(sentence, []).append(condition.name)
    counts = Counter(condition.name for condition in conditions)
    duplicate_text = _("Two conditions are called “{name}”. Give each level a different name.")
    errors = [duplicate_text.format(name=name) for name, count in counts.items() if count > 1]
    for error, names in conditions_by_error.items():
        is_everywhere = len(names) == len(conditions)
        text = _("{names}: {what}")
        errors.append(error if is_everywhere else text.format(names=", ".join(names), what=error))
    return errors


def _table_errors(table: TableDesign) -> Iterator[str]:
    if table.ruleset not in rulesets.names():
        error_text = _("There is no game called “{name}”. Choose {known}.")
        yield _format_unknown(error_text, table.ruleset, rulesets.names())
        return
    ruleset = rulesets.get(table.ruleset)
    yield from _setting_errors(table, ruleset)
    seats = len(ruleset.deck)
    if table.people > seats:
        error_text = _("The table has {seats} seats, which is too few for {people} participants.")
        yield error_text.format(seats=seats, people=table.people)
    if table.people_seats:
        yield from _seat_errors(table, seats)
    if table.people_roles:
        yield from _role_errors(table, ruleset)
    yield from _model_errors(table.backend, table.method)
    yield from _recipe_errors(table)
    yield from switch_errors(METHODS, table.switches)
    for key, choice in table.casting.items():
        yield from _casting_errors(table, ruleset, key, choice)
    if table.pace not in clock.PACES:
        error_text = _("There is no pace called “{name}”. Choose {known}.")
        yield _format_unknown(error_text, table.pace, clock.PACES)
    if table.pace == clock.QUICK and table.people > 1:
        yield _("The pace “quick” is for tables with one participant. Choose a different pace.")
    for name in sorted(set(table.limits) - set(clock.CLOCKS)):
        error_text = _("There is no time limit for “{name}”. The limits are {known}.")
        yield _format_unknown(error_text, name, clock.CLOCKS)


def _setting_errors(table: TableDesign, ruleset: Ruleset) -> Iterator[str]:
    settings_by_key = {setting.key: setting for setting in ruleset.settings}
    errors = []
    for key, value in table.settings.items():
        if key not in settings_by_key:
            error_text = _("The game “{game}” has no rule called “{rule}”. Choose {known}.")
            names = _join_with_or(list(settings_by_key)) or _("none")
            rule = key[:MAX_QUOTED_CHARS]
            errors.append(error_text.format(game=_(ruleset.title), rule=rule, known=names))
        elif settings_by_key[key].value_error(value):
            error_text = _("The rule “{rule}” cannot be “{value}”.")
            label = _(settings_by_key[key].label)
            errors.append(error_text.format(rule=label, value=str(value)[:MAX_QUOTED_CHARS]))
    if not errors:
        chosen = effective_settings(ruleset.settings, table.settings)
        errors = [*filter(None, [ruleset.find_conflict(chosen, table.people)])]
    yield from errors


def _seat_errors(table: TableDesign, seats: int) -> Iterator[str]:
    if set(table.people_seats) - set(range(1, seats + 1)):
        yield _("Enter participants’ seats as numbers from 1 to {seats}.").format(seats=seats)
    if len(set(table.people_seats)) < len(table.people_seats):
        yield _("A participant’s seat is listed twice.")
    if len(table.people_seats) != table.people:
        yield ngettext(
            "There is {n} participant at the table. Choose as many seats, or none.",
            "There are {n} participants at the table. Choose as many seats, or none.",
            table.people,
        ).format(n=table.people)


def _role_errors(table: TableDesign, ruleset: Ruleset) -> Iterator[str]:
    dealt, wanted_roles = Counter(ruleset.deck), Counter(table.people_roles)
    names = {role.key: _(role.name) for role in ruleset.roles}
    for role, count in wanted_roles.items():
        if role not in names:
            error_text = _("The game has no role called “{role}”. Choose {known}.")
            known_roles = _join_with_or(list(names))
            yield error_text.format(role=role[:MAX_QUOTED_CHARS], known=known_roles)
        elif count > dealt[role]:
            error_text = ngettext(
                "The role “{role}” occurs {n} time, so no more participants can have it.",
                "The role “{role}” occurs {n} times, so no more participants can have it.",
                dealt[role],
            )
            yield error_text.format(role=names[role], n=dealt[role])
    if len(table.people_roles) != table.people:
        yield ngettext(
            "There is {n} participant at the table. Choose as many roles, or none.",
            "There are {n} participants at the table. Choose as many roles, or none.",
            table.people,
        ).format(n=table.people)


def _model_errors(backend: str, method: str) -> Iterator[str]:
    if backend not in model_choices.known_backends():
        error_text = _("There is no model called “{name}” here: {lack}, or choose {known}.")
        known_names = _join_with_or(model_choices.known_backends())
        lack = model_choices.missing_setup(backend)
        yield error_text.format(name=backend[:60], lack=lack, known=known_names)
    if method not in METHODS:
        error_text = _("There is no method called “{name}”. Choose {known}.")
        yield _format_unknown(error_text, method, METHODS)


def _recipe_errors(table: TableDesign) -> Iterator[str]:
    for use, backend in table.backends.items():
        if use not in BACKEND_USES:
            error_text = _("No other model is possible for “{name}”. Choose {known}.")
            yield _format_unknown(error_text, use, BACKEND_USES)
        yield from _model_errors(backend, table.method)
    if table.context and table.context not in CONTEXTS:
        error_text = _("There is no context called “{name}”. Choose {known}.")
        yield _format_unknown(error_text, table.context, CONTEXTS)


def _casting_errors(
    table: TableDesign, ruleset: Ruleset, key: str, choice: Mapping[str, Any]
) -> Iterator[str]:
    seat = str(int(key)) if key.isdecimal() else key
    if seat != key or seat not in {*map(str, range(1, len(ruleset.deck) + 1)), *ruleset.deck}:
        error_text = _(
            "There is no seat or role {seat} for a computer player. There are {seats} seats, and"
            " the roles {roles}."
        )
        roles = ", ".join(dict.fromkeys(ruleset.deck))
        seat_text, seats = key[:MAX_QUOTED_CHARS], len(ruleset.deck)
        yield error_text.format(seat=seat_text, seats=seats, roles=roles)
        return
    seat_label = _format_seat(ruleset, seat)
    if unknown := set(choice) - set(SeatTypes.model_fields):
        names = ", ".join(sorted(str(key)[:MAX_QUOTED_CHARS] for key in unknown))
        yield _("Unknown settings of {seat}: {names}.").format(seat=seat_label, names=names)
    method = str(choice.get("method") or table.method)
    yield from _model_errors(str(choice.get("backend") or table.backend), method)
    yield from switch_errors([method], choice.get("switches") or {})
    temperature = choice.get("temperature")
    if temperature is not None and not 0 <= temperature <= MAX_TEMPERATURE:
        error_text = _("The temperature of {seat} is {value}. Enter a number from 0 to {most}.")
        yield error_text.format(seat=seat_label, value=temperature, most=MAX_TEMPERATURE)
    if persona := str(choice.get("persona") or ""):
        yield from _persona_errors(table, seat_label, persona, choice, method)


def _format_seat(ruleset: Ruleset, key: str) -> str:
    """Return the label of a key of the casting: a seat's number or a role's key."""
    if key.isdecimal():
        return _("seat {number}").format(number=key)
    names = {role.key: role.name for role in ruleset.roles}
    return _("the role “{role}”").format(role=_(names[key]))


def _persona_errors(
    table: TableDesign, seat_label: str, persona: str, choice: Mapping[str, Any], method: str
) -> Iterator[str]:
    kind, _sep, key = persona.partition(":")
    names_by_kind: dict[str, Collection[str]] = {"profile": PROFILES, "character": CHARACTERS}
    if kind == OWN_PERSONA:
        scores = choice.get("scores")
        if not isinstance(scores, Mapping) or set(scores) != set(FACTORS):
            error_text = _("Enter the five scores for the personality of {seat}.")
            yield error_text.format(seat=seat_label)
        elif not are_scores(scores.values()):
            error_text = _(
                "The personality of {seat} has the scores {scores}. Enter whole numbers from {low}"
                " to {high}."
            )
            scores_text = ", ".join(str(score)[:10] for score in scores.values())
            yield error_text.format(seat=seat_label, scores=scores_text, low=LOWEST, high=HIGHEST)
    elif kind == OWN_STYLE:
        text = str(choice.get("style") or "")
        if sentence := style_checks.style_errors(table.ruleset, _own_styles(table)).get(text):
            yield _("The style of {seat}: {error}").format(seat=seat_label, error=sentence)
    elif key not in names_by_kind.get(kind, ()):
        error_text = _("There is no personality called “{name}” for {seat}. Choose {known}.")
        names = [f"{kind}:{key}" for kind, keys in names_by_kind.items() for key in keys]
        name = persona[:MAX_QUOTED_CHARS]
        yield error_text.format(name=name, seat=seat_label, known=_join_with_or(names))
    if method in METHODS and "persona" not in METHODS[method].faculties:
        error_text = _("A personality is chosen, but “{method}” does not use one.")
        yield error_text.format(method=method)
    if table.blind and kind == OWN_STYLE:
        yield _("At a blind table, a custom style would reveal a computer player.")
    if table.blind and kind == "character":
        yield _("At a blind table, a written character would reveal a computer player.")


def _own_styles(table: TableDesign) -> list[str]:
    """Return the texts of the styles that a table's seats have instead of a known one."""
    castings = table.casting.values()
    return [str(c.get("style") or "") for c in castings if c.get("persona") == OWN_STYLE]


def _format_unknown(error_text: str, name: str, known_names: Iterable[str]) -> str:
    """Fill an error about an unknown name with the name and with the known ones."""
    known = _join_with_or(list(known_names))
    return error_text.format(name=name[:MAX_QUOTED_CHARS], known=known)


def _join_with_or(names: Sequence[str]) -> str:
    return _(" or ").join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
