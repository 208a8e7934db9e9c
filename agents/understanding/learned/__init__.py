"""Models learned from labelled lines, which complement the rules.

They are linear models over word and character n-grams. `python -m tests.agents.train` writes their
weights (`weights.npz`).
"""
