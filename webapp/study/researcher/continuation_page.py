"""The page that shows what other systems would have said at a turn of a finished game."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import METHODS, Recipe
from game.models import Game
from webapp.play.disclosure import Disclosure
from webapp.play.error_pages import is_htmx_request
from webapp.play.turns import model_choices
from webapp.storable_text import read_number
from webapp.study.rating import continuations
from webapp.study.researcher.access import PageNotFound
from webapp.study.researcher.all_games import can_open_replay, usable_game
from webapp.study.researcher.responses import render_form_page


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


def find_link(request: HttpRequest, game: Game, seat: int, window: str) -> tuple[str, str] | None:
    """Return (label, address) of the page for a line of the replay, None for other viewers."""
    if not can_open_replay(request, game) or not continuations.find_turn(game, window, seat):
        return None
    return _("What would other systems have said here?"), _turn_address(game, window, seat)


@usable_game("GET", "POST")
def continue_turn(request: HttpRequest, game: Game) -> HttpResponse:
    """Show what systems say at the turn, and queue missing answers for the workers."""
    window, seat = request.GET.get("window", ""), request.GET.get("seat", "")
    turn = continuations.find_turn(game, window, read_number(seat))
    if turn is None:
        text = _("No one spoke at this point. Open the page from the replay of the game.")
        raise PageNotFound(_("This line does not exist"), text)
    data = request.POST if request.method == "POST" else request.GET
    form = SystemsForm(data if "systems" in data else None, initial={"systems": _default_systems()})
    systems = form.cleaned_data["systems"] if form.is_bound and form.is_valid() else {}
    if request.method == "POST" and systems:
        if not continuations.queue_answers(game, turn, systems):
            messages.error(request, _("The worker processes cannot be reached. Try again."))
        systems_text = "\n".join(systems)
        return redirect(_turn_address(game, window, turn.seat, systems=systems_text, asked="1"))
    answers = list(continuations.answers_of(game, turn, systems))
    context = {
        "game": game,
        "turn": turn,
        "form": form,
        "answers": answers,
        "is_waiting": "asked" in request.GET and any(answer.is_waiting for answer in answers),
        "here": request.get_full_path(),
        "action": _turn_address(game, window, turn.seat),
        "replay": "" if Disclosure(game).owner_address else reverse("replay", args=[game.code]),
    }
    template = "continued_answers" if is_htmx_request(request) else "continue"
    return render_form_page(request, template, context)


def _default_systems() -> str:
    """Return the paper's two systems with the default model, as text of the form."""
    backend = model_choices.default_backend()
    return f"{backend}/vanilla\n{backend}/guarded"


def _turn_address(game: Game, window: str, seat: int, **parameters: str) -> str:
    """Return the address of the page for a turn."""
    query = urlencode({"window": window, "seat": seat, **parameters})
    return f"{reverse('study:continue', args=[game.code])}?{query}"
