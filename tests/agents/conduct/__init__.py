"""Measures of the conduct of house players.

They cover answers to addresses, resistance to tricks, the effect of faculties on votes, and the
truth of statements about others.
"""
