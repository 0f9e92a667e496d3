"""Array programs drawn at random, as wide as the public array functions, and compared with NumPy element by element.

`values` draws inputs, `operations` are the tables of steps, `drawing` makes programs of them, `oracle` says what NumPy makes of a step and
how far another correct implementation may be off, `real_numbers` the same of any equal form over the reals, `ways` runs programs, and
`checking` compares many at once.
"""
