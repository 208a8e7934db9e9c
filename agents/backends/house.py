"""The house player's voice: rule-based, offline (SPEC 2.10)."""
