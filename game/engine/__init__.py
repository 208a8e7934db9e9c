"""The rules of Werewolf as pure code: standard library only, no clock, no randomness but the
seed's.
"""
