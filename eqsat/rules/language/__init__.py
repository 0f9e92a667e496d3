"""Rules as values: patterns and scalars, how rules are declared, read, instantiated and printed."""
