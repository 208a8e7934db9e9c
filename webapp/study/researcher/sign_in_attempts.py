"""How often somebody may try to sign in.

Attempts are counted by name and address, by name alone, by address alone and in total. While one
of these has to wait, no password is checked. An address from which the name has signed in before
is counted by itself: attempts from elsewhere keep nobody out there, and it does not use up what the
name may try elsewhere. So nobody locks an account out of every address (docs/security.md).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from webapp import password_hashing
from webapp.rate_counters import Growing, digest
from webapp.study.models import KnownAddress

HOUR, DAY = 3600, 86_400
REMEMBERED = timedelta(days=180)  # since a name last signed in from an address

by_pair = Growing("sign_in/pair", [(10, 60), (15, 900), (20, 3 * HOUR), (25, DAY)])
# From all strange addresses together. NIST SP 800-63B 5.2.2: no more than 100 failed attempts.
by_name = Growing("sign_in/name", [(50, 900), (100, DAY)])
by_address = Growing("sign_in/address", [(60, 900), (200, 3 * HOUR)])
in_all = Growing("sign_in/site", [(60, 60), (1000, HOUR)])


class TooMany(Exception):
    """Too many attempts; `seconds` until the next is taken."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def normal(name: str) -> str:
    """The name without what doesn't tell it from another: width, case, spaces around (first, as the
    form does: else spaces could push a part of the name beyond what is looked at)."""
    folded = unicodedata.normalize("NFKC", name.strip()[:1000]).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())[:150]


class Attempt:
    """One attempt to sign in as `name` from `address`."""

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address = normal(name), address
        self.pair = digest(f"{self.name} {address}")
        self.known = KnownAddress.objects.filter(digest=self.pair).exists()
        self._counters = [(by_pair, self.pair)]
        if not self.known:
            self._counters += [(by_name, self.name), (by_address, address), (in_all, "site")]

    @contextmanager
    def checking(self) -> Iterator[None]:
        """While the password is checked. Raises TooMany, or hashing.Busy."""
        if wait := max(counter.wait(key) for counter, key in self._counters):
            raise TooMany(wait)
        for counter, key in self._counters:
            if not counter.allows(key):  # others were at it meanwhile
                raise TooMany(max(1.0, counter.wait(key)))
        queue = password_hashing.known if self.known else password_hashing.strangers
        with queue.place():
            yield

    def succeeded(self, user: User) -> None:
        """The password was right: remember the address, and count anew."""
        by_pair.forget(self.pair)
        now = timezone.now()
        KnownAddress.objects.filter(at__lt=now - REMEMBERED).delete()
        KnownAddress.objects.update_or_create(digest=self.pair, defaults={"user": user, "at": now})
