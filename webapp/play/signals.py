"""Signals of play for the studies. Play does not know its receivers."""

from django.dispatch import Signal

# Sent in the same transaction with `game` (its id) and `rename` (text -> text): a player has
# withdrawn the chosen name; receivers replace it by the seat's wherever they stored it.
name_erased = Signal()

# Sent in the same transaction with `report`, before any row of the game is locked: a player has
# reported a statement.
words_reported = Signal()
# Sent with `game` (its id) after removed text was removed from the record of its minds too.
words_blanked = Signal()
# Sent with `lost` (a timedelta) after a time in which no one could have a page open.
time_without_pages = Signal()
