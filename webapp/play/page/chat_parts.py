"""What people write beside the game: to each other, and to whoever runs the table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


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
class Words:
    """What was said between a guest and whoever runs the table. mine: by the guest."""

    text: str
    at: datetime
    mine: bool = False
