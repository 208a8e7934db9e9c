"""What the host can do, and the words that can be taken out or reported."""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.play.page.transcript_parts import Seat


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
