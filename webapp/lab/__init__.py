"""The lab: metrics of finished games, and the papers' published figures."""
