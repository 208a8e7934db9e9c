"""The site's hasher of passwords with few iterations.

The tests make a researcher each, and hashes are made by a thread that waits while anybody else
wants the processor.
"""

from __future__ import annotations

from webapp.password_hashing import LowPriorityHasher


class QuickHasher(LowPriorityHasher):
    iterations = 1000
