"""Options of each kind of rehearsal, and the assumptions about the people in it."""

from dataclasses import dataclass
from typing import Any

from webapp.study.rehearsal.opinions import SPREAD

# Of the people who leave, this share closes the page. The others press “leave”.
CLOSED_PAGE_SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """Assumptions of every rehearsal about the people."""

    # how much higher the favored condition is rated, in steps of a scale from 1 to 5
    effect: float = 0.0
    noise: float = 0.8  # standard deviation of one answer, in the same steps
    dropout: float = 0.0  # share of the people who leave
    careless: float = 0.0  # share of the people who answer carelessly
    seed: str = "1"

    def describe(self, *names: str) -> dict[str, Any]:
        """Return the assumptions, with the options `names`, for the results of a rehearsal."""
        stated = ("effect", "noise", "careless", "dropout", "seed", *names)
        # Without "rest", which `noise` replaces.
        spread = {part: sd for part, sd in SPREAD.items() if part != "rest"}
        return {**{name: getattr(self, name) for name in stated}, "spread": spread}


@dataclass(frozen=True, kw_only=True)
class RehearsedTestOptions(Assumptions):
    """Options of a rehearsal of tests. The favored condition of `effect` is the test's second."""

    effect: float = 0.6
    runs: int = 100
    item: str = ""  # "" for the items of the planned tests
    between: tuple[str, ...] = ()  # the conditions, () for the planned ones or the first two
    alpha: float = 0.05


@dataclass(frozen=True, kw_only=True)
class CampaignRunOptions(RehearsedTestOptions):
    """Options of a campaign's rehearsal. `pay` is due to each rater who finishes."""

    raters: int
    runs: int = 20
    pay: float | None = None


@dataclass(frozen=True, kw_only=True)
class StudyRunOptions(Assumptions):
    """Options of a study's rehearsal. The favored condition of `effect` is the last one."""

    participants: int
    idle: float = 0.0  # share of the participants who stop on some page and leave it open
    speed: float = 1.0  # divisor of reading, typing and waiting times
    patience: int = 300  # seconds beyond the expected time after which a person counts as stuck
    site: str = ""  # address of a running site with this database, without a trailing slash, or ""
    owner: str = "rehearsal"  # user name of the study's owner on that site


@dataclass(frozen=True, kw_only=True)
class PowerOptions(RehearsedTestOptions):
    """Options of a rehearsal of a study's tests. Opinions on shares have a latent normal scale."""

    share: float = 0.5  # share of guesses or votes that are right without an effect
