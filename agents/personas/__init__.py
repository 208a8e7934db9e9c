"""Personas and styles: who a player is and how it speaks."""
