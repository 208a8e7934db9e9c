"""A study's design as data: stages, conditions, ratings and instruments. No request, no page."""
