"""Equality saturation: encode UOps as egglog terms, apply rules as equalities, and read the result back as flat arrays."""
