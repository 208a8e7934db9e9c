"""Ratings: units, raters' access to them, and rows of ratings. No requests, no pages."""
