"""Format figures for printing."""

from __future__ import annotations

from collections.abc import Sequence


def spread(values: Sequence[float], unit: str) -> str:
    """Format the distribution of values, as in "p50 40 ms, p95 80 ms, most 90, n 100"."""
    ordered = sorted(values)
    p50, p95 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return f"p50 {p50:.0f} {unit}, p95 {p95:.0f} {unit}, most {ordered[-1]:.0f}, n {len(ordered)}"
