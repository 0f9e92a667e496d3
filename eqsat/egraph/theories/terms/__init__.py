"""Functions on terms for the checks of theories: constants, polynomials, operands of n-ary operators, and bounds under assumptions.

A check gets two terms, and nothing of the e-graph in which they were found equal. So it reads everything from the terms themselves.
"""
