"""Agents without Django: they answer a window from a View, a Mind and a backend."""
