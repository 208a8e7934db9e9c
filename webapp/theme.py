"""The theme of a browser: pages follow the game's day and night, or stay dark or light.

A cookie stores it, so that the server knows it and no page flashes on load.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

COOKIE = "fabula_light"
STORY = "story"  # follows the game; on other pages the reader's system
LIGHTS = {
    STORY: gettext_lazy("Day and night"),
    "night": gettext_lazy("Always dark"),
    "day": gettext_lazy("Always light"),
}
YEAR_S = 365 * 24 * 3600  # seconds


def chosen_light(request: HttpRequest) -> str:
    """Return the theme that this browser has chosen."""
    chosen = request.COOKIES.get(COOKIE, "")
    return chosen if chosen in LIGHTS else STORY


def for_templates(request: HttpRequest) -> dict[str, object]:
    """Context processor: the current `light_kept`, and all `lights` as (key, label)."""
    return {"light_kept": chosen_light(request), "lights": list(LIGHTS.items())}


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Store a theme, and redirect to the page where it was chosen."""
    light, back = request.POST.get("light", ""), request.POST.get("back", "")
    if light not in LIGHTS:
        return HttpResponse(status=422)
    own = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    answer = redirect(back if own and back.startswith("/") else "/")
    answer.set_cookie(COOKIE, light, max_age=YEAR_S, httponly=True, samesite="Lax")
    return answer
