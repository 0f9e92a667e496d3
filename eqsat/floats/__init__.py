"""Floats of kernels: what bounds their values have, and which forms of elementary functions these bounds, or a stated error, allow."""
