"""The chat of the people at a table, before the game and after it.

There is none during a game and at a blind table. The messages are not part of the game's record.
They are deleted after a month.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from game import game_actions
from game.engine.forms import Illegal
from game.engine.text_checks import count_words, readable_text, text_error, tidy
from game.models import Player
from webapp.housekeeping import delete_batch
from webapp.play.disclosure import Disclosure
from webapp.play.models import ChatLine, Membership
from webapp.play.visitors import Guest

MAX_WORDS_PER_LINE = 60
MAX_LINES_PER_TABLE = 300
SHOWN_LINES = 100  # only the newest lines are shown
CHAT_RETENTION = timedelta(days=30)


@dataclass(frozen=True)
class ChatMessage:
    pk: int
    name: str
    text: str
    is_mine: bool
    delete_action: str  # a `do=` value, "" if the viewer may not delete the line


@dataclass(frozen=True)
class Chat:
    """The messages of a table before and after its game (`#chat`)."""

    can_write: bool
    lines: list[ChatMessage]

    @property
    def removable(self) -> list[ChatMessage]:
        """The lines that the viewer may delete, the newest first."""
        return [line for line in reversed(self.lines) if line.delete_action]


def build_chat(guest: Guest, players: list[Player]) -> Chat | None:
    """Build the chat of a table that has one now, None for watchers, and after a game alone."""
    game = guest.game
    if not guest.is_member:
        return None
    seated = Membership.objects.filter(game=game).exclude(player=None)
    if game.started_at and seated.values("player").distinct().count() < 2:
        return None
    names = {p.pk: p.name for p in players}
    rows = list(ChatLine.objects.filter(game=game).order_by("-pk")[:SHOWN_LINES])
    own_pk = guest.player.pk if guest.player else 0
    deletable = {row.pk for row in rows if guest.is_host or row.player_id == own_pk}
    return Chat(
        can_write=guest.player is not None,
        lines=[
            ChatMessage(
                pk=row.pk,
                name=names.get(row.player_id, ""),
                text=readable_text(row.text),
                is_mine=row.player_id == own_pk,
                delete_action=f"chat_out:{row.pk}" if row.pk in deletable else "",
            )
            for row in reversed(rows)
        ],
    )


def write_line(player: Player, text: str) -> None:
    """Add a line to the chat (Illegal: `no_chat`, `chat_full`, or a code of `text_error`)."""
    game, text = player.game, tidy(text, max_breaks=0)
    if not Disclosure(game).can_chat:
        raise Illegal("no_chat")
    is_too_long = len(text) > ChatLine.MAX_CHARS
    if error_code := text_error(text, MAX_WORDS_PER_LINE) or ("too_long" if is_too_long else ""):
        raise Illegal(error_code, words=count_words(text), max_words=MAX_WORDS_PER_LINE)
    if ChatLine.objects.filter(game=game).count() >= MAX_LINES_PER_TABLE:
        raise Illegal("chat_full")
    ChatLine.objects.create(game=game, player=player, text=text)
    game_actions.refresh_pages(game.pk)


def delete_line(guest: Guest, pk: int) -> None:
    """Delete the guest's own line, or any line if the guest is the host."""
    rows = ChatLine.objects.filter(game=guest.game, pk=pk)
    if not guest.is_host:
        rows = rows.filter(player=guest.player)
    if not rows.delete()[0]:
        raise Illegal("no_words")
    game_actions.refresh_pages(guest.game.pk)


def delete_old_lines() -> int:
    """Delete some lines that are older than CHAT_RETENTION. Return how many."""
    return delete_batch(ChatLine.objects.filter(at__lt=timezone.now() - CHAT_RETENTION))
