"""Databases of earlier revisions, and whether the code goes on with them (README.md)."""
