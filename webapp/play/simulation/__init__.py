"""Games of agents alone, in one process or several."""
