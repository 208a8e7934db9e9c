"""The ways out of a campaign for its raters: each with a page, a completion code and an address
to go back to.

`Campaign.exits` is {kind: {"code": text, "url": text}}; what is not set is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.value_checks import Refused, text, url

COMPLETE, SCREENED_OUT, FULL = "complete", "screened_out", "full"
DECLINED, WITHDRAWN, TIMED_OUT = "declined", "withdrawn", "timed_out"
# kind -> who goes this way
KINDS = {
    COMPLETE: gettext_lazy("those who finish"),
    SCREENED_OUT: gettext_lazy("those who may not rate"),
    FULL: gettext_lazy("those who come when all is rated"),
    DECLINED: gettext_lazy("those who do not agree"),
    WITHDRAWN: gettext_lazy("those who stop and withdraw"),
    TIMED_OUT: gettext_lazy("those whose time is over"),
}


@dataclass(frozen=True)
class Exit:
    """What somebody gets on the way out; "" for nothing."""

    kind: str
    code: str = ""
    url: str = ""


def of(exits: Mapping[str, Any], kind: str) -> Exit:
    """The way out of that kind. An address that is none of the web is left out."""
    told = exits.get(kind, {})
    address = told.get("url", "")
    return Exit(
        kind, told.get("code", ""), address if address.startswith(("http://", "https://")) else ""
    )


def check(value: Any) -> dict[str, dict[str, str]]:
    """The ways out, tidied: without what is empty. Raises Refused."""
    if not isinstance(value, Mapping) or set(value) - set(KINDS):
        raise Refused([_("There is no such way out.")])
    found: dict[str, dict[str, str]] = {}
    faults = []
    for kind in KINDS:
        told = value.get(kind) or {}
        if not isinstance(told, Mapping) or set(told) - {"code", "url"}:
            raise Refused([_("A way out has a code and an address.")])
        names = {"who": KINDS[kind]}
        checks = {
            "code": text(_("The code for {who}").format(**names), 40),
            "url": url(_("The address for {who}").format(**names)),
        }
        for part, checked in checks.items():
            try:
                if kept := checked(told.get(part) or ""):
                    found.setdefault(kind, {})[part] = kept
            except Refused as refused:
                faults += refused.sentences
    if faults:
        raise Refused(faults)
    return found
