"""Functions by which studies read finished games."""
