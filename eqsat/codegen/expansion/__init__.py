"""From ranges to explicit vectors and copies."""
