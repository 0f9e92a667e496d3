"""Functions of UOps from which the array functions are built.

They cover common dtypes and shapes, arithmetic, movement along an axis, reductions, sums of products, and subscripts.
"""
