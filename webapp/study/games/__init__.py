"""Readers of finished games for studies and ratings."""
