"""What the site says in words: the rules' codes and keys as sentences people understand."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.engine import rulesets
from game.engine.roles import Line, role_of
from game.engine.windows import Illegal

REFUSALS = {
    "empty": gettext_lazy("Nothing is written yet. Say at least a word."),
    "too_many_words": gettext_lazy(
        "That is {words} words; at most {max_words} can be said at once. Shorten it a little."
    ),
    "too_long": gettext_lazy(
        "That is far too long to be said: at most {max_words} words. Shorten it."
    ),
    "control": gettext_lazy(
        "There are invisible control characters in your text. Type it afresh, or paste it as plain"
        " text."
    ),
    "bidi": gettext_lazy(
        "Your text holds characters that reverse the reading direction. Remove them, or type it"
        " afresh."
    ),
    "markup": gettext_lazy(
        "Your text holds HTML such as <b>. Write plain words; nothing here understands tags."
    ),
    "not_a_statement": gettext_lazy("Now is the time to speak, not to choose."),
    "not_a_choice": gettext_lazy("Choose one of the players shown."),
    "no_pass": gettext_lazy("At this table nobody passes: say something."),
    "no_abstaining": gettext_lazy("Everyone must vote here: choose a player."),
    "wrong_count": gettext_lazy("Choose exactly {count}, each a different player."),
    "not_an_option": gettext_lazy("That player can't be chosen here. Choose one of those shown."),
    "not_asked": gettext_lazy("It isn't your turn: the table is waiting for somebody else."),
    "no_such_window": gettext_lazy("Nobody asked that. Reload the page to see what is awaited."),
    "too_late": gettext_lazy("That came too late: the table has moved on."),
    "game_over": gettext_lazy("This game is over; nothing more can be said or chosen."),
    "answered": gettext_lazy("You have already answered this one."),
    "bad_post": gettext_lazy("The form arrived incomplete. Reload the page and send it again."),
    "too_fast": gettext_lazy("That was a great many posts at once. Wait a few seconds."),
}
# HTTP status of a refusal: 409 for the wrong moment, 422 for the wrong content.
_MOMENT = ("not_asked", "no_such_window", "too_late", "game_over", "answered")
_STATUS = {"bad_post": 400, "too_fast": 429, "too_long": 413}

LABELS = {
    "timeout": gettext_lazy("time ran out"),
    "late": gettext_lazy("answered late"),
    "fallback": gettext_lazy("stand-in answer"),
    "repaired": gettext_lazy("asked twice"),
    "shortened": gettext_lazy("shortened"),
    "template": gettext_lazy("stock phrase"),
}

REASONS = {
    "werewolf_out": gettext_lazy("The Werewolf was voted out."),
    "tanner_out": gettext_lazy("The Tanner wanted nothing else than to be voted out."),
    "werewolf_safe": gettext_lazy("The vote missed both the Werewolf and the Tanner."),
}


def refusal(illegal: Illegal) -> tuple[str, int]:
    """The sentence and the HTTP status of an answer the rules refuse."""
    text = str(REFUSALS.get(illegal.code, REFUSALS["bad_post"])).format(**illegal.params)
    return text, 409 if illegal.code in _MOMENT else _STATUS.get(illegal.code, 422)


def label(text: str) -> str:
    """A log label in the reader's words, "" for none."""
    return str(LABELS.get(text.split(":")[0], text)) if text else ""


def role_name(ruleset: str, key: str) -> str:
    """The translated name of a role, "" for none."""
    return _(role_of(rulesets.get(ruleset), key).name) if key else ""


def line(text: Line) -> str:
    """A rule's sentence, translated, with its figures."""
    return _(text.text).format(**text.params)


def names(seats: list[Any]) -> str:
    """ "Beta", "Beta and Zeta", "Beta, Zeta and Eta" """
    shown = [str(s) for s in seats]
    if len(shown) < 2:
        return "".join(shown)
    return _("{most} and {last}").format(most=", ".join(shown[:-1]), last=shown[-1])
