"""The pages of a study's participants."""
