"""What a researcher settles of a study, as data: `Study.design` is `Design.data()`.

A design is a plain file as well (TOML), so that the same study can be made elsewhere. Reading one
raises `Refused` with a sentence for every fault; `studies.problems` says what else stands in the
way of opening.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from webapp.study.design.value_checks import Key, Part

Text = Annotated[str, Field(max_length=20_000)]
Line = Annotated[str, Field(max_length=200)]
Minutes = Annotated[int, Field(ge=0, le=240)]
Days = Annotated[int, Field(ge=0, le=10_000)]


class TableDesign(Part):
    """One table's whole configuration, as `play.tables` and the ruleset take it.

    people: how many seats are people's; people_seats: which, none where they are drawn so that
    seats come equally often; people_roles: the roles dealt to people, in the order of their seats,
    none where they are drawn so that no role tells who is a person. switches: those of methods that
    differ from the usual; they hold where the method has them. casting: what is otherwise in a seat
    (seat -> as casting.CastForm made it). claims: the table shows the sheet of claims.
    """

    LATER = ("switches", "claims")

    ruleset: str = "one-night"
    settings: dict[str, bool | int | str] = {}
    people: Annotated[int, Field(ge=1, le=13)] = 1
    people_seats: tuple[int, ...] = ()
    people_roles: tuple[str, ...] = ()
    backend: str = "house"
    method: str = "full"
    plain: bool = False
    switches: dict[str, str] = {}
    casting: dict[str, dict[str, Any]] = {}
    blind: bool = True
    faces: Literal["me", "all", "hidden"] = "hidden"
    personas: bool = False
    claims: bool = False
    pace: str = "natural"
    limits: dict[str, Annotated[int, Field(ge=5, le=3600)]] = {}


class Level(Part):
    """A level of a factor: the fields of the base table that it sets (dicts are merged)."""

    name: Key
    table: dict[str, Any] = {}


class Factor(Part):
    name: Key
    levels: Annotated[tuple[Level, ...], Field(min_length=1, max_length=12)]


class Assignment(Part):
    """Games over conditions, people over games.

    games: valid games wanted of each condition. games_each: how many one participant plays.
    deals: `shared`: repetition i of every condition has the same deal; `fresh`: each its own.
    """

    games: Annotated[int, Field(ge=1, le=1000)] = 10
    games_each: Annotated[int, Field(ge=1, le=10)] = 1
    deals: Literal["shared", "fresh"] = "shared"
    distinct_conditions: bool = True  # nobody plays a condition twice
    meet_once: bool = False  # no two people are in one game twice


class WaitingRoom(Part):
    """Seconds.

    least: everybody waits so long, that waiting tells nothing (blind studies). short_counts:
    whether a game with computer players in open seats is a valid one.
    """

    least: Annotated[int, Field(ge=0, le=600)] = 0
    ready: Annotated[int, Field(ge=5, le=120)] = 20
    leave_paid_after: Annotated[int, Field(ge=0, le=3600)] = 300
    most: Annotated[int, Field(ge=30, le=3600)] = 600
    at_most: Literal["begin", "end"] = "end"  # begin with computer players, or pay and end
    short_counts: bool = False


class Dropout(Part):
    """Who stays away from a game.

    grace: seconds until the policy acts. counts: whether a game in which it acted is a valid one.
    """

    policy: Literal["wait", "stand_in", "end"] = "stand_in"
    grace: Annotated[int, Field(ge=10, le=900)] = 60
    counts: bool = False


class During(Part):
    """The questions that people are asked while they play, beside the game's own."""

    confidence: bool = False  # role and confidence of every living player before each action
    polls: bool = False  # straw polls, as the computer players answer them
    why: bool = False  # a line of reason with a vote
    reliability: bool = False  # before and after the Sheriff's speech, statements sorted by it


class Quiz(Part):
    """Yes/no questions on the rules, drawn from the ruleset's own.

    then: what follows the last wrong try.
    """

    questions: Annotated[int, Field(ge=0, le=10)] = 5
    tries: Annotated[int, Field(ge=1, le=5)] = 2
    then: Literal["out", "go_on"] = "out"


class Stage(Part):
    """A stage of the way.

    title, text: shown above it (text is Markdown); minutes: 0 for no limit. each_game: it comes
    after every game, not once.
    """

    title: Line = ""
    text: Text = ""
    minutes: Minutes = 0
    each_game: bool = False


class Consent(Stage):
    """experience: whether the page asks how well one knows the game, from 0 (not at all) to 4.

    least_experience: below it one is screened out; 0 for nobody.
    """

    LATER = ("experience", "least_experience")

    kind: Literal["consent"] = "consent"
    experience: bool = False
    least_experience: Annotated[int, Field(ge=0, le=4)] = 0


class Background(Stage):
    """least_experience: how well one must know the game to go on, a place among the options of
    `background`'s item `experience`; 0 for anybody.
    """

    kind: Literal["background"] = "background"
    least_experience: Annotated[int, Field(ge=0, le=4)] = 0
    instruments: tuple[Key | dict[str, Any], ...] = ("background",)


class Rules(Stage):
    kind: Literal["rules"] = "rules"
    quiz: Quiz = Quiz()


class Practice(Stage):
    kind: Literal["practice"] = "practice"
    minutes: Minutes = 2


class Game(Stage):
    """The waiting room and the game, as often as `Assignment.games_each` says."""

    kind: Literal["game"] = "game"


class Questionnaire(Stage):
    """Instruments by key, or whole. what `who-is-human` asks is asked of every other seat."""

    kind: Literal["questionnaire"] = "questionnaire"
    instruments: tuple[Key | dict[str, Any], ...] = ()


class Ratings(Stage):
    """Items of a campaign, never on one's own games.

    campaign: its code; "" for one that the study makes with `instrument`, on its own games. then:
    what follows when the time is over: the next stage, or the exit `timed_out`. settings: of the
    campaign (`campaigns.OF_STAGE`), in a file or a copy; the study that is made of it has a
    campaign with them.
    """

    LATER = ("then", "settings")

    kind: Literal["ratings"] = "ratings"
    minutes: Annotated[int, Field(ge=0, le=7 * 24 * 60)] = 0
    then: Literal["go_on", "out"] = "go_on"
    settings: dict[str, Any] = {}
    campaign: str = ""
    instrument: Key = "guarded"
    items: Annotated[int, Field(ge=1, le=1000)] = 10


class Interview(Stage):
    kind: Literal["interview"] = "interview"
    instruments: tuple[Key | dict[str, Any], ...] = ("interview",)


class Debriefing(Stage):
    """reveal: who was a person and what everybody was."""

    kind: Literal["debriefing"] = "debriefing"
    reveal: bool = False


AnyStage = Annotated[
    Consent | Background | Rules | Practice | Game | Questionnaire | Ratings | Interview
    | Debriefing,
    Field(discriminator="kind"),
]  # fmt: skip

ExitKind = Literal[
    "completed", "declined", "screened_out", "unsuitable", "quiz_early", "quiz_failed",
    "waited_out", "full", "timed_out", "left", "removed", "technical",
]  # fmt: skip


class Exit(Part):
    """What somebody gets on the way out.

    code_kind: `same` for all, `own`: drawn for each, or none. pay: in the study's currency.
    """

    text: Text = ""
    code_kind: Literal["none", "same", "own"] = "none"
    code: Line = ""
    url: Annotated[str, Field(max_length=400)] = ""
    pay: Annotated[Decimal, Field(ge=0, le=1000, decimal_places=2)] = Decimal(0)


BonusRule = Literal["won", "survived", "guessed_human"]


class Bonus(Part):
    """Pay beside that of the way out.

    won: for each game whose team the participant was of won; survived: for each at whose end they
    were in it still; guessed_human: for each other player whom they rightly said to be a person or
    a computer player. amount: for one; most: for all of a participant's together, 0 for as many as
    there can be.
    """

    rule: BonusRule
    amount: Annotated[Decimal, Field(gt=0, le=1000, decimal_places=2)]
    most: Annotated[Decimal, Field(ge=0, le=10_000, decimal_places=2)] = Decimal(0)


class Platform(Part):
    """The service that sends people and pays them.

    most_minutes: the longest it lets somebody take, 0 for no such limit; rewards: the ways out
    whose pay is its own reward for the people that it sent. Pay for all others, and for who came
    otherwise, is the researcher's to pay.
    """

    most_minutes: Annotated[int, Field(ge=0, le=1440)] = 0
    rewards: tuple[ExitKind, ...] = ("completed",)


class Ethics(Part):
    """A board's questions about a study.

    Days count from its closing; 0: not settled. Days count from when it is closed; 0: not settled.

    retention_days: until all that is personal is deleted; identity_days: until outside names and
    payments are. withdraw_days: so long after their own end people can take back what they gave; 0
    for as long as it is kept. terms: of the model providers. publish_words: a tick for it is
    offered. consent_again: it is asked once more after the debriefing.
    """

    controller: Line = ""
    contact: Line = ""
    board: Line = ""
    legal_basis: Annotated[str, Field(max_length=1000)] = ""
    least_age: Annotated[int, Field(ge=0, le=99)] = 0
    retention_days: Days = 0
    identity_days: Days = 0
    withdraw_days: Days = 0
    terms: Text = ""
    publish_words: bool = False
    consent_again: bool = False


class Design(Part):
    """All that a study is. version: of this form."""

    version: Literal[1] = 1
    table: TableDesign = TableDesign()
    factors: Annotated[tuple[Factor, ...], Field(max_length=6)] = ()
    assignment: Assignment = Assignment()
    stages: Annotated[tuple[AnyStage, ...], Field(min_length=1, max_length=20)] = (
        Consent(),
        Rules(),
        Game(),
        Debriefing(),
    )
    waiting: WaitingRoom = WaitingRoom()
    dropout: Dropout = Dropout()
    during: During = During()
    exits: dict[ExitKind, Exit] = {}
    currency: Annotated[str, Field(max_length=8)] = ""
    bonuses: Annotated[tuple[Bonus, ...], Field(max_length=3)] = ()
    platform: Platform = Platform()
    reading_factor: Annotated[bool, Field()] = True  # extra time may be chosen before seating
    ethics: Ethics = Ethics()

    @property
    def blind(self) -> bool:
        """Whether nobody may learn who is a person, in any condition."""
        settings = [self.table.blind]
        for factor in self.factors:
            settings += [
                bool(level.table.get("blind", self.table.blind)) for level in factor.levels
            ]
        return any(settings)

    def format_money(self, amount: Decimal) -> str:
        """Return a sum as people read it, such as 4.50 GBP.

        Returns "" for nothing.
        """
        return f"{amount:.2f} {self.currency}".strip() if amount else ""
