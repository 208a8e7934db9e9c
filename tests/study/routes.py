"""Addresses of the researcher routes, with existing values for their parameters."""

from __future__ import annotations

from django.urls import URLPattern, reverse

from webapp.study.researcher.urls import campaign_patterns, study_patterns

ROUTE_VALUES = {
    "name": "ratings_long.csv",
    "invitation_id": 1,
    "user_id": 1,
    "index": 1,
    "pseudonym": "R001",
    "key": "individuality",
    "form": "md",
    "part": "table",
    "stage": 2,
    "number": 1,
    "about": "people/R001",
    "token": "first",
    "path": "take/as/preview/",
    "room_name": "lab",
}


def route_url(route: URLPattern, code: str) -> str:
    """Return the address of a route with existing values for its parameters."""
    names = {*(route.pattern.converters or route.pattern.regex.groupindex)}
    if route in (*study_patterns, *campaign_patterns):
        names.add("code")
    values = {**ROUTE_VALUES, "code": code}
    return reverse(f"study:{route.name}", kwargs={name: values[name] for name in names})
