"""Kernels drawn at random: ranges of every axis type, vectors of every width, gates, local memory, reductions and scans of all dtypes."""
