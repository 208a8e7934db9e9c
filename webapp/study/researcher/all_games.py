"""Pages of all games that a researcher may use: list, replay, downloads, continued turns."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from agents.recipe import METHODS, Recipe
from game.engine import rulesets
from game.models import Game, Player
from webapp.middleware import is_htmx_request
from webapp.play.disclosure import Disclosure
from webapp.play.error_pages import Link
from webapp.play.replay import text_export
from webapp.play.turns import model_choices
from webapp.play.visitors import Guest
from webapp.storable_text import read_number
from webapp.study.design.conditions import readable_names
from webapp.study.design.rating_design import MAX_CONDITION_CHARS
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Slot, Study
from webapp.study.permissions import studies_with
from webapp.study.rating import continuations
from webapp.study.rating.campaign_games import occupant_name
from webapp.study.researcher import access, audit
from webapp.study.researcher.fields import set_choices
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import download, render_form_page
from webapp.study.sessions.participant_state import design_of

ROWS_PER_PAGE = 50


def usable_game(*methods: str) -> Callable[[access.View], access.View]:
    """Return a decorator that passes the game `code` to the view if the researcher may use it."""

    def decorate(view: access.View) -> access.View:
        @access.sign_in_required
        @wraps(view)
        def wrapped(request: HttpRequest, code: str) -> HttpResponse:
            games = finished_games(usable_games(request.user.pk or 0)).filter(code=code)
            text = _("The address may be mistyped, or the players did not agree to research.")
            game = access.get_row_or_404(games, _("This game does not exist"), text)
            return require_http_methods(methods)(view)(request, game)

        return wrapped

    return decorate


@access.researchers_only("GET")
def game_list(request: HttpRequest) -> HttpResponse:
    assert request.user.pk is not None
    form = GameFilterForm(request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    games = filter_games(finished_games(usable_games(request.user.pk)), filters)
    page, query = paginate(request, games.select_related("table"))
    context = {
        "form": form,
        "page": page,
        "games": _build_rows(page),
        "query": query,
        "condition": _condition_label(request, filters),
    }
    return render(request, "study/researcher/all_games.html", context)


def paginate(request: HttpRequest, rows: QuerySet[Any]) -> tuple[Page[Any], str]:
    """Return (requested page of the rows, query of the request without the page's number)."""
    query = request.GET.copy()
    query.pop("page", None)
    return Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page")), query.urlencode()


def _condition_label(request: HttpRequest, filters: dict[str, Any]) -> str:
    """Return the name for readers of the condition that the filter names, "" for none."""
    name = str(filters.get("condition", ""))
    studies = Study.objects.filter(studies_with(request.user.pk), code=filters.get("study", ""))
    study = studies.first()
    return readable_names(design_of(study)).get(name, name) if study and name else name


def _build_rows(games: Iterable[Game]) -> list[dict[str, Any]]:
    """Return the games as the list shows them, each with its study if a study played it."""
    games = list(games)
    slots = Slot.objects.filter(game__in=games).select_related("study")
    studies = {slot.game_id: slot.study for slot in slots}
    return [
        {
            "game": game,
            "title": _(rulesets.get(game.ruleset).title),
            "seats": summarize_game(game)["seats"],
            "study": studies.get(game.pk),
            "has_replay": not Disclosure(game).owner_address,
        }
        for game in games
    ]


@usable_game("POST")
def open_replay(request: HttpRequest, game: Game) -> HttpResponse:
    """Redirect to the replay, which the researcher may see while signed in."""
    return redirect("replay", game.code)


def can_open_replay(request: HttpRequest, game: Game) -> bool:
    """Return whether the request is from a signed-in researcher who may use the game."""
    user = access.researcher_of(request.session)
    return user is not None and finished_games(usable_games(user.pk)).filter(pk=game.pk).exists()


@usable_game("GET")
def download_play_script(request: HttpRequest, game: Game) -> HttpResponse:
    """Download the game as a play script. At a blind table it has public events only."""
    return _download_game(request, game, "txt", text_export.play_script(Guest(game, None)))


@usable_game("GET")
def download_json_lines(request: HttpRequest, game: Game) -> HttpResponse:
    """Download the game as JSON Lines. At a blind table it has public events only."""
    rows = text_export.log_rows(Guest(game, None))
    body = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return _download_game(request, game, "jsonl", body)


def _download_game(request: HttpRequest, game: Game, extension: str, body: str) -> HttpResponse:
    audit.record_line(request, "export", f"game {game.code}.{extension}")
    return download(body, f"fabula-{game.code}.{extension}")


class GameFilterForm(forms.Form):
    """The filter of the list of games. All fields are optional."""

    ruleset = forms.ChoiceField(label=gettext_lazy("Game"), required=False)
    seats = forms.ChoiceField(
        label=gettext_lazy("Players"),
        required=False,
        choices=list(LABELS["player_filters"].items()),
    )
    study = forms.CharField(required=False, max_length=24, widget=forms.HiddenInput)
    condition = forms.CharField(required=False, max_length=120, widget=forms.HiddenInput)
    made = forms.CharField(
        label=gettext_lazy("Played by"),
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("Model or method")}),
    )
    since = forms.DateField(
        label=gettext_lazy("Since"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        titles = [(name, _(rulesets.get(name).title)) for name in rulesets.names()]
        set_choices(self, "ruleset", [("", _("any")), *titles])


def filter_games(games: QuerySet[Game], filters: dict[str, Any]) -> QuerySet[Game]:
    """Return the games that match the filter, with their players."""
    person = Player.objects.filter(game=OuterRef("pk"), kind=Player.PERSON)
    if filters.get("ruleset"):
        games = games.filter(ruleset=filters["ruleset"])
    if filters.get("seats"):
        games = games.filter(Exists(person) if filters["seats"] == "people" else ~Exists(person))
    if filters.get("study"):
        games = games.filter(slot__study__code=filters["study"])
    if filters.get("condition"):  # the games behind a figure of the results
        games = games.filter(slot__condition__name=filters["condition"], slot__state=Slot.DONE)
    if filters.get("since"):
        games = games.filter(ended_at__date__gte=filters["since"])
    for word in filters.get("made", "").split():
        agents = Player.objects.filter(game=OuterRef("pk"), kind=Player.AGENT)
        by_backend = agents.filter(recipe__backend__icontains=word)
        by_method = agents.filter(recipe__method__icontains=word)
        games = games.filter(Exists(by_backend) | Exists(by_method))
    return games.prefetch_related("players")


def summarize_game(game: Game) -> dict[str, str]:
    """Return the kinds of players with their numbers, and the default name of the condition."""
    counts = Counter(map(occupant_name, game.players.all()))
    seats = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    condition = " + ".join(sorted(counts, key=lambda name: (name == _("people"), name)))
    return {"seats": seats, "default_condition": Truncator(condition).chars(MAX_CONDITION_CHARS)}


class SystemsForm(forms.Form):
    """The form of systems, one per line. `cleaned_data["systems"]` is text -> recipe."""

    systems = forms.CharField(
        label=gettext_lazy("Systems"),
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        max_length=2000,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = _(
            "Enter one per line, maximum {most}: MODEL/METHOD or MODEL/METHOD:SWITCH=VALUE."
            " Models: {models}. Methods: {methods}."
        )
        self.fields["systems"].help_text = text.format(
            most=continuations.MAX_SYSTEMS,
            models=", ".join(model_choices.known_backends()),
            methods=", ".join(METHODS),
        )

    def clean_systems(self) -> dict[str, Recipe]:
        lines = [line.strip() for line in self.cleaned_data["systems"].splitlines()]
        try:
            return continuations.parse_systems(list(dict.fromkeys(filter(None, lines))))
        except continuations.BadSystem as error:
            raise forms.ValidationError(str(error)) from None


def find_continuation_link(request: HttpRequest, game: Game, seat: int, window: str) -> Link | None:
    """Return the link to `continue_turn` for a line of the replay, None for other lines."""
    if not can_open_replay(request, game) or not continuations.find_turn(game, seat, window):
        return None
    return Link(_("What would other systems have said here?"), _turn_address(game, seat, window))


@usable_game("GET", "POST")
def continue_turn(request: HttpRequest, game: Game) -> HttpResponse:
    """Show what systems say at the turn, and queue missing answers for the workers."""
    seat, window = read_number(request.GET.get("seat", "")), request.GET.get("window", "")
    turn = continuations.find_turn(game, seat, window)
    if turn is None:
        text = _("No one spoke at this point. Open the page from the replay of the game.")
        raise access.PageNotFound(_("This line does not exist"), text)
    data = request.POST if request.method == "POST" else request.GET
    backend = model_choices.default_backend()
    initial = {"systems": f"{backend}/vanilla\n{backend}/guarded"}  # the paper's two systems
    form = SystemsForm(data if "systems" in data else None, initial=initial)
    systems = form.cleaned_data["systems"] if form.is_bound and form.is_valid() else {}
    if request.method == "POST" and systems:
        if not continuations.queue_answers(game, turn, systems):
            messages.error(request, _("The worker processes cannot be reached. Try again."))
        systems_text = "\n".join(systems)
        return redirect(_turn_address(game, seat, window, systems=systems_text, asked="1"))
    answers = list(continuations.answers_of(game, turn, systems))
    context = {
        "game": game,
        "turn": turn,
        "form": form,
        "answers": answers,
        "is_waiting": "asked" in request.GET and any(answer.is_waiting for answer in answers),
        "here": request.get_full_path(),
        "action": _turn_address(game, seat, window),
        "replay": "" if Disclosure(game).owner_address else reverse("replay", args=[game.code]),
    }
    template = "continued_answers" if is_htmx_request(request) else "continue"
    return render_form_page(request, template, context)


def _turn_address(game: Game, seat: int, window: str, **parameters: str) -> str:
    query = urlencode({"window": window, "seat": seat, **parameters})
    return f"{reverse('study:continue', args=[game.code])}?{query}"
