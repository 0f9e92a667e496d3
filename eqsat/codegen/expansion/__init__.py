"""Expands ranges to explicit vector lanes and unrolled copies."""
