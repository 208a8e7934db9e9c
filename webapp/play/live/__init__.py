"""Live updates: sockets, what they push, and the sweeper that keeps games going."""
