"""Experiments: studies whose games computer players play by themselves."""
