"""What cannot be batched is refused by an error that names the line."""

import functools
import inspect
import linecache

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import batch
from eqsat.errors import BuildError
from tests.autobatch.frontend import mistakes

FUNCTIONS = {
    name: value
    for name, value in vars(mistakes).items()
    if inspect.isfunction(value)
    and value.__module__ == mistakes.__name__
    and "# <-" in inspect.getsource(value).replace("  <-", "# <-")
}


def marked(function):
    """The line with the mark, and what the message must contain."""
    lines, first = inspect.getsourcelines(function)
    for number, line in enumerate(lines, start=first):
        if "<- " in line:
            return number, line.split("<- ")[1].strip()
    raise AssertionError


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_mistake_is_refused_by_its_line(name):
    function = FUNCTIONS[name]
    line, part = marked(function)
    with pytest.raises(BuildError) as caught:
        batch(function).program(*[eq.int32] * len(inspect.signature(function).parameters))
    message = str(caught.value)
    assert f"{mistakes.__file__}:{line}: " in message, message
    assert part in message, message
    assert "; " in message, "it says what to try"


def test_a_function_without_source_is_refused():
    namespace = {}
    exec("def made(x):\n    return x", namespace)
    with pytest.raises(BuildError, match="cannot read the source of 'made'"):
        batch(namespace["made"])


def test_what_is_no_function_is_refused():
    with pytest.raises(BuildError, match="no Python function"):
        batch(mistakes.no_definition)
    with pytest.raises(BuildError, match="no `def`"):
        batch(lambda x: x)


def test_a_wrapper_is_refused():
    """Its source would be that of the function inside."""

    def doubled(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(x) * 2

        return wrapper

    with pytest.raises(BuildError, match="'helper', which another decorator replaced"):
        batch(doubled(mistakes.helper))


def test_an_async_function_is_refused():
    async def late(x):
        return x

    with pytest.raises(BuildError, match="async"):
        batch(late)


def test_batches_of_different_sizes_are_refused():
    @batch
    def added(x, y):
        return x + y

    with pytest.raises(eq.ShapeError, match=r"3 members in 'x' and 4 in 'y'"):
        added.inputs(np.zeros(3), np.zeros(4))


def test_wrong_arguments_are_refused():
    @batch
    def added(x, y):
        return x + y

    with pytest.raises(BuildError, match="missing a required argument: 'y'"):
        added.program(eq.int32)


def test_a_function_that_only_loops_is_refused():
    @batch
    def counted(n):
        while True:
            n += 1

    with pytest.raises(BuildError, match="'counted' never returns"):
        counted(np.arange(3), most_steps=5)


def test_what_members_cannot_hold_is_refused():
    weights = np.arange(3.0)

    @batch
    def scaled(n, mode=None):
        return n if mode is None else -n

    @batch
    def weighted(n, w=weights):
        return n * w[0]

    @batch
    def named(n):
        return {"n": n}

    n = np.arange(3)
    with pytest.raises(BuildError, match="argument 'mode' of 'scaled': None is no value"):
        scaled(n)
    with pytest.raises(BuildError, match="the default of 'w' of 'weighted' is an array"):
        weighted(n)
    np.testing.assert_array_equal(weighted(n, np.ones((3, 2))), n)
    with pytest.raises(BuildError, match="neither a number nor an array"):
        named(n)


def test_lines_are_those_of_the_file():
    line, _ = marked(mistakes.deletes)
    assert linecache.getline(mistakes.__file__, line).strip().startswith("del x")
