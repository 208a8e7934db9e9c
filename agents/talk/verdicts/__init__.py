"""What a clause says of the players it names, one kind of verdict a module."""
