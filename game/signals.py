"""What the game tells the rest of the house."""

from django.dispatch import Signal

# Sent after commit with `game` (its id) and `opened` (keys of new windows that ask agents).
game_changed = Signal()
