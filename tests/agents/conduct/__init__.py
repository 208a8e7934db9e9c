"""Measures of how house players conduct themselves.

Whom they answer, what they fall for, what of their mind their votes show, and whether what they say
of others is so.
"""
