"""Rules about integers, bools and choices, which index arithmetic needs."""
