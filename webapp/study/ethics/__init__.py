"""Erasure, retention and the copy of one's own data."""
