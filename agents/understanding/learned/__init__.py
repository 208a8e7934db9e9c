"""What was learned from labelled lines, beside the rules: weights of linear models over word and
character n-grams (`weights.npz`, written by `python -m tests.agents.train`)."""
