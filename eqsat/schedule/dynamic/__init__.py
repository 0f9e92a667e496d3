"""Kernels for dynamic extents, which are known only when a program is called: their loops end at the extents of the call."""
