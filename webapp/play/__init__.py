"""The site's game pages."""
