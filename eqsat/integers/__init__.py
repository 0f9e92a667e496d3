"""Integers of programs: linear forms, polynomials, intervals, and facts (bounds, divisor and remainder, known bits)."""
