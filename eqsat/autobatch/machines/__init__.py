"""Machines that run programs in Python and NumPy: the oracle, and two that run whole batches."""
