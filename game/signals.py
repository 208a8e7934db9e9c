"""Django signals that the game sends."""

from django.dispatch import Signal

# Sent after commit with `game` (its id) and `opened` (keys of new windows that ask agents).
game_changed = Signal()
