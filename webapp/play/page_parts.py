"""What a table's page shows: plain data between the selectors and the templates.

One dataclass per partial. `webapp.play.page_builder` fills them from a View; `templates/play/`
draws them, on first render and on every push alike, so the two can't drift apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Seat:
    """One player as this viewer may see it (`#seat-N`)."""

    number: int  # 1..n, in seat order
    name: str
    portrait: str  # static path of the SVG
    is_me: bool = False
    out: bool = False
    role: str = ""  # translated role name, where this viewer knows it
    role_key: str = ""  # "werewolf", "seer" ...: for an icon
    kind: str = ""  # "person" | "computer" | "" where the table is blind
    speaking: bool = False  # the table is waiting for this seat's statement
    typing: bool = False
    answered: bool = False  # has answered the open public window (a vote is in)
    away: bool = False  # a person without an open page
    handed: bool = False  # a computer player answers for this person
    left: bool = False  # the person has left for good: a computer player answers
    note: str = ""  # my private note: a role key, "" for none
    erased: bool = False  # the person took back all they had said; False at a blind table
    face: int = 0  # a computer player's favor toward me, level 1..5; 0: not shown
    favor: int = 0  # the same in points, 1..100; 0: not shown
    card: bool = False  # there is a card on this computer player
    badges: tuple[tuple[str, str], ...] = ()  # it holds: (key, name of who holds it)


@dataclass(frozen=True)
class TranscriptLine:
    """One line of the transcript (`#e<position>`); position is the place in this viewer's stream.

    kind: `phase` (a phase opens: `title`, `text`), `moderator` (announcement), `private` (only this
    viewer sees it: role, companions, what the Seer learned), `statement`, `vote` (`speaker` votes
    for `target`), `out` (`speaker` is out, `role`), `over` (the result), `told` (what was
    hidden from the table; in the replay, for the all-knowing).
    """

    position: int
    kind: str
    text: str = ""
    title: str = ""
    speaker: Seat | None = None
    target: Seat | None = None
    role: str = ""
    role_key: str = ""
    silent: bool = False  # a statement without words: "said nothing"
    label: str = ""  # translated: "time ran out" ...; "" at a blind table
    night: bool = False
    marked: str = ""  # the text as HTML, names marked, where they are
    hears: str = ""  # who hears words that not everybody hears
    icon: str = ""
    chapter: bool = False  # in the replay one can go to it
    tally: str = ""  # of a ballot, under its last vote: who got how many
    removed: str = ""  # why its words are gone, in a sentence; "" while they are there


@dataclass(frozen=True)
class Phase:
    """Where the game is (`#phase`). `key`: "night" | "talk" | "vote" | "over"."""

    key: str
    title: str  # "Night", "Day 1, round 2 of 3", "The vote"
    night: bool
    steps: list[tuple[str, str]] = field(default_factory=list)  # (label, "done" | "now" | "ahead")
    icon: str = "day"


@dataclass(frozen=True)
class Awaited:
    """What the table waits for, in one sentence (`#awaited`, announced politely), and how many
    answers are in (`#count`, which is not announced)."""

    text: str
    mine: bool = False  # it is waiting for this viewer
    answered: int = 0
    asked: int = 0  # 0: no count to show
    deadline: str = ""  # ISO-8601 UTC, "" for none: the page counts down to it
    default: str = ""  # what happens at the deadline
    handed: bool = False  # a computer player answers for this viewer, who can take the seat back
    absent: bool = False  # the one who is awaited is away
    take_over: bool = False  # the host is away for long, and this viewer may host instead
    gone: str = ""  # to who is out and asked nothing more: what they see now; "" for the others


@dataclass(frozen=True)
class Tempo:
    """How quickly the computer players speak (`#tempo`). Acts are `do=` values, "" for none."""

    slower: str
    faster: str
    next: str  # brings what only waits for the pace


@dataclass(frozen=True)
class Me:
    """My role and everything I privately know (`#me`); absent for a watcher."""

    seat: Seat
    role: str
    role_key: str
    team: str
    does: str  # what the role can do or knows
    goal: str
    knows: list[str]


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    seat: Seat | None = None  # whom it is, or stands for
    chosen: bool = False
    name: str = ""  # of that seat, where the label is a word of its own


@dataclass(frozen=True)
class TurnPanel:
    """The part of the composer that changes (`#turn`).

    The textarea itself (`#composer`) is never replaced by a push, so that a draft and the
    focus stay. `window` is "" while others speak: then one may draft, not send.
    """

    window: str
    max_words: int
    may_skip: bool = False
    may_over: bool = False
    hint: str = ""
    to: list[Option] = field(default_factory=list)  # whom one may address


@dataclass(frozen=True)
class RatingRow:
    """A player to be rated. role: the key last given, "" for none; confidence: 0 for none."""

    seat: Seat
    role: str
    confidence: int


@dataclass(frozen=True)
class Choice:
    """A form with `count` picks among `options`, or with ratings (`#choice`)."""

    window: str
    kind: str  # of the window; "guess" for a guess that is no question of the game's
    title: str
    help: str
    options: list[Option]
    count: int = 1  # 1: radio buttons; more: checkboxes, exactly `count`
    may_abstain: bool = False
    ballot: bool = False
    rows: list[RatingRow] = field(default_factory=list)  # where players are rated
    roles: list[tuple[str, str]] = field(default_factory=list)  # (key, name) for a rating
    confidences: list[int] = field(default_factory=list)
    why: int = 0  # in how many words one may say why; 0: nobody asks
    why_text: str = ""  # what one has said already
    answered: bool = False  # my answer is in; it can be changed until the window closes
    submit: str = ""
    rated: bool = False  # some of the rows have been filled before
    told: list[str] = field(default_factory=list)  # what others answered who were asked before


@dataclass(frozen=True)
class NoteRow:
    seat: Seat
    value: str  # role key
    text: str


@dataclass(frozen=True)
class EndRow:
    """One seat at the end: its role, what it knew, whom it voted for, who voted for it."""

    seat: Seat
    role: str
    role_key: str
    team: str
    won: bool
    knew: list[str]
    voted_for: Seat | None
    voters: list[Seat]
    vote_label: str = ""  # "time ran out: drawn by lot"; "" at a blind table


@dataclass(frozen=True)
class Ballot:
    """One seat in the last vote, and who voted for it: (place in the order of telling, voter)."""

    seat: Seat
    voters: list[tuple[int, Seat]]


@dataclass(frozen=True)
class Telling:
    """The last vote as it is told step by step where a game has just ended (`ending.js`)."""

    ballots: list[Ballot]  # in seat order
    tally: str  # "Delta has 5 votes, Beta 3."
    tie: str  # how a tie was decided, "" where there was none
    out: str  # who is out
    was: str  # what they were, "" where nobody learns it
    gone: list[int]  # the seats that are out


@dataclass(frozen=True)
class CourseVotes:
    """Who voted for `seat` in one ballot; none: for nobody."""

    seat: Seat | None
    voters: list[Seat]


@dataclass(frozen=True)
class CourseRow:
    """Something that decided the game, or a ballot with its name and votes."""

    text: str
    votes: list[CourseVotes]
    secret: bool = False  # the table did not see it


@dataclass(frozen=True)
class CourseDay:
    """What happened in one day and the night before it."""

    title: str
    rows: list[CourseRow]


@dataclass(frozen=True)
class End:
    """The end of a game (`#end`). `result`: "won" | "lost" | "" for a watcher."""

    ruleset: str
    headline: str
    why: str
    result: str
    said: str  # "You won.", for a live region; "" for a watcher
    telling: Telling | None
    winner_key: str  # team key
    rows: list[EndRow]
    chart: str  # inline SVG of the votes: who voted for whom; "" where `course` tells them
    can_repeat: bool
    can_erase: bool = False  # the viewer sat here, and may take back what they said
    course: list[CourseDay] = field(default_factory=list)  # of a game that was more than one vote


@dataclass(frozen=True)
class ReportableWords:
    """What a person said, in a list beside the log; at a blind table what anybody said."""

    position: int  # of its entry
    name: str
    text: str
    act: str  # what can be done to it, as a `do=` value
    done: bool = False  # the viewer has done it


@dataclass(frozen=True)
class SaidList:
    """Such words, the newest first. more: there are older ones, listed beside older lines."""

    listed: list[ReportableWords] = field(default_factory=list)
    more: bool = False


@dataclass(frozen=True)
class Reported:
    """Words that were reported to the host."""

    speaker: Seat
    text: str
    count: int  # how many players reported them
    remove: str  # the act that takes them out


@dataclass(frozen=True)
class Chair:
    """A person's seat as the host of an open table can deal with it."""

    seat: Seat
    state: str  # "here" | "away" | "handed" (a computer player answers) | "left"
    hand_over: str = ""  # acts, "" where they make no sense
    give_back: str = ""
    remove: str = ""
    make_host: str = ""


@dataclass(frozen=True)
class Hosting:
    """What the host can do now (`#host`); absent for everyone else. Acts are `do=` values."""

    paused: bool
    running: bool  # neither over nor called off
    more_time: bool  # somebody's time is running
    chairs: list[Chair]  # the other people's; empty at a blind table
    blind: bool  # hand over and give back without knowing whom
    reported: list[Reported]
    can_reveal: bool
    research: bool  # the game may be studied, which the host can end
    words: SaidList  # that can be taken out


@dataclass(frozen=True)
class Feeling:
    """A move of a favor, told to the one it moved toward."""

    round: int  # before which it moved
    favor: int  # 1..100, after
    change: int
    why: str  # "" where nobody knows


@dataclass(frozen=True)
class Toward:
    """What a computer player feels toward one of the others."""

    seat: Seat
    level: int  # 1..5
    favor: int  # 1..100


@dataclass(frozen=True)
class Bar:
    """One factor of a persona."""

    name: str
    score: int  # 1..7


@dataclass(frozen=True)
class Mate:
    """A computer player's card (`#company`), as far as the table shows it."""

    seat: Seat
    level: int  # of its favor toward the viewer, 1..5; 0: not shown
    favor: int
    history: list[Feeling]
    toward: list[Toward]  # empty where the table shows only what concerns the viewer
    bars: list[Bar]  # empty where the table hides personas
    adjectives: str
    character: str  # the name of a written character, "" for none
    who: str  # who that is, in a sentence


@dataclass(frozen=True)
class ChatWords:
    """A line of the chat. take_out: a `do=` value, "" where it is not the viewer's to take out."""

    pk: int
    name: str
    text: str
    mine: bool
    take_out: str


@dataclass(frozen=True)
class Chat:
    """What people write to each other before and after a game (`#chat`)."""

    game: str
    may_write: bool
    lines: list[ChatWords]

    @property
    def removable(self) -> list[ChatWords]:
        """The lines that the viewer can take out, the newest first."""
        return [line for line in reversed(self.lines) if line.take_out]


@dataclass(frozen=True)
class TalkGroup:
    title: str
    lines: list[TranscriptLine]


@dataclass(frozen=True)
class SortedTalk:
    """The others' statements by whom the viewer believes (`#sorted`). more: there are older ones,
    which only the transcript has."""

    groups: list[TalkGroup]
    more: bool


@dataclass(frozen=True)
class Words:
    """What was said between a guest and whoever runs the table. mine: by the guest."""

    text: str
    at: datetime
    mine: bool = False


@dataclass(frozen=True)
class Page:
    game: str  # public id, in addresses
    ruleset: str
    ruleset_title: str
    cursor: int  # how many of this viewer's events are on the page
    phase: Phase
    seats: list[Seat]
    entries: list[TranscriptLine]
    awaited: Awaited
    me: Me | None
    turn: TurnPanel | None
    choice: Choice | None
    notes: list[NoteRow]
    note_roles: list[tuple[str, str]]  # (role key, name) that a note can hold
    end: End | None
    draft: str = ""
    pace: str = ""
    seed: str = ""  # only where it may be shown
    host: Hosting | None = None
    amended: list[TranscriptLine] = field(
        default_factory=list
    )  # earlier entries that look different now
    seat_key: str = ""  # of the viewer's private link
    status: str = ""  # "running" | "paused" | "over" | "called_off"
    company: list[Mate] = field(default_factory=list)
    next_game: str = ""  # the table this one went on to, where the viewer has a place there
    research: bool = False  # the game may be studied; everybody is told
    tempo: Tempo | None = None  # where the viewer is alone with computer players
    chat: Chat | None = None
    reportable: SaidList = field(default_factory=SaidList)  # the others' words, for a host
    sorted_talk: SortedTalk | None = None  # where the viewer has rated the others
    earlier: int = 0  # the position before which there are lines that the page does not begin with
    onward: str = ""  # where the table is run from and its people go on to; "" for here
    told: list[Words] = field(default_factory=list)  # by whoever runs the table, and to them


@dataclass(frozen=True)
class Earlier:
    """Older lines: what came before a position of the viewer's stream."""

    game: str
    ruleset_title: str
    entries: list[TranscriptLine]
    earlier: int  # as the page's
    words: SaidList  # among them, that the viewer can take out as the host
    reportable: SaidList  # or report
    onward: str = ""  # as the page's
