"""Validates a campaign's settings strictly; one sentence for each fault."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.big_five import Persona
from agents.recipe import Recipe, UnknownMethod
from game.engine import rulesets
from game.models import Game
from webapp.study import conditions, exclusion, quiz, situations
from webapp.study.exits import EXITS, RATER_EXITS
from webapp.study.instruments import Instrument
from webapp.study.value_checks import Refused, number, switch, text, url

LABEL = 60  # characters of a condition


def checked(settings: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The settings, tidied. Raises Refused with every fault, TypeError for unknown names."""
    if unknown := sorted(set(settings) - set(known)):
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    found, faults = {}, []
    for name, value in settings.items():
        try:
            found[name] = _CHECKS[name](value)
        except Refused as refused:
            faults += refused.sentences
    if faults:
        raise Refused(faults)
    return found


def check_games(
    pairs: Iterable[tuple[Game, str]], may_enter: Q, chosen: Collection[int] = ()
) -> None:
    """Raises Refused where a game can't be rated, or is named twice.

    may_enter: a condition on games that are new (`eligible_games`). chosen: the ids of those that
    are in already, and stay.
    """
    pairs = list(pairs)
    new = {game.pk for game, _condition in pairs} - set(chosen)
    may = set(Game.objects.filter(may_enter, pk__in=new).values_list("pk", flat=True))
    faults, seen = [], set()
    for game, condition in pairs:
        if game.ended_at is None or game.called_off:
            faults.append(
                _("The game {code} has no result: only finished games can be rated.").format(
                    code=game.code
                )
            )
        if game.pk in new - may:
            faults.append(
                _(
                    "People played the game {code}, and its table did not agree to be used in"
                    " research (only its host could say so, before they sat down), or it belongs"
                    " to a study that goes on."
                ).format(code=game.code)
            )
        if game.pk in seen:
            faults.append(_("The game {code} is chosen twice.").format(code=game.code))
        seen.add(game.pk)
        try:
            label(condition)
        except Refused as refused:
            faults += refused.sentences
    if faults:
        raise Refused(list(dict.fromkeys(faults)))


def label(name: Any) -> str:
    """A condition's name."""
    return text(_("A condition’s name"), LABEL)(name)


def _instrument(value: Any) -> dict[str, Any]:
    if faults := Instrument.check(value):
        raise Refused(faults)
    instrument = Instrument.of(value)
    if instrument.for_participants:
        told = _("“{title}” is asked of a study’s participants, not of raters.")
        raise Refused([told.format(title=instrument.title)])
    return instrument.data()


def _choice(value: Any) -> dict[str, Any]:
    known = {
        "pick", "per_condition", "situations", "speakers", "teams", "compare", "quotas", "fill",
    }  # fmt: skip
    if not isinstance(value, Mapping) or set(value) - known:
        raise Refused([_("Say which units are drawn: all of them or a sample.")])
    wanted, quotas = value.get("situations") or [], value.get("quotas") or {}
    count = value.get("per_condition", 10)
    if faults := list(_choice_faults(value, wanted, quotas, count)):
        raise Refused(faults)
    return {
        "pick": value.get("pick", "all"),
        "per_condition": count if type(count) is int else 10,
        "situations": sorted(map(str, wanted)),
        "speakers": value.get("speakers", "agents"),
        "teams": sorted(map(str, value.get("teams") or [])),
        "compare": value.get("compare", conditions.GAME),
        "quotas": dict(quotas),
        "fill": value.get("fill", "depth"),
    }


def _choice_faults(value: Mapping[str, Any], wanted: Any, quotas: Any, count: Any) -> Iterator[str]:
    if value.get("pick", "all") not in ("all", "sample"):
        yield _("Choose whether all units are rated or a sample.")
    if value.get("speakers", "agents") not in ("agents", "all"):
        yield _("Choose whose words are rated: the computer players’ or everybody’s.")
    if value.get("compare", conditions.GAME) not in conditions.KEYS:
        yield _("Choose what is compared: games, or the speakers within them.")
    if value.get("fill", "depth") not in ("depth", "breadth"):
        yield _("Choose whether units are finished one after the other or all begun first.")
    if not isinstance(wanted, list | tuple) or set(map(str, wanted)) - set(situations.KEYS):
        yield _("There is no such situation.")
    teams = value.get("teams") or []
    if not isinstance(teams, list | tuple) or set(map(str, teams)) - set(teams_there_are()):
        yield _("There is no such team.")
    known = {"", "any", *situations.KEYS}
    if not isinstance(quotas, Mapping) or set(quotas) - known:
        yield _("There is no such situation to take so many units of.")
    elif any(type(n) is not int or not 1 <= n <= 10_000 for n in quotas.values()):
        yield _("Of a situation a sample has from 1 to 10000 units of each condition.")
    if value.get("pick") != "sample":
        return
    if type(count) is not int or not 1 <= count <= 10_000:
        yield _("A sample has from 1 to 10000 units of each condition.")


def teams_there_are() -> dict[str, str]:
    """team key -> its name, of all rulesets."""
    found = [team for name in rulesets.names() for team in rulesets.get(name).teams]
    return {team.key: _(team.name) for team in found}


def _rival(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    try:
        recipe = Recipe.of(dict(value))
        if recipe.persona is not None:
            Persona.of(recipe.persona.data())
        return recipe.data()
    except UnknownMethod as error:
        raise Refused([str(error)]) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Refused([_("The other system can’t be read: choose it again.")]) from None


def _exits(value: Any) -> dict[str, Any]:
    """{kind: {"code", "url"}} as the exits of a design, without empty ones."""
    if not isinstance(value, Mapping) or set(value) - set(RATER_EXITS):
        raise Refused([_("There is no such way out.")])
    found, faults = {}, []
    for kind, way in value.items():
        if not isinstance(way, Mapping) or set(way) - {"code", "url"}:
            raise Refused([_("A way out has a code and an address.")])
        who = EXITS[kind]
        checks = {
            "code": text(_("The code for {who}").format(who=who), 40),
            "url": url(_("The address for {who}").format(who=who)),
        }
        try:
            told = {name: check(way.get(name) or "") for name, check in checks.items()}
            if any(told.values()):
                found[kind] = {"code_kind": "same" if told["code"] else "none", **told}
        except Refused as refused:
            faults += refused.sentences
    if faults:
        raise Refused(faults)
    return found


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "name": text(gettext_lazy("The study’s name"), 120, 1),
    "seed": text(gettext_lazy("The seed"), 80, 1),
    "instrument": _instrument,
    "choice": _choice,
    "rival": _rival,
    "rival_condition": text(gettext_lazy("The other system’s name"), LABEL),
    "context": number(gettext_lazy("The number of lines shown before"), 0, 100),
    "raters_per_unit": number(gettext_lazy("The number of raters per unit"), 1, 1000),
    "units_per_rater": number(gettext_lazy("The number of units per rater"), 1, 1000),
    "repeats": number(gettext_lazy("The number of repeats"), 0, 100),
    "attention": number(gettext_lazy("The number of attention checks"), 0, 20),
    "lease_minutes": number(gettext_lazy("The time for a unit, in minutes,"), 1, 7 * 24 * 60),
    "consent": text(gettext_lazy("The consent text"), 20_000, 1, lines=True),
    "listed_only": switch(gettext_lazy("“Listed people only”")),
    "least_experience": number(gettext_lazy("The least experience"), 0, 4),
    "exits": _exits,
    "exclusion": exclusion.check,
    "quiz": quiz.check,
    "break_after": number(gettext_lazy("The number of pages between breaks"), 0, 1000),
    "time_limit": number(gettext_lazy("The time limit, in minutes,"), 0, 7 * 24 * 60),
}
