"""Whether a game needs attention by itself now."""

from django.utils import timezone

from game.models import Game


def is_due(game: Game) -> bool:
    """A deadline has passed, or a pause for pace is over."""
    return game.due_at is not None and game.due_at <= timezone.now()
