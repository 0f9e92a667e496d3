"""Lists of functions with the inputs that they are tried on."""

import numpy as np


def i32(*values):
    return np.array(values, np.int32)


def f32(*values):
    return np.array(values, np.float32)


def into(cases):
    """A decorator, of inputs, that adds the function it decorates to a list."""

    def case(*inputs):
        def kept(function):
            cases.append((function, inputs))
            return function

        return kept

    return case
