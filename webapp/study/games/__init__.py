"""What studies read from finished games."""
