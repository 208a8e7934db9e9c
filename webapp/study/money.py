"""Sums of money as people read them."""

from __future__ import annotations

from decimal import Decimal


def told(amount: Decimal, currency: str) -> str:
    """As in 4.50 GBP: two decimals; "" for nothing."""
    return f"{amount:.2f} {currency}".strip() if amount else ""
