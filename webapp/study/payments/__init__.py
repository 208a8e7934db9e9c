"""Payments of participants: what is owed, paid and matched with a platform's list."""
