"""Tables: their creation, lobby and invitations, and the actions of hosts and players."""
