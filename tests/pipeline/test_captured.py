"""What is inside of the values that a function captures is looked at in each call."""

import functools
import operator

import numpy as np
import pytest

from eqsat.pipeline.captured import reads_of
from tests.pipeline.test_just_in_time import Model


class Box:
    __slots__ = ("scale",)

    def __init__(self):
        self.scale = [1.0]


CHANGES = {
    "a list in a tuple in a list": (lambda: [([1.0, 2.0],)], lambda held: held[0][0].append(3.0)),
    "an item by an equal one of another type": (lambda: [1, 2], lambda held: operator.setitem(held, 0, True)),
    "a zero by the negative one": (
        lambda: {"a": (0.0, [0.0])},
        lambda held: operator.setitem(held["a"][1], 0, -0.0),
    ),
    "a value of a dict": (lambda: {"a": 1}, lambda held: held.update(a=2)),
    "a key of a dict": (lambda: {"a": 1}, lambda held: held.update(b=held.pop("a"))),
    "the order of a dict": (lambda: {"a": 1, "b": 2}, lambda held: held.update(a=held.pop("a"))),
    "an attribute": (Model, lambda held: setattr(held, "offsets", [5.0])),
    "what an attribute holds": (Model, lambda held: held.offsets.append(5.0)),
    "all attributes": (Model, lambda held: setattr(held, "__dict__", {})),
    "a slot": (Box, lambda held: setattr(held, "scale", 3.0)),
    "what a slot holds": (Box, lambda held: held.scale.clear()),
    "a slot that is emptied": (Box, lambda held: delattr(held, "scale")),
    "a bound argument": (
        lambda: functools.partial(max, [1.0], key=[2]),
        lambda held: held.args[0].append(2.0),
    ),
    "a named argument": (lambda: functools.partial(max, key=[2]), lambda held: held.keywords["key"].pop()),
    "the object of a method": (lambda: Model().apply, lambda held: held.__self__.offsets.append(2.0)),
    "a set in a list": (lambda: [{1}], lambda held: held[0].add(2)),
    "an element of an array in a dict": (
        lambda: {"a": [np.zeros(2)]},
        lambda held: operator.setitem(held["a"][0], 0, 1.0),
    ),
    "an element of a large array": (lambda: np.zeros(1 << 18), lambda held: operator.setitem(held, 77, 1.0)),
    "the shape of an array": (lambda: np.zeros((2, 3)), lambda held: setattr(held, "shape", (3, 2))),
    "the dtype of an array": (lambda: np.zeros(3, np.int32), lambda held: setattr(held, "dtype", np.float32)),
    "one of many lists": (lambda: [[number] for number in range(300)], lambda held: held[250].append(1)),
}


@pytest.mark.parametrize(("make", "change"), CHANGES.values(), ids=CHANGES)
def test_what_is_inside_of_a_captured_value_is_looked_at(make, change):
    held = make()
    *reads, read = (each for each in reads_of(lambda: held) if each.value is held)
    assert not reads
    assert read.is_unchanged()
    change(held)
    assert not read.is_unchanged()


def test_a_captured_value_that_equals_the_former_one_is_unchanged():
    held = ((slice(1, None, 2),), [1, "a"], {"b": 2.0})
    reads = reads_of(lambda: held)
    held = (held[0], [1, "a"], {"b": 2.0})
    assert all(read.is_unchanged() for read in reads)
    held = (held[0], [1, "a"], {"b": 2.5})
    assert not all(read.is_unchanged() for read in reads)
