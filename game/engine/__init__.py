"""Werewolf itself: pure rules, standard library only, no clock and no chance of its own."""
