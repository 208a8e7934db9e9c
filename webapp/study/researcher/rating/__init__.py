"""Pages of a rating stage: games, units, raters, judges."""
