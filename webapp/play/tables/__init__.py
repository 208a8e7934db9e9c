"""Tables: their creation, lobby and invitations, and the acts of hosts and players."""
