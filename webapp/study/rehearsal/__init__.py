"""Rehearsals: simulated people use a campaign or a study before real ones do."""
