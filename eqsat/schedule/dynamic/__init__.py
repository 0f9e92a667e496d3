"""Kernels whose loops end where extents do that only calls know."""
