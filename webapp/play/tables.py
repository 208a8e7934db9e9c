"""Opening tables: which seats, which pace, which rules; the form and the three quick ways in."""

from __future__ import annotations

import secrets
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from django import forms
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents import backends
from agents.characters import seated as seated_characters
from agents.recipe import Recipe
from game import gathering, hosting, services
from game.engine import rulesets
from game.engine.draws import Draws
from game.models import Game, Player
from game.services import USUAL_LIMITS
from webapp.play import minds
from webapp.play.models import Sitting, Table
from webapp.play.visitors import seat_visitor

DEFAULT_RULESET = "one-night"


def _seconds(label: Any, kind: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=10,
        max_value=3600,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": USUAL_LIMITS[kind]}),
    )


class TableForm(forms.Form):
    """What one may choose at a new table; a ruleset's own settings join as `rule_<key>`."""

    ruleset = forms.CharField(widget=forms.HiddenInput, initial=DEFAULT_RULESET)
    mode = forms.ChoiceField(
        label=gettext_lazy("You"),
        choices=[
            ("play", gettext_lazy("take a seat and play")),
            ("watch", gettext_lazy("watch the others")),
        ],
        initial="play",
        widget=forms.RadioSelect,
    )
    guests = forms.IntegerField(
        label=gettext_lazy("Friends you invite"),
        help_text=gettext_lazy(
            "You get a link for them, and a lobby to meet in. Computer players take the other"
            " seats."
        ),
        min_value=0,
        required=False,
        initial=0,
    )
    backend = forms.ChoiceField(
        label=gettext_lazy("Who thinks for the computer players"),
        help_text=gettext_lazy("Language models are set up where the server runs."),
        required=False,
        widget=forms.RadioSelect,
    )
    method = forms.ChoiceField(
        label=gettext_lazy("What they have in mind"),
        required=False,
    )
    pace = forms.ChoiceField(
        label=gettext_lazy("Pace of the computer players"),
        choices=[
            ("natural", gettext_lazy("natural: they take the time to speak")),
            ("instant", gettext_lazy("instant")),
        ],
        initial="natural",
        widget=forms.RadioSelect,
    )
    statement_seconds = _seconds(gettext_lazy("for a statement"), "statement")
    vote_seconds = _seconds(gettext_lazy("for a vote"), "vote")
    night_seconds = _seconds(gettext_lazy("for a choice at night"), "night")
    blind = forms.BooleanField(
        label=gettext_lazy("Blind table"),
        help_text=gettext_lazy(
            "Nothing tells who is a person and who is a computer player, until you reveal it after"
            " the game. Everyone keeps the seat’s name and all take their time to speak."
        ),
        required=False,
    )
    spectators = forms.BooleanField(
        label=gettext_lazy("Others may watch"),
        help_text=gettext_lazy("Whoever has the table’s address sees what is public."),
        required=False,
    )
    faces = forms.ChoiceField(
        label=gettext_lazy("Faces of the computer players"),
        help_text=gettext_lazy(
            "They like and dislike; a face tells how much. None at blind tables."
        ),
        choices=[
            (Table.ME, gettext_lazy("toward me")),
            (Table.ALL, gettext_lazy("toward everyone")),
            (Table.HIDDEN, gettext_lazy("hidden")),
        ],
        initial=Table.ME,
        required=False,
        widget=forms.RadioSelect,
    )
    personas = forms.BooleanField(
        label=gettext_lazy("Show who the computer players are"),
        help_text=gettext_lazy("Five bars and a few adjectives each."),
        initial=True,
        required=False,
    )
    seed = forms.CharField(
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy(
            "The same seed deals the same game again. Only where nobody plays; empty: any."
        ),
        max_length=60,
        required=False,
    )

    clocks = ("statement_seconds", "vote_seconds", "night_seconds")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._minds()
        name = str((self.data or {}).get("ruleset") or DEFAULT_RULESET)
        known = name if name in rulesets.names() else DEFAULT_RULESET
        for setting in rulesets.get(known).settings:
            kind = forms.BooleanField if isinstance(setting.default, bool) else forms.IntegerField
            self.fields[f"rule_{setting.key}"] = kind(
                label=_(setting.label),
                help_text=_(setting.help),
                initial=setting.default,
                required=False,
            )

    def _minds(self) -> None:
        backend, method = self.fields["backend"], self.fields["method"]
        assert isinstance(backend, forms.ChoiceField)
        assert isinstance(method, forms.ChoiceField)
        backend.choices, method.choices = minds.options(), minds.methods()
        backend.initial, method.initial = minds.usual(), Recipe.method
        if len(minds.options()) == 1:  # no model is set up: there is nothing to choose
            backend.widget = forms.HiddenInput()

    def clean_backend(self) -> str:
        name = self.cleaned_data["backend"] or minds.usual()
        if why := minds.trouble(name):
            other = _("Choose the built-in players, or try again when that is mended.")
            raise forms.ValidationError(f"{why} {other}")
        return str(name)

    def clean_ruleset(self) -> str:
        name: str = self.cleaned_data["ruleset"]
        if name not in rulesets.names():
            raise forms.ValidationError(_("There is no such game."))
        return name

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        guests = data.get("guests") or 0
        people = guests + (data.get("mode") == "play")
        if data.get("seed") and people:
            self.add_error(
                "seed", _("A seed can be set only where nobody plays: it tells who is who.")
            )
        if data.get("ruleset") in rulesets.names():
            seats = len(rulesets.get(data["ruleset"]).deck)
            if people > seats:
                most = seats - (data.get("mode") == "play")
                text = _("There are only {seats} seats: invite {most} friends at most.")
                self.add_error("guests", text.format(seats=seats, most=most))
        return data


def choices(data: Mapping[str, Any]) -> dict[str, Any]:
    """A valid form's data as the keywords of `open_table`."""
    clocks = ("statement", "vote", "night")
    settings = {k.removeprefix("rule_"): v for k, v in data.items() if k.startswith("rule_")}
    return {
        "ruleset": data["ruleset"],
        "mode": data["mode"],
        "guests": data.get("guests") or 0,
        "pace": "even" if data["blind"] else data["pace"],
        "limits": {c: data[f"{c}_seconds"] for c in clocks if data.get(f"{c}_seconds")},
        "settings": {**settings, "blind": data["blind"]},
        "spectators": data["spectators"],
        "faces": data["faces"] or Table.ME,
        "personas": data["personas"],
        "seed": data.get("seed", ""),
        "backend": data["backend"],
        "method": data.get("method") or Recipe.method,
    }


def open_table(
    visitor: uuid.UUID,
    *,
    ruleset: str = DEFAULT_RULESET,
    mode: str = "play",
    guests: int = 0,
    pace: str = "natural",
    limits: Mapping[str, int] | None = None,
    settings: Mapping[str, Any] | None = None,
    spectators: bool = False,
    faces: str = Table.ME,
    personas: bool = True,
    seed: str = "",
    backend: str = backends.HOUSE,
    method: str = Recipe.method,
) -> Game:
    """Open a table whose host is the visitor, in a seat (`play`) or watching (`watch`).

    Where guests are invited the table gathers; else the game begins at once.
    """
    seed = seed or secrets.token_hex(16)
    plans, mine = _plans(
        seed,
        len(rulesets.get(ruleset).deck),
        guests,
        seated=mode == "play",
        characters=not (settings or {}).get("blind"),
        recipe=Recipe(backend, method),
    )
    with transaction.atomic():
        game = services.create(
            ruleset,
            plans,
            seed=seed,
            settings=settings,
            pace=pace,
            limits=limits,
            gather=guests > 0,
        )
        Table.objects.create(game=game, spectators=spectators, faces=faces, personas=personas)
        player = game.players.get(seat=mine) if mine else None
        seat_visitor(visitor, game, player, host=True)
    return game


def _plans(
    seed: str,
    count: int,
    guests: int,
    *,
    seated: bool,
    recipe: Recipe,
    characters: bool = True,
) -> tuple[list[services.SeatPlan], int]:
    """Who sits where, drawn from the seed; and the host's seat, 0 for none.

    About half of the computer players are written characters, unless not `characters`: at a
    blind table a voice like theirs would tell who is no person.
    """
    order = Draws(seed).shuffled("who sits where", range(count))
    computers = [at + 1 for at in order[seated + guests :]] if characters else []
    voices = seated_characters(seed, computers)
    seats = range(1, count + 1)
    cast = [recipe.cast(f"{seed}/{seat}", voices.get(seat, "")).data() for seat in seats]
    plans = [services.SeatPlan(Player.AGENT, recipe) for recipe in cast]
    mine = order[0] if seated else -1
    if seated:
        plans[mine] = services.SeatPlan(Player.PERSON)
    for seat in order[seated : seated + guests]:
        plans[seat] = services.SeatPlan(Player.OPEN, cast[seat])
    return plans, mine + 1


def _same_minds(game: Game) -> dict[str, str]:
    """The backend and method that most computer players of a game had."""
    made = [Recipe.of(p.recipe) for p in game.players.all() if p.recipe]
    if not made:
        return {}
    (backend, method), _n = Counter((r.backend, r.method) for r in made).most_common(1)[0]
    return {"backend": backend if backend in minds.known() else backends.HOUSE, "method": method}


def same_again(visitor: uuid.UUID, game: Game) -> Game:
    """A new game at a table like `game`'s: the same people, rules, pace and limits, dealt afresh.

    Where several people played, all have their places at the one new table, which gathers.
    """
    with transaction.atomic():
        table, _new = Table.objects.select_for_update().get_or_create(game=game)
        if table.successor:
            return table.successor
        people = list(game.players.filter(kind=Player.PERSON, left_at=None))
        sittings = Sitting.objects.filter(game=game)
        place = sittings.get(visitor=visitor)
        alone = len(people) == 1 and place.player is not None
        same = open_table(
            visitor,
            ruleset=game.ruleset,
            mode="play" if place.player else "watch",
            guests=len(people) - (place.player is not None),
            pace=game.pace,
            limits=game.limits,
            settings=game.settings,
            spectators=table.spectators,
            faces=table.faces,
            personas=table.personas,
            **_same_minds(game),
        )
        if people and not alone:
            for player in people:
                _seat_again(same, player, list(sittings.filter(player=player)), visitor)
            table.successor = same
            table.save()
            hosting.touch(game.pk)
    return same


def _seat_again(same: Game, player: Player, browsers: list[Sitting], host: uuid.UUID) -> None:
    """The person has a place at the new table too, under the same name, by the same browsers."""
    if not browsers:
        return
    own = rulesets.get(same.ruleset).seat_names
    name = "" if player.name in own else player.name
    hosts = any(sitting.visitor == host for sitting in browsers)
    if hosts:
        seat = Player.objects.get(sitting__visitor=host, sitting__game=same)
        gathering.rename(same.pk, seat.seat, name)
    else:
        seat = gathering.join(same.pk, name)
    for sitting in browsers:
        seat_visitor(sitting.visitor, same, seat, host=hosts)
