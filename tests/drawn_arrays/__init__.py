"""Array programs drawn at random, as wide as the public array functions, and compared with NumPy element by element.

`values` draws inputs, `oracle` says what NumPy makes of a step and how far another correct implementation may be off,
`operations` lists the steps, `drawing` makes programs of them, and `checking` runs many at once.
"""
