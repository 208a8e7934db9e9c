"""A study's design as data: stages, conditions, ratings and instruments."""
