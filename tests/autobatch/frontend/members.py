"""What a batched function means: the Python function that it was made of, called on the NumPy scalars and arrays of each member."""

import numpy as np

from eqsat.autobatch import Batched
from eqsat.autobatch.ir.patterns import leaves
from eqsat.autobatch.machines.interpreter import interpret


def by_python(function, inputs):
    """The results of the function, with every function that it calls as plain Python."""
    return [_plain(function)(*(_own(each[k]) for each in inputs)) for k in range(len(inputs[0]))]


def by_program(function, inputs):
    """The results of its program, member by member."""
    results = list(leaves(interpret(function.program(*inputs), function.inputs(*inputs))))
    return [[result[k] for result in results] for k in range(len(inputs[0]))]


def assert_same_for_each_member(function, inputs):
    """The program computes what Python computes."""
    for member, (got, wanted) in enumerate(
        zip(by_program(function, inputs), by_python(function, inputs), strict=True)
    ):
        wanted = list(leaves(wanted))
        assert len(got) == len(wanted)
        for left, right in zip(got, wanted, strict=True):
            np.testing.assert_allclose(
                np.asarray(left, dtype=np.float64),
                np.asarray(right, dtype=np.float64),
                rtol=1e-6,
                atol=1e-6,
                err_msg=f"member {member}",
            )


def _own(value):
    return value.copy() if isinstance(value, np.ndarray) else value


def _plain(function):
    """The undecorated function, among undecorated functions."""
    namespace = dict(function.source.namespace)
    for name, value in namespace.items():
        if isinstance(value, Batched):
            own = value.source.function
            namespace[name] = type(own)(own.__code__, namespace, name, own.__defaults__, own.__closure__)
            namespace[name].__kwdefaults__ = own.__kwdefaults__
    own = function.source.function  # of whose name there may be several
    plain = type(own)(own.__code__, namespace, own.__name__, own.__defaults__, own.__closure__)
    plain.__kwdefaults__ = own.__kwdefaults__
    return plain
