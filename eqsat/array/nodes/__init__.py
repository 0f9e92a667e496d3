"""Functions of nodes that functions of arrays are made of.

What operands agree on, arithmetic, movement along an axis, folds, sums of products, subscripts.
"""
