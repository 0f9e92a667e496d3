"""Rules as values: their patterns and scalars, and how rules are declared, checked, instantiated and printed."""
