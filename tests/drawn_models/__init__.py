"""Whole models drawn at random: layers of networks, stencils, solvers and integer programs, larger than those of `tests.drawn_arrays`.

`drafting` writes a model line by line as Python text, which NumPy and eqsat both carry out; `layers` and `counting` are the tables of what
it is made of, on floats and on integers; `checking` compares what runs with NumPy and the reference, in several ways to run.
"""
