"""The game in the database: rows, services and selectors."""
