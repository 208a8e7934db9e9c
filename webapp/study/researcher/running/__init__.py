"""Pages of a running study: people, monitor, rehearsal, payments."""
