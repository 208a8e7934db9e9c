"""Rehearsals: simulated people use a campaign or a study before real ones do.

All their data are in a scratch database, which is deleted afterwards.
"""
