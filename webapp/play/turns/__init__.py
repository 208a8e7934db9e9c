"""Agents' turns: leases, requests to models, their budget, and what is kept of their minds."""
