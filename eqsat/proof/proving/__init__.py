"""Proves rules by Z3: encodes an obligation as terms of Z3, and turns a model of its negation into a counterexample."""
