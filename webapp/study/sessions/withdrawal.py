"""What other parts of the program delete with a participant's data (`erasing`)."""

from __future__ import annotations

from collections.abc import Callable

from webapp.study.models import Participant

# In the same transaction, with the participant's row held: messages.
taking_back: list[Callable[[Participant], None]] = []
