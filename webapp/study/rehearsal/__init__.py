"""Rehearsals: simulated people go through a campaign or a study before real ones do.

Whatever they do lies in a scratch database of its own and is gone afterwards.
"""
