"""What the checks of theories compute from terms: constants, polynomials, operands of n-ary operators, and bounds under assumptions.

A check gets two terms and nothing of the e-graph in which they were found equal, so what it knows it reads from the terms themselves.
"""
