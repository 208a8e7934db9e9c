"""The seats at the table, the game's phase, and the lines of the transcript."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Seat:
    """One player as this viewer may see it (`#seat-N`)."""

    number: int  # 1..n, in seat order
    name: str
    portrait: str  # static path of the SVG
    is_me: bool = False
    out: bool = False
    role: str = ""  # translated role name, if this viewer knows it
    role_key: str = ""  # "werewolf", "seer" ...: for an icon
    kind: str = ""  # "person" | "computer" | "" if the table is blind
    speaking: bool = False  # the table is waiting for this seat's statement
    typing: bool = False
    answered: bool = False  # has answered the open public window (a vote is in)
    away: bool = False  # a person without an open page
    handed: bool = False  # a computer player answers for this person
    left: bool = False  # the person has left for good: a computer player answers
    note: str = ""  # my private note: a role key, "" for none
    erased: bool = False  # the person withdrew all statements; False at a blind table
    face: int = 0  # a computer player's favor toward me, level 1..5; 0: not shown
    favor: int = 0  # the same in points, 1..100; 0: not shown
    card: bool = False  # there is a card on this computer player
    badges: tuple[tuple[str, str], ...] = ()  # it holds: (key, name of who holds it)
    is_done: bool = False  # is asked no more in the talk under way


@dataclass(frozen=True)
class Phase:
    """The game's present phase (`#phase`). `key`: "night" | "talk" | "vote" | "over"."""

    key: str
    title: str  # "Night", "Day 1, round 2 of 3", "The vote"
    night: bool
    steps: list[tuple[str, str]] = field(default_factory=list)  # (label, "done" | "now" | "ahead")
    icon: str = "day"


@dataclass(frozen=True)
class TranscriptLine:
    """One line of the transcript (`#e<position>`).

    position: in this viewer's stream.

    kind: `phase` (a phase opens: `title`, `text`), `moderator` (announcement), `private` (only this
    viewer sees it: role, companions, what the Seer learned), `statement`, `vote` (`speaker` votes
    for `target`), `out` (`speaker` is out, `role`), `over` (the result), `passed` (all who said
    nothing in one pass of talk, at the place of the last of them), `whispers` (the head above the
    words that not everybody hears), `told` (what was hidden from the table, shown to the
    all-knowing in the replay).
    """

    position: int
    kind: str
    text: str = ""
    title: str = ""
    speaker: Seat | None = None
    target: Seat | None = None
    addressed: str = ""  # names of those to whom a statement is said, "" for everybody
    role: str = ""
    role_key: str = ""
    silent: bool = False  # a statement without words: "said nothing"
    label: str = ""  # translated: "time ran out" ...; "" at a blind table
    night: bool = False
    marked: str = ""  # the text as HTML, names marked, where they are
    hears: str = ""  # who hears words that not everybody hears
    hearers: tuple[Seat, ...] = ()  # of `whispers`: everybody who hears them
    icon: str = ""
    chapter: bool = False  # the replay can jump to it
    tally: str = ""  # under the last vote of a ballot: its counts
    removed: str = ""  # a sentence why its text was removed; "" while it is there


@dataclass(frozen=True)
class TalkGroup:
    title: str
    lines: list[TranscriptLine]


@dataclass(frozen=True)
class SortedTalk:
    """The others' statements, grouped by whether the viewer believes them (`#sorted`).

    more: there are older ones, which only the transcript has.
    """

    groups: list[TalkGroup]
    more: bool
