"""Databases of earlier revisions, which the current code must continue (README.md)."""
