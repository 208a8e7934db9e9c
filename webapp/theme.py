"""The theme of a browser: pages follow the game's day and night, or stay dark or light.

A cookie stores the theme ("light" in stored names), so that no page flashes on load.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

COOKIE = "fabula_light"
STORY = "story"  # follows the day and night of the game, on other pages the visitor's system
THEMES = {
    STORY: gettext_lazy("Day and night"),
    "night": gettext_lazy("Always dark"),
    "day": gettext_lazy("Always light"),
}
COOKIE_LIFETIME_S = 365 * 24 * 3600


def for_templates(request: HttpRequest) -> dict[str, object]:
    """Context processor: the chosen theme (`light_kept`), and all as (key, label) (`lights`)."""
    chosen = request.COOKIES.get(COOKIE, "")
    return {"light_kept": chosen if chosen in THEMES else STORY, "lights": list(THEMES.items())}


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Store a theme, and redirect to the page where it was chosen."""
    theme, back = request.POST.get("light", ""), request.POST.get("back", "")
    if theme not in THEMES:
        return HttpResponse(status=422)
    is_own = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    response = redirect(back if is_own and back.startswith("/") else "/")
    response.set_cookie(COOKIE, theme, max_age=COOKIE_LIFETIME_S, httponly=True, samesite="Lax")
    return response
