"""Studies: conditions, slots, participants, their way through the stages. No request, no page."""
