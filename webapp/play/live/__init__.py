"""Live updates: sockets, the frames they push, and the sweeper that keeps games going."""
