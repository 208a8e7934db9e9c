"""The rules of Werewolf as pure code: no clock, database or agent, only seeded randomness."""
