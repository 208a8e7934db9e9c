"""Personas and styles: a player's personality and manner of speaking."""
