"""What people mean: statements as a few speech acts."""
