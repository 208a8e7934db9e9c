"""The monitor of a running study for its researcher: figures, and blinding."""
