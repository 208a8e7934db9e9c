"""Exact deduction: the possible deals and what statements say about them."""
