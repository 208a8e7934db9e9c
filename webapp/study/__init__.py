"""Studies: games of people and agents as experiments, and the ratings of games."""
