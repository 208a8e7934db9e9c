"""Tables: opening one, its lobby, invitations, and what hosts and players do there."""
