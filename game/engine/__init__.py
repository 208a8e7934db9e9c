"""The rules of Werewolf as pure code: standard library, no clock, only seeded randomness."""
