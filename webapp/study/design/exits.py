"""Exits of studies: text, code and pay of participants, and descriptions for researchers."""

from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from django.utils.translation import gettext_lazy as _
from pydantic import Field, StrictInt

from webapp.study.design.setting_fields import DesignPart, LongText, ShortText, setting
from webapp.study.toml_files import read_labels

ExitKind = Literal[
    "completed", "declined", "screened_out", "unsuitable", "quiz_early", "quiz_failed",
    "waited_out", "full", "timed_out", "abandoned", "left", "removed", "technical",
]  # fmt: skip


class Exit(DesignPart):
    """Text, completion code and pay that participants get at an exit."""

    text: LongText = setting(_("Message"), default="")
    code_kind: Literal["none", "same", "own"] = setting(_("Code"), default="none")
    code: ShortText = setting(_("Shared code"), default="")
    url: Annotated[str, Field(max_length=400)] = ""
    # Amount in the study's currency.
    pay: Annotated[Decimal, Field(ge=0, le=1000, decimal_places=2)] = Decimal(0)

    def completion_code(self, own_code: str = "") -> str:
        """Return the completion code. Visitors who did not begin have no `own_code`."""
        return {"same": self.code, "own": own_code, "none": ""}[self.code_kind]


BonusRule = Literal["won", "survived", "guessed_human"]
BONUS_LABELS: dict[BonusRule, Any] = {
    "won": _("winning a game"),
    "survived": _("surviving a game to its end"),
    "guessed_human": _("a correct guess of human or computer player"),
}


class Bonus(DesignPart):
    """Pay in addition to that of the exit."""

    # `won`: for each game that the participant's team won. `survived`: for each game that they
    # survived. `guessed_human`: for each player whom they correctly identified as a person or a
    # computer player.
    rule: BonusRule
    amount: Annotated[Decimal, Field(gt=0, le=1000, decimal_places=2)]  # amount for one case
    # Maximum of all cases of a participant together, 0 for no maximum.
    most: Annotated[Decimal, Field(ge=0, le=10_000, decimal_places=2)] = Decimal(0)


class Platform(DesignPart):
    """The service that recruits participants and pays them."""

    most_minutes: StrictInt = setting(
        _("Maximum time on the platform (minutes)"),
        _("Prolific’s maximum allowed time. Enter 0 for no limit."),
        default=0, ge=0, le=1440,
    )  # fmt: skip
    rewards: tuple[ExitKind, ...] = setting(
        _("The platform pays base pay"),
        _(
            "The platform pays it as its reward to the participants it recruited. Their base"
            " pay is in no payment file of yours. All other pay is paid as a bonus."
        ),
        default=("completed",),
    )


EXIT_LABELS = read_labels(__file__, "exits.toml")
# Kind -> the participants who take the exit.
EXITS: dict[ExitKind, Any] = {k: EXIT_LABELS[k]["people"] for k in get_args(ExitKind)}
# Kind -> the outcome of a participant who took the exit.
EXIT_DESCRIPTIONS: dict[str, Any] = {k: labels["outcome"] for k, labels in EXIT_LABELS.items()}
# Exits of a study that only rates.
RATER_EXITS: tuple[ExitKind, ...] = (
    "completed", "screened_out", "quiz_failed", "full", "declined", "left", "timed_out",
    "abandoned",
)  # fmt: skip
