"""Signals that play sends. Other apps, such as studies, connect to them."""

from django.dispatch import Signal

# A player has withdrawn the chosen name. Sent with `game` (its id) and `rename` (text -> text), in
# the same transaction. A receiver applies `rename` to every text that it stored.
name_erased = Signal()
# A player has reported a statement. Sent with `report`, in the same transaction, before any row of
# the game is locked.
text_reported = Signal()
# Text that was removed from a game is now also redacted in the requests and notes of its agents.
# Sent with `game` (its id).
text_redacted = Signal()
# No one could have a page open for some time. Sent with that time as `lost` (a timedelta).
time_without_pages = Signal()
