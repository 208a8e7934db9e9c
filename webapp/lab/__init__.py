"""The lab: figures of finished games, and what the papers published."""
