"""Writes instructions as source in a C-like language."""
