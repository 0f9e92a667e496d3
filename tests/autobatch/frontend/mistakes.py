"""Functions that cannot be batched. The line that the error must name ends with `# <-`, and with a part of the message."""

# ruff: noqa: B007, E731, C416, PLW0603, RET503, RET504, RUF034, RUF059  they are mistakes

import functools

import numpy as np

import eqsat as eq
from eqsat.autobatch import batch


def helper(x):
    return x if x > 0 else -x


def endless_helper(x):
    return endless_helper(x)


@batch
def same(x):
    return x


def calls_same(x):
    return same(x)


def tries(x):
    try:  # <- `try`
        return x
    except ValueError:
        return 0


def raises(x):
    if x > 0:
        raise ValueError  # <- `raise`
    return x


def asserts(x):
    assert x > 0  # <- `assert`
    return x


def uses_with(x):
    with np.errstate():  # <- `with`
        return x


def generates(x):
    yield x  # <- generator


def declares_global(x):
    global helper  # <- `global`
    helper = x
    return x


def deletes(x):
    del x  # <- `del`
    return 0


def takes_all(*x):  # <- *x
    return x[0]


def takes_options(**x):  # <- *x
    return x


def loops_over_array(x):
    total = 0
    for each in x:  # <- anything but range
        total += each
    return total


def comprehends(x):
    return sum([each for each in x])  # <- comprehension over the variable 'x'


def captures(x):
    chosen = lambda y: y + x  # <- lambda that uses the variable 'x'
    return chosen(x)


def defines(x):
    def inner(y):  # <- function defined inside
        return y

    return inner(x)


def imports(x):
    import math  # <- import

    return math.pi + x


def matches(x):
    match x:  # <- `match`
        case 0:
            return x
    return 0


def assigns_inside(x):
    return (y := x) + y  # <- assignment inside an expression


def sets_attribute(x):
    x.real = 0  # <- attribute 'real'
    return x


def starred_target(x):
    first, *rest = x  # <- starred target
    return first


def calls_parameter(x, function):
    return function(x)  # <- cannot call the variable 'function'


def calls_variable(x):
    function = same  # <- batched function 'same' as a value
    return function(x)


def calls_with_star(x):
    pair = (x,)
    return same(*pair)  # <- *arguments


def calls_with_too_many(x):
    return same(x, x)  # <- cannot call 'same'


def calls_in_comprehension(x):
    return eq.sum(eq.asarray([same(k) for k in range(3)])) + x  # <- inside a comprehension


def calls_a_lambda(x):
    square = lambda y: y * y
    return square(x)  # <- cannot call the variable 'square'


def holds_none(x):
    y = None  # <- neither a number nor an array
    return x if y is None else x + 1


def prints(x):
    print(x)  # <- value is not used
    return x


def appends(x):
    values = []
    values.append(x)  # <- value is not used
    return values[0]


def slices_by_member(x):
    y = eq.asarray([1, 2, 3])
    return eq.sum(y[0:x])  # <- no value while a function is traced


def rounds_to_digits(x):
    return round(x * 0.5, 2)  # <- to digits


def chooses_between_structures(x):
    return x if x > 3 else (x, x)  # <- the result of


def no_value(x):
    if x > 0:
        return None  # <- return without a value
    return x


def falls_off(x):  # <- may end without a return
    if x > 0:
        return x


def no_return(x):  # <- may end without a return
    x = x + 1


def undefined(x):
    if x > 0:
        y = x
    return y + x  # <- use of 'y' before definition


def undefined_after_loop(x):
    for i in range(x):
        x = x - 1
    return i  # <- use of 'i' before definition


def unused_value(x):
    x + 1  # <- value is not used
    return x


def step_of_zero(x):
    for i in range(0, x, 0):  # <- step is 0
        x = x + i
    return x


def two_dtypes(x):
    y = x * 0.5
    if x > 0:
        y = x  # <- is float64
    return y


def two_results(x):
    if x > 0:
        return x * 0.5
    return x  # <- the result of


def two_structures(x):
    if x > 0:
        return x, x
    return x  # <- the result of


def two_structures_of_one_length(x):
    if x > 0:
        return x, (x, x)
    return (x, x), x  # <- the result of


def condition_of_array(x):
    y = eq.asarray([1.0, 2.0]) + x
    if y > 1:  # <- eqsat.any
        return x
    return -x


def branches_in_helper(x):
    return helper(x)  # <- eqsat


def recursion_without_decoration(x):
    return endless_helper(x)  # <- decorate


def batched_from_undecorated(x):
    return calls_same(x)  # <- decorate that


def calls_numpy(x):
    return np.sin(x)  # <- eqsat.sin


def holds_text(x):
    y = "text"  # <- neither a number nor an array
    return x if y else x


def unpacks_too_many(x):
    a, b = x, x, x  # <- cannot unpack 3 values into 2 targets
    return a + b


def divides_by_text(x):
    return x / "two"  # <- TypeError


def never_returns(x):
    return never_returns(x - 1)  # <- never returns


def declares_otherwise(x: eq.float64):  # <- declared at
    return x + 1


def declares_variable_otherwise(x):
    y: eq.float64 = 0
    y = x  # <- declared at
    return y


def declares_no_shape(x):
    y: eq.spec((-1,), eq.float32) = x  # <- declares no type
    return y


def called_with_two_dtypes(x):
    return same(x) + same(x * 0.5)  # <- variable 'same.x' is


def assigns_a_slice(x):
    y = eq.asarray([1, 2, 3]) + x
    y[0:2] = x  # <- cannot assign to slice
    return y


no_definition = functools.partial(same)
