"""The game in the database: rows, actions and selectors."""
