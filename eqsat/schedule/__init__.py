"""From an extracted array graph to kernels with loops."""
