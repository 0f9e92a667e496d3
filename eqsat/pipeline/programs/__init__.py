"""Programs that are called on arrays, and their files."""
