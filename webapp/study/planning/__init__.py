"""Checks and estimates of a design before a study opens, and the study's lifecycle."""
