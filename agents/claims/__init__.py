"""Readings of the talk: claims, by rule or by a model, and summaries."""
