"""The site where people play."""
