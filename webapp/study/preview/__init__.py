"""The preview of a study: its participant's pages with made-up people and games."""
