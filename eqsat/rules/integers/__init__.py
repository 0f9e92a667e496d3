"""Rules about integers, bools and choices: what index arithmetic needs."""
