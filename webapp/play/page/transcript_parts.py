"""The seats at the table, the game's phase, the transcript's lines, and lists of statements."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Seat:
    """A seat and its player, as one viewer may see them (`#seat-N`)."""

    number: int  # 1..n, in seat order
    name: str
    portrait: str  # static path of the SVG
    is_me: bool = False
    is_out: bool = False
    role: str = ""  # translated role name, if this viewer knows it
    role_key: str = ""  # "werewolf", "seer" ...: for an icon
    kind: str = ""  # "person" | "computer" | "" if the table is blind
    is_speaking: bool = False  # the table is waiting for this seat's statement
    is_typing: bool = False
    has_answered: bool = False  # has answered the open public window (a vote is in)
    is_away: bool = False  # a person without an open page
    has_stand_in: bool = False  # a computer player answers for this person
    has_left: bool = False  # the person has left for good: a computer player answers
    note: str = ""  # the viewer's private note: a role key, "" for none
    is_erased: bool = False  # the person withdrew all statements; False at a blind table
    face: int = 0  # a computer player's favor toward the viewer, level 1..5; 0: not shown
    favor: int = 0  # the same in points, 1..100; 0: not shown
    has_card: bool = False  # the page has a card of this computer player
    badges: tuple[tuple[str, str], ...] = ()  # (key, title of the holder)
    is_done: bool = False  # gets no more turns in the talk under way


@dataclass(frozen=True)
class Phase:
    """The game's present phase (`#phase`)."""

    key: str  # as the ruleset names it: "night", "talk", "vote" …; "over" at the end
    title: str  # "Night", "Day 1, round 2 of 3", "The vote"
    is_night: bool
    steps: list[tuple[str, str]] = field(default_factory=list)  # (label, "done" | "now" | "ahead")
    icon: str = "day"


@dataclass(frozen=True)
class TranscriptLine:
    """One line of the transcript (`#e<position>`).

    Attributes:
        position: The event's position in this viewer's stream, from 1.
        kind: One of these.
            `phase`: a phase opens (`title`, `text`).
            `moderator`: an announcement.
            `private`: only this viewer sees it: their role, companions, what the Seer learned.
            `statement`: `speaker` says `text`.
            `vote`: `speaker` votes for `target`.
            `out`: `speaker` is out (`role`).
            `over`: the result of the game.
            `passed`: all silent players of one pass of talk, at the position of the last.
            `whispers`: the heading above statements that only some players hear.
            `told`: an event hidden from the table, in the all-knowing view of the replay.
    """

    position: int
    kind: str
    text: str = ""
    title: str = ""
    speaker: Seat | None = None
    target: Seat | None = None
    addressed: str = ""  # names of the addressees of a statement, "" for everyone
    role: str = ""
    role_key: str = ""
    is_silent: bool = False  # a statement without text: "said nothing"
    label: str = ""  # translated: "time ran out" ...; "" at a blind table
    is_night: bool = False
    marked: str = ""  # for a vote, its text as HTML with the names marked, else ""
    hears: str = ""  # who hears a private statement, as a sentence
    hearers: tuple[Seat, ...] = ()  # who hears the statements below a heading (`whispers`)
    icon: str = ""
    is_chapter: bool = False  # the replay can jump to it
    tally: str = ""  # under the last vote of a ballot: its counts
    removed: str = ""  # why the text was removed, as a sentence; "" if it was not


@dataclass(frozen=True)
class TalkGroup:
    """Statements under one heading of the sorted talk."""

    title: str
    lines: list[TranscriptLine]


@dataclass(frozen=True)
class SortedTalk:
    """The others' statements, grouped by whether the viewer believes them (`#sorted`)."""

    groups: list[TalkGroup]
    has_more: bool  # there are older ones, which only the transcript has


@dataclass(frozen=True)
class ListedStatement:
    """A statement in a list, with the action by which the viewer removes or reports it."""

    position: int  # position of the statement's event in the view
    name: str
    text: str
    action: str  # a `do=` value
    is_reported: bool  # the viewer has reported it


@dataclass(frozen=True)
class StatementList:
    """The statements that a viewer can remove or report, the newest first."""

    listed: tuple[ListedStatement, ...] = ()
    has_more: bool = False  # there are older ones, beside the older lines
