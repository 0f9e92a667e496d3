"""Rules about floats: exact ones, those that hold over the real numbers, and those of elementary functions."""
