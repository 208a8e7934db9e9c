"""Studies: what turns games of people and agents into evidence."""
