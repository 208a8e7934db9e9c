"""The site's password hasher with few iterations.

Many tests create a researcher, and the hasher's thread has low priority.
"""

from __future__ import annotations

from webapp.password_hashing import LowPriorityHasher


class QuickHasher(LowPriorityHasher):
    iterations = 1000
