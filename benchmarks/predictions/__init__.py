"""Measures how well the times of programs are predicted: predicted over measured seconds, with the loops that are chosen."""
