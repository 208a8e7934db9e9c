"""What a study's researcher sees of it while it goes on: figures of its rows, and the cover."""
