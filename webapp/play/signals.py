"""Signals of play for the studies. Play does not know its receivers."""

from django.dispatch import Signal

# Sent in the same transaction with `game` (its id) and `rename` (text -> text): a player has taken
# the name back that they chose, the seat's stands in its place wherever it was written down.
name_erased = Signal()

# Sent in the same transaction with `report`, before any row of the game is held: a player has
# reported words.
words_reported = Signal()
# Sent with `game` (its id) when the record of its minds has lost the words that were taken out.
words_blanked = Signal()
