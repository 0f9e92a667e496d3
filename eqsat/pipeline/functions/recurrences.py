"""Scans as recurrences: a loop along the axis keeps the values of a step in registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import gcd, prod

from eqsat.array.nodes.views import cut, extend, insert_axis, merge_axes, positions, split_axis
from eqsat.array.nodes.views import shape as shape_of
from eqsat.dtype import DType
from eqsat.extents import capacities
from eqsat.ops import MOVEMENT, Op
from eqsat.pipeline.functions.formulas import Formulas, NoFormulasError
from eqsat.shape import Shape
from eqsat.uop import UOp, join, rewrite, toposort
from eqsat.uop.recurrence import Recurrence, leaf

MOST_KEPT = 64  # values that a loop keeps; more would not stay in registers
LANES = 16  # members of a batch that fill vectors
LONG = 256  # elements of an axis that is worth cutting into parts, if fewer scans run side by side
LONGEST = 2048  # elements of a part: sums of more would be rounded too often
SHORTEST = 4  # elements of the shortest vectors
PAGE = 1024  # elements of single precision
PARTS = 64  # parts of such an axis, times the members of the batch


class Steps:
    """A step of a scan as formulas, element by element.

    Attributes:
        formulas: the formulas of one place of a batch.
        kept: the number of values that are kept.
        following: the formula of each kept value after a step.
        results: the formulas of the elements of each result of a step.
    """

    def __init__(
        self, kept: Sequence[UOp], elements: Sequence[UOp], following: Sequence[UOp], results: Sequence[UOp]
    ) -> None:
        """Reads a step from what it makes of stand-ins for kept values and elements.

        Raises:
            NoFormulasError: its elements have no formulas of a moderate length.
        """
        given = [*kept, *elements]
        shapes = [each.shape or () for each in (*given, *following, *results)]
        for shape, last in (
            _batches(shapes) if all(map(all, shapes)) else ()
        ):  # nothing is read of empty arrays
            self.formulas = Formulas(given, [*following, *results], shape, last=last)
            self.kept = sum(self._scalars_of(each.shape or ()) for each in kept)
            if self.kept > MOST_KEPT:
                continue
            try:
                self.following = [*chain.from_iterable(map(self.formulas.of, following))]
                self.results = [self.formulas.of(each) for each in results]
            except NoFormulasError:
                continue
            return
        raise NoFormulasError

    @property
    def shape(self) -> Shape:
        """The extents of the batch."""
        return self.formulas.shape

    def parts(self, array: UOp) -> list[UOp]:
        """The parts of an array of elements along axis 0, each of which has one element for each place of the batch."""
        count, *rest = shape_of(array)
        scalars = self._scalars_of(tuple(rest))
        flat = array.reshape((count, *self.formulas.joined(self.shape, (scalars,))))
        return [
            cut(flat, self._axis, place, place + 1).reshape((count, *self.shape)) for place in range(scalars)
        ]

    def joined(self, parts: Sequence[UOp], shape: Shape) -> UOp:
        """The array with these parts, whose elements along axis 0 have this shape."""
        count, *_ = shape_of(parts[0])
        thin = (count, *self.formulas.joined(self.shape, (1,)))
        return join([each.reshape(thin) for each in parts], self._axis).reshape((count, *shape))

    def captured(self, count: int) -> list[UOp]:
        """What other arrays hold for the batch, the same for each of `count` elements."""
        return [insert_axis(each, 0, count) for each in self.formulas.arrays()]

    @property
    def _axis(self) -> int:
        return 1 if self.formulas.last else 1 + len(self.shape)

    def _scalars_of(self, shape: Shape) -> int:
        return prod(self.formulas.apart(shape)[1])


def recurrent(
    following: Sequence[UOp], results: Sequence[UOp], elements: Sequence[UOp], axis: int
) -> list[UOp]:
    """What each of the formulas `results` gives for the elements along an axis, while the values of `following` are kept."""
    return [
        UOp(
            Op.RECUR_AXIS, each.dtype, tuple(elements), (Recurrence(each, tuple(following)).packed(), (axis,))
        )
        for each in results
    ]


def stepped(
    steps: Steps, starts: Sequence[UOp], elements: Sequence[UOp]
) -> tuple[list[UOp], list[list[UOp]]]:
    """(each kept value after the last step, what each step gives) for elements along axis 0.

    `starts` are the kept values before the first step, along an axis of one element.
    """
    count, *_ = shape_of(elements[0])
    first = positions(elements[0], 0) < 1
    elements, begun = [*elements, first], dict[UOp, UOp]()
    flag = leaf(steps.kept + len(elements) - 1, first.dtype)
    for number, start in enumerate(starts):
        if not _is_zero(start):
            kept = leaf(number, start.dtype)
            begun[kept] = flag.where(leaf(steps.kept + len(elements), start.dtype), kept)
            elements.append(start.expand((count, *steps.shape)))
    following = rewrite(steps.following, begun)
    results = [recurrent(following, rewrite(each, begun), elements, 0) for each in steps.results]
    finals = [cut(each, 0, count - 1, count) for each in recurrent(following, following, elements, 0)]
    return finals, results


def _is_zero(value: UOp) -> bool:
    """Whether an array is a constant of zeros that kept values have at first, without a sign."""
    while value.op in MOVEMENT and value.op is not Op.PAD:
        (value,) = value.src
    return isinstance(value.dtype, DType) and value is UOp.const(value.dtype, 0)


def combined(following: Sequence[UOp], elements: Sequence[UOp], others: Sequence[UOp]) -> list[UOp]:
    """Each element along axis 0 combined with all elements before it; `following` combines two elements, and reads `others` as well."""
    count, *batch = shape_of(elements[0])
    members = max(1, prod(capacities(tuple(batch))))
    parts = max(min(PARTS // members, count // LANES), -(-count // LONGEST))
    if count < LONG or parts * members < LANES or (parts < LANES and count <= 2 * LONGEST):
        return _in_turn(following, elements, others, 0)
    length = length_of_parts(count, parts)
    parts = -(-count // length)

    def split(array: UOp) -> UOp:
        return split_axis(extend(array, 0, 0, parts * length - count), 0, parts, length)

    def last(array: UOp) -> UOp:
        return cut(array, 1, length - 1, length).reshape((parts, *batch))

    rest = [split(each) for each in others]
    within = _in_turn(following, [split(each) for each in elements], rest, 1)
    before = _preceding(following, [last(each) for each in within], list(map(last, rest)))
    before = [insert_axis(each, 1, length) for each in before]
    joined = applied(following, [*before, *within, *rest], shape_of(within[0]))
    is_first = positions(within[0], 0) < 1
    whole = [is_first.where(own, other) for own, other in zip(within, joined, strict=True)]
    return [cut(merge_axes(each, 0), 0, 0, count) for each in whole]


def length_of_parts(count: int, parts: int) -> int:
    """The number of elements of a part, for about so many parts: whole vectors that fill the axis where there is such a number.

    Distances of parts are no multiples of a page, so that neighbouring parts lie in different sets of a cache.

    >>> length_of_parts(10_000, 64), length_of_parts(9_973, 64)
    (80, 176)
    """
    usual = max(LANES, -(-count // parts))
    whole = [
        each
        for each in range(usual // 2, 2 * usual)
        if count % each == 0 and each % SHORTEST == 0 and each % PAGE
    ]
    if whole:
        return min(whole, key=lambda length: (-gcd(length, LANES), max(length / usual, usual / length)))
    return LANES * (-(-usual // LANES) | 1)


def _preceding(following: Sequence[UOp], elements: Sequence[UOp], others: Sequence[UOp]) -> list[UOp]:
    """What all elements before each element along axis 0 combine to; anything for the first one."""
    count, *_ = shape_of(elements[0])
    if count >= LONG:
        return [cut(extend(each, 0, 1, 0), 0, 0, count) for each in combined(following, elements, others)]
    begun, read = _begun(following, elements, others, 0)
    kept = [leaf(number, each.dtype) for number, each in enumerate(following)]
    return recurrent(begun, kept, read, 0)


def _in_turn(
    following: Sequence[UOp], elements: Sequence[UOp], others: Sequence[UOp], axis: int
) -> list[UOp]:
    """As `combined`, along any axis, one element after the other."""
    begun, read = _begun(following, elements, others, axis)
    return recurrent(begun, begun, read, axis)


def _begun(
    following: Sequence[UOp], elements: Sequence[UOp], others: Sequence[UOp], axis: int
) -> tuple[list[UOp], list[UOp]]:
    """(the formulas `following` except at the first element, which is kept as it is; the arrays that they read)."""
    first = positions(elements[0], axis) < 1
    flag = leaf(2 * len(elements) + len(others), first.dtype)
    begun = [
        flag.where(leaf(len(elements) + number, each.dtype), each) for number, each in enumerate(following)
    ]
    return begun, [*elements, *others, first]


def applied(formulas: Sequence[UOp], arrays: Sequence[UOp], shape: Shape) -> list[UOp]:
    """The formulas with arrays of one shape in place of their leaves."""
    made = {leaf(number, each.dtype): each for number, each in enumerate(arrays)}
    for node in toposort(formulas):
        if node not in made:
            made[node] = (
                UOp(node.op, node.dtype, tuple(made[each] for each in node.src), node.arg)
                if node.src
                else node.broadcast(shape)
            )
    return [made[each] for each in formulas]


def _batches(shapes: Sequence[Shape]) -> Iterator[tuple[Shape, bool]]:
    """The batches to try, the greatest first: the first axes that all shapes have in common, or the last ones (True)."""
    least = min(map(len, shapes))
    for count in range(least, -1, -1):
        for last in (False, True) if count else (False,):
            own = {each[len(each) - count :] if last else each[:count] for each in shapes}
            if len(own) == 1:
                yield own.pop(), last
