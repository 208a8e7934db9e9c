"""What was learned from labelled lines, beside the rules.

Weights of linear models over word and character n-grams (`weights.npz`, written by `python -m
tests.agents.train`).
"""
