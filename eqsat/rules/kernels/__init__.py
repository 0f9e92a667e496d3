"""Rules about loads and vectors in kernels."""
