"""A table's page: the parts it shows, as plain data for the templates."""
