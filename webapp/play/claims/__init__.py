"""Claims of a game's talk, as a program reads them, for the table's page."""
