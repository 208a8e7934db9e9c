"""The replay: a finished game line by line, through anybody's eyes and into the minds."""
