"""Translates rewrite rules to egglog rules: bodies, heads, guards and axioms, and an upper bound on the rows that a rule may make."""
