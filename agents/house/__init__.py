"""The house player: rule-based, offline, worth sitting with (SPEC 2.10)."""
