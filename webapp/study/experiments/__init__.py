"""Experiments: studies whose games agents play by themselves."""
