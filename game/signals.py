"""Django signals that the game sends."""

from django.dispatch import Signal

# Sent after the commit of a change, with `game` (its id), `opened` (keys of windows that newly wait
# for agents) and `ended` (whether the game is over or called off).
game_changed = Signal()
