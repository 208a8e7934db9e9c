"""Pages and forms for setting up a study."""
