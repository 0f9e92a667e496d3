"""Makes programs from Python functions, or by hand with a builder."""
