"""Agents' turns: leases, requests to models and their budget, and notes of minds."""
