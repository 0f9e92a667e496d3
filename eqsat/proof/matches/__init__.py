"""Matches of a rule: random ones, the values of both sides, and counterexamples among them."""
