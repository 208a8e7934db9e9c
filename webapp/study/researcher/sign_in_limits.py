"""Limits of attempts to sign in as a researcher."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from webapp import password_hashing
from webapp.rate_counters import EscalatingRate, keyed_digest
from webapp.study.models import KnownAddress

HOUR_S, DAY_S = 3600, 86_400
# Names are cut to these lengths: as typed, and as compared.
MAX_TYPED_CHARS, MAX_NAME_CHARS = 1000, 150
# An address stays known for this long after the last sign-in from it.
KNOWN_ADDRESS_LIFETIME = timedelta(days=180)
# Limits of attempts as (number, seconds). They count by name and address together, by name (from
# all unknown addresses, of which NIST SP 800-63B 5.2.2 allows at most 100 failed attempts), by
# address, and for the whole site.
RATE_BY_PAIR = EscalatingRate("sign_in/pair", [(10, 60), (15, 900), (20, 3 * HOUR_S), (25, DAY_S)])
RATE_BY_NAME = EscalatingRate("sign_in/name", [(50, 900), (100, DAY_S)])
RATE_BY_ADDRESS = EscalatingRate("sign_in/address", [(60, 900), (200, 3 * HOUR_S)])
RATE_IN_ALL = EscalatingRate("sign_in/site", [(60, 60), (1000, HOUR_S)])


class TooManyAttempts(Exception):
    """Too many attempts. The next one is accepted after `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def normalize_user_name(name: str) -> str:
    """Return the name as names are compared: without case and differences of Unicode forms.

    Spaces at the ends are stripped first, as the form does. Otherwise they could push a part of
    the name beyond the compared length.
    """
    folded = unicodedata.normalize("NFKC", name.strip()[:MAX_TYPED_CHARS]).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())[:MAX_NAME_CHARS]


class SignInAttempt:
    """One attempt to sign in as `name` from `address`.

    Attributes:
        is_known: Whether the name has signed in from there before. Then fewer limits apply.
    """

    def __init__(self, name: str, address: str) -> None:
        self.name = normalize_user_name(name)
        self.pair_digest = keyed_digest(f"{self.name} {address}")
        self.is_known = KnownAddress.objects.filter(digest=self.pair_digest).exists()
        self._counters = [(RATE_BY_PAIR, self.pair_digest)]
        if not self.is_known:
            self._counters += [
                (RATE_BY_NAME, self.name),
                (RATE_BY_ADDRESS, address),
                (RATE_IN_ALL, "site"),
            ]

    @contextmanager
    def limit_password_check(self) -> Iterator[None]:
        """Count the attempt, and hold a place in the queue of password checks during the block.

        Raises:
            TooManyAttempts: The attempt exceeds a limit.
            HashingBusy: Too many passwords are being checked.
        """
        if wait := max(counter.seconds_until_allowed(key) for counter, key in self._counters):
            raise TooManyAttempts(wait)
        for counter, key in self._counters:
            if not counter.try_acquire(key):  # concurrent attempts have reached the limit
                raise TooManyAttempts(max(1.0, counter.seconds_until_allowed(key)))
        queue = password_hashing.known_queue if self.is_known else password_hashing.stranger_queue
        with password_hashing.occupy_place(queue):
            yield

    def record_success(self, user: User) -> None:
        """Store the address as known for the name, and reset the counter of the two."""
        RATE_BY_PAIR.reset(self.pair_digest)
        now = timezone.now()
        KnownAddress.objects.filter(at__lt=now - KNOWN_ADDRESS_LIFETIME).delete()
        KnownAddress.objects.update_or_create(
            digest=self.pair_digest, defaults={"user": user, "at": now}
        )
