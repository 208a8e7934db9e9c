"""Django signals that the game sends."""

from django.dispatch import Signal

# Sent after commit with `game` (its id), `opened` (keys of new windows for agents) and `ended`
# (whether the game is over or called off).
game_changed = Signal()
