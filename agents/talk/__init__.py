"""What was said and done in public so far, and in whispers, as data."""
