"""Floats of kernels: the bounds of their values, and the forms of elementary functions that these bounds, or an admitted error, allow."""
