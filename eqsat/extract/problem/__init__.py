"""The extraction problem and its result, as values."""
