"""Pages and forms that set a study up."""
