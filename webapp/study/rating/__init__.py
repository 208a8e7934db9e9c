"""Ratings: which units there are, who may rate them, and their rows. No request, no page."""
