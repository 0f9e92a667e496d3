"""Equality saturation: encode UOps as egglog terms, apply rules as equalities, and read the result back as flat arrays.

A graph passes through the subpackages in this order: `tables` encodes it as egglog terms, `compile` translates the rules to egglog rules, `search`
applies them under a budget and asks `theories` for more equalities between two runs, and `snapshot` reads the e-graph back.
`saturate` is the entry point.
"""
