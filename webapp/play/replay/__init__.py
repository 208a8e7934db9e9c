"""The replay: a finished game line by line, from any seat's view, with the agents' minds."""
