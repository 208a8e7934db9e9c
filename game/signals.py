"""Django signals that the game sends."""

from django.dispatch import Signal

# Sent after the commit of a change. Arguments:
#   game: the game's id.
#   opened: the keys of windows that newly wait for agents.
#   ended: whether the game is over or called off.
game_changed = Signal()
