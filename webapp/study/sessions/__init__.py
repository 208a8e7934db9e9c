"""Studies: conditions, slots, participants and their progress. No requests, no pages."""
