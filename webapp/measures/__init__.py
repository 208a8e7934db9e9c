"""Metrics: pure functions of game records (docs/metrics.md). No Django, no database, no clock."""
