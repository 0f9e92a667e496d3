"""From instructions to source in a C-like language."""
