"""The steps that programs are made of: for each operation, how operands and arguments are drawn, and how exact it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from tests.drawn_arrays.oracle import EXACT, Accuracy, Value
from tests.drawn_arrays.values import DTYPES, INTEGERS, MOST_ELEMENTS, Numbers


@dataclass(frozen=True)
class Drawn:
    """A step before it is computed: its text, with {} for each operand, and the operands' places.

    Attributes:
        terms: how many are added up. dtype: of the result, where NumPy's is not eqsat's name for it.
    """

    text: str
    operands: tuple[int, ...]
    terms: int = 0
    dtype: str | None = None


@dataclass(frozen=True)
class Operation:
    """One kind of step.

    Attributes:
        name: of the public function. draw: from a choice of operands to a step, or None if nothing fits. accuracy: as in
        `oracle`; `terms` is filled in by the step. undefined: where NumPy's result is not to be compared. kind: for choosing.
    """

    name: str
    draw: Callable[[Choice], Drawn | None]
    accuracy: Accuracy = EXACT
    undefined: Callable[..., Numbers] | None = None
    kind: str = "exact"


@dataclass
class Choice:
    """What a draw chooses from: the values there are, the later the likelier."""

    chance: Random
    values: Sequence[Value]
    made: list[int] = field(default_factory=list)

    def one(
        self, kinds: str = "biuf", filled: bool = False, rank: int | None = None, least_rank: int = 0
    ) -> int | None:
        """A value whose dtype is of one of the kinds."""
        fitting = [
            place
            for place, value in enumerate(self.values)
            if value.array.dtype.kind in kinds
            and (value.array.size or not filled)
            and (rank is None or value.array.ndim == rank)
            and value.array.ndim >= least_rank
        ]
        if not fitting:
            return None
        return fitting[-1] if self.chance.random() < 0.5 else self.chance.choice(fitting)

    def partner(self, first: int, kinds: str = "biuf") -> int | None:
        """A value that broadcasts with another."""
        fitting = [
            place
            for place, value in enumerate(self.values)
            if value.array.dtype.kind in kinds and _broadcast(value.shape, self.values[first].shape)
        ]
        return self.chance.choice(fitting) if fitting else None

    def array(self, place: int) -> Numbers:
        return self.values[place].array

    def axis(self, place: int, filled: bool = False) -> int | None:
        """An axis, counted from either end."""
        shape = self.values[place].shape
        fitting = [axis for axis, extent in enumerate(shape) if extent or not filled]
        if not fitting:
            return None
        axis = self.chance.choice(fitting)
        return axis - len(shape) if self.chance.random() < 0.3 else axis

    def axes(self, place: int, filled: bool = False) -> Any:
        """None, an axis, or several."""
        shape = self.values[place].shape
        kind = self.chance.random()
        if kind < 0.35:
            return None if not filled or math.prod(shape) else False
        if kind < 0.75 or len(shape) < 2:
            axis = self.axis(place, filled)
            return False if axis is None else axis
        chosen = self.chance.sample(range(len(shape)), self.chance.randint(1, len(shape)))
        return False if filled and not all(shape[axis] for axis in chosen) else tuple(chosen)


def _broadcast(*shapes: tuple[int, ...]) -> bool:
    try:
        return math.prod(np.broadcast_shapes(*shapes)) <= MOST_ELEMENTS
    except ValueError:
        return False


def promotes(choice: Choice, places: Sequence[int]) -> bool:
    """Whether float32 stands for bfloat16 in these operands' promotion: not beside wide integers."""
    dtypes = {choice.values[place].dtype for place in places}
    return "bfloat16" not in dtypes or dtypes <= {
        "bfloat16",
        "bool",
        "int8",
        "uint8",
        "float16",
        "float32",
        "float64",
    }


def unary(name: str, kinds: str = "biuf", text: str | None = None) -> Callable[[Choice], Drawn | None]:
    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(kinds)
        return None if place is None else Drawn(text or f"xp.{name}({{}})", (place,))

    return draw


SCALARS = {
    "b": ("True", "False"),
    "i": ("0", "1", "2", "-1", "3", "7", "100", "-5"),
    "u": ("0", "1", "2", "3", "7", "100"),
    "f": (
        "0",
        "1",
        "2",
        "-3",
        "0.5",
        "-0.0",
        "1.5",
        "True",
        "xp.inf",
        "-xp.inf",
        "xp.nan",
        "-2.0",
        "0.25",
        "8",
    ),
}


def binary(
    name: str, kinds: str = "biuf", text: str | None = None, both_bools: bool = True, scalars: bool = True
) -> Callable[[Choice], Drawn | None]:
    pattern = text or f"xp.{name}({{}}, {{}})"
    divides = name in ("floor_divide", "remainder")

    def draw(choice: Choice) -> Drawn | None:
        first = choice.one(kinds)
        if first is None:
            return None
        if scalars and choice.chance.random() < 0.25:
            array = choice.array(first)
            kind = array.dtype.kind
            if kind == "b" and not both_bools:
                return None
            number = choice.chance.choice(
                [each for each in SCALARS[kind] if each != "0" or kind == "f" or not divides]
            )
            number = number if number[0] != "-" else f"({number})"
            parts = ("{}", number) if choice.chance.random() < 0.6 else (number, "{}")
            if "xp." not in pattern and parts[0] != "{}" and pattern.startswith("{}."):
                return None
            return Drawn(pattern.format(*parts), (first,))
        second = choice.partner(first, kinds)
        if second is None or not promotes(choice, (first, second)):
            return None
        if not both_bools and choice.array(first).dtype.kind == choice.array(second).dtype.kind == "b":
            return None
        return Drawn(pattern, (first, second))

    return draw


def integers_together(
    name: str, text: str | None = None, both_bools: bool = True
) -> Callable[[Choice], Drawn | None]:
    """Two operands whose common dtype is no float (int64 and uint64 have none)."""
    inner = binary(name, "biu", text, both_bools)

    def draw(choice: Choice) -> Drawn | None:
        drawn = inner(choice)
        if drawn and np.result_type(*(choice.array(place).dtype for place in drawn.operands)).kind == "f":
            return None
        return drawn

    return draw


def reduction(
    name: str, kinds: str = "biuf", filled: bool = False, more: Sequence[str] = ()
) -> Callable[[Choice], Drawn | None]:
    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(kinds)
        axes = False if place is None else choice.axes(place, filled)
        if place is None or axes is False:
            return None
        keep = choice.chance.random() < 0.4
        extra = choice.chance.choice(more) if more else ""
        shape = choice.values[place].shape
        listed = range(len(shape)) if axes is None else (axes,) if isinstance(axes, int) else axes
        return Drawn(
            f"xp.{name}({{}}, axis={axes}{extra}, keepdims={keep})",
            (place,),
            math.prod(shape[axis] for axis in listed),
        )

    return draw


def along(
    name: str, kinds: str = "biuf", filled: bool = False, flat: bool = False, more: Sequence[str] = ("",)
) -> Callable[[Choice], Drawn | None]:
    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(kinds)
        if place is None:
            return None
        axis = choice.axis(place, filled)
        if flat and choice.chance.random() < 0.3:
            axis = None if choice.array(place).size or not filled else False
        elif axis is None:
            return None
        if axis is False:
            return None
        shape = choice.values[place].shape
        extent = math.prod(shape) if axis is None else shape[axis]
        return Drawn(f"xp.{name}({{}}, axis={axis}{choice.chance.choice(more)})", (place,), extent)

    return draw


# movement


def reshape(choice: Choice) -> Drawn | None:
    place = choice.one()
    if place is None:
        return None
    size = choice.array(place).size
    shape = _factors(choice.chance, size)
    if shape and size and choice.chance.random() < 0.3:
        shape[choice.chance.randrange(len(shape))] = -1
    return Drawn(f"xp.reshape({{}}, {tuple(shape)})", (place,))


def _factors(chance: Random, size: int) -> list[int]:
    shape: list[int] = []
    rest = size
    while rest > 1 and len(shape) < 4:
        divisor = chance.choice([factor for factor in range(1, rest + 1) if rest % factor == 0])
        shape.append(divisor)
        rest //= divisor
    if rest != 1:
        shape.append(rest)
    return shape


def permute(choice: Choice) -> Drawn | None:
    place = choice.one()
    if place is None:
        return None
    order = list(range(choice.array(place).ndim))
    choice.chance.shuffle(order)
    return Drawn(f"xp.permute_dims({{}}, {tuple(order)})", (place,))


def subscript(choice: Choice) -> Drawn | None:
    place = choice.one(least_rank=1)
    if place is None:
        return None
    key: list[str] = []
    shape = choice.values[place].shape
    covered = choice.chance.randint(1, len(shape))
    for extent in shape[:covered]:
        kind = choice.chance.random()
        if kind < 0.3 and extent:
            key.append(str(choice.chance.randrange(-extent, extent)))
        elif kind < 0.4:
            key += ["None", ":"]
        else:
            bounds = [
                choice.chance.choice(("", str(choice.chance.randint(-extent - 1, extent + 1))))
                for _ in range(2)
            ]
            key.append(":".join([*bounds, choice.chance.choice(("", "1", "2", "3", "-1", "-2", "7"))]))
    if choice.chance.random() < 0.2:
        key.insert(choice.chance.randrange(len(key) + 1) if covered == len(shape) else len(key), "...")
    return Drawn(f"{{}}[{', '.join(key)}]", (place,))


def gather(choice: Choice) -> Drawn | None:
    """Subscripts with lists of positions among them."""
    place = choice.one(least_rank=1, filled=True)
    if place is None:
        return None
    key: list[str] = []
    count = choice.chance.randint(1, 3)
    for extent in choice.values[place].shape[: choice.chance.randint(1, 3)]:
        kind = choice.chance.random()
        if kind < 0.5:
            key.append(f"xp.asarray({[choice.chance.randrange(-extent, extent) for _ in range(count)]})")
        elif kind < 0.6:
            key.append(str(choice.chance.randrange(-extent, extent)))
        else:
            key.append(":")
    if sum(part.isdigit() or part[0] == "-" for part in key) and any("[" in part for part in key):
        return None  # NumPy counts integers beside arrays among the arrays when it places axes
    return Drawn(f"{{}}[{', '.join(key)}]", (place,))


def flip(choice: Choice) -> Drawn | None:
    place = choice.one()
    axes = False if place is None else choice.axes(place)
    return None if axes is False else Drawn(f"xp.flip({{}}, axis={axes})", (place,))


def two_places(name: str) -> Callable[[Choice], Drawn | None]:
    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(least_rank=1)
        if place is None:
            return None
        one, other = choice.axis(place), choice.axis(place)
        return Drawn(f"xp.{name}({{}}, {one}, {other})", (place,))

    return draw


def expand_dims(choice: Choice) -> Drawn | None:
    place = choice.one()
    return (
        None
        if place is None
        else Drawn(
            f"xp.expand_dims({{}}, axis={choice.chance.randint(-choice.array(place).ndim - 1, choice.array(place).ndim)})",
            (place,),
        )
    )


def broadcast_to(choice: Choice) -> Drawn | None:
    place = choice.one()
    if place is None:
        return None
    shape = [choice.chance.randint(0, 4) if extent == 1 else extent for extent in choice.values[place].shape]
    shape = [choice.chance.randint(1, 3) for _ in range(choice.chance.randint(0, 1))] + shape
    return (
        Drawn(f"xp.broadcast_to({{}}, {tuple(shape)})", (place,))
        if math.prod(shape) <= MOST_ELEMENTS
        else None
    )


def joined(name: str) -> Callable[[Choice], Drawn | None]:
    def draw(choice: Choice) -> Drawn | None:
        first = choice.one(least_rank=1 if name == "concat" else 0)
        if first is None:
            return None
        shape = choice.values[first].shape
        axis = choice.chance.randrange(len(shape) + (name == "stack"))
        fitting = [
            place
            for place, value in enumerate(choice.values)
            if (
                value.shape == shape
                if name == "stack"
                else len(value.shape) == len(shape)
                and value.shape[:axis] + value.shape[axis + 1 :] == shape[:axis] + shape[axis + 1 :]
            )
        ]
        chosen = [first, *(choice.chance.choice(fitting) for _ in range(choice.chance.randint(0, 3)))]
        if not promotes(choice, chosen) or sum(choice.array(place).size for place in chosen) > MOST_ELEMENTS:
            return None
        listed = ", ".join("{}" for _ in chosen)
        return Drawn(f"xp.{name}([{listed}], axis={axis})", tuple(chosen))

    return draw


def roll(choice: Choice) -> Drawn | None:
    place = choice.one()
    axis = False if place is None else choice.axes(place)
    return (
        None
        if axis is False
        else Drawn(f"xp.roll({{}}, {choice.chance.randint(-9, 9)}, axis={axis})", (place,))
    )


def pad(choice: Choice) -> Drawn | None:
    place = choice.one(least_rank=1)
    if place is None:
        return None
    mode = choice.chance.choice(("constant", "constant", "edge", "reflect", "symmetric"))
    shape = choice.values[place].shape
    most = [
        3
        if mode == "constant"
        else min(3, extent - (mode == "reflect"))
        if mode != "edge" or not extent
        else 3
        for extent in shape
    ]
    if min(most) < 0:
        return None
    widths = tuple((choice.chance.randint(0, width), choice.chance.randint(0, width)) for width in most)
    value = (
        f", constant_values={choice.chance.choice(SCALARS[choice.array(place).dtype.kind])}"
        if mode == "constant" and choice.chance.random() < 0.6
        else ""
    )
    return Drawn(f'xp.pad({{}}, {widths}, mode="{mode}"{value})', (place,))


def repeat(choice: Choice) -> Drawn | None:
    place = choice.one()
    axis = None if place is None or choice.chance.random() < 0.2 else choice.axis(place)
    return (
        None
        if place is None
        else Drawn(f"xp.repeat({{}}, {choice.chance.randint(0, 3)}, axis={axis})", (place,))
    )


def tile(choice: Choice) -> Drawn | None:
    place = choice.one()
    return (
        None
        if place is None
        else Drawn(
            f"xp.tile({{}}, {tuple(choice.chance.randint(0, 3) for _ in range(choice.chance.randint(1, 3)))})",
            (place,),
        )
    )


def take(choice: Choice) -> Drawn | None:
    place = choice.one(filled=True, least_rank=1)
    axis = None if place is None else choice.axis(place)
    if axis is None:
        return None
    extent = choice.values[place].shape[axis]
    positions = [choice.chance.randrange(-extent, extent) for _ in range(choice.chance.randint(1, 5))]
    return Drawn(f"xp.take({{}}, xp.asarray({positions}), axis={axis})", (place,))


def take_along_axis(choice: Choice) -> Drawn | None:
    place = choice.one(filled=True, least_rank=1)
    axis = None if place is None else choice.axis(place)
    return (
        None
        if axis is None
        else Drawn(
            f"xp.take_along_axis({{}}, xp.argmin({{}}, axis={axis}, keepdims=True), axis={axis})",
            (place, place),
        )
    )


def triangle(name: str) -> Callable[[Choice], Drawn | None]:
    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(least_rank=2)
        return (
            None if place is None else Drawn(f"xp.{name}({{}}, k={choice.chance.randint(-3, 3)})", (place,))
        )

    return draw


def picked(name: str) -> Callable[[Choice], Drawn | None]:
    """One of several results."""

    def draw(choice: Choice) -> Drawn | None:
        chance = choice.chance
        if name == "unstack":
            place = choice.one(least_rank=1, filled=True)
            axis = None if place is None else choice.axis(place)
            return (
                None
                if axis is None
                else Drawn(
                    f"xp.unstack({{}}, axis={axis})[{chance.randrange(choice.values[place].shape[axis])}]",
                    (place,),
                )
            )
        first = choice.one(rank=1 if name == "meshgrid" else None)
        if first is None:
            return None
        picked_one = chance.randrange(2)
        if name == "meshgrid":
            second = choice.one(rank=1)
            call = f'xp.meshgrid({{}}, {{}}, indexing="{chance.choice(("xy", "ij"))}")'
        else:
            second = choice.partner(first)
            call = "xp.broadcast_arrays({}, {})"
        if second is None:
            return None
        dtype = choice.values[(first, second)[picked_one]].dtype
        return Drawn(f"{call}[{picked_one}]", (first, second), dtype=dtype)

    return draw


def squeeze(choice: Choice) -> Drawn | None:
    place = choice.one()
    if place is None:
        return None
    axes = tuple(axis for axis, extent in enumerate(choice.values[place].shape) if extent == 1)
    return Drawn(f"xp.squeeze({{}}, axis={axes})", (place,))


# conversion


def astype(choice: Choice) -> Drawn | None:
    place = choice.one()
    dtype = choice.chance.choice(DTYPES)
    return None if place is None else Drawn(f'xp.astype({{}}, "{dtype}")', (place,), dtype=dtype)


def bitcast(choice: Choice) -> Drawn | None:
    place = choice.one("iuf")
    if place is None or choice.values[place].dtype == "bfloat16":
        return None
    size = choice.array(place).dtype.itemsize
    dtype = choice.chance.choice(
        [name for name in (*INTEGERS, "float16", "float32", "float64") if np.dtype(name).itemsize == size]
    )
    return Drawn(f'xp.bitcast({{}}, "{dtype}")', (place,))


def creation(choice: Choice) -> Drawn | None:
    chance = choice.chance
    shape = tuple(chance.randint(1, 7) for _ in range(chance.randint(0, 2)))
    dtype = chance.choice([name for name in DTYPES if name != "bfloat16"])
    numbers = SCALARS[np.dtype(dtype).kind]
    return Drawn(
        chance.choice(
            (
                f'xp.full({shape}, {chance.choice(numbers)}, dtype="{dtype}")',
                f"xp.full({shape}, {chance.choice(numbers)})",
                f'xp.zeros({shape}, dtype="{dtype}")',
                f'xp.ones({shape}, dtype="{dtype}")',
                f'xp.eye({chance.randint(0, 5)}, {chance.randint(0, 5)}, k={chance.randint(-3, 3)}, dtype="{dtype}")',
                f"xp.arange({chance.randint(-5, 9)}, {chance.randint(-5, 19)}, {chance.choice((1, 2, -1, -3))})",
                f"xp.arange({chance.randint(0, 17)})",
                f"xp.arange({chance.choice(('0.5', '-2.25', '1.0'))}, {chance.randint(-5, 9)}, {chance.choice((0.5, -0.25, 1.5))})",
                f"xp.linspace({chance.randint(-5, 9)}, {chance.randint(-5, 9)}, {chance.randint(0, 9)}, endpoint={chance.random() < 0.5})",
            )
        ),
        (),
    )


def creation_like(choice: Choice) -> Drawn | None:
    place = choice.one()
    if place is None:
        return None
    number = choice.chance.choice(SCALARS[choice.array(place).dtype.kind])
    return Drawn(
        choice.chance.choice(("xp.zeros_like({})", "xp.ones_like({})", f"xp.full_like({{}}, {number})")),
        (place,),
        dtype=choice.values[place].dtype,
    )


def where(choice: Choice) -> Drawn | None:
    condition = choice.one("b") if choice.chance.random() < 0.6 else choice.one()
    if condition is None:
        return None
    first, second = choice.partner(condition), choice.partner(condition)
    if first is None or second is None or not promotes(choice, (first, second)):
        return None
    if not _broadcast(*(choice.values[place].shape for place in (condition, first, second))):
        return None
    if choice.chance.random() < 0.2:
        number = choice.chance.choice(SCALARS[choice.array(first).dtype.kind])
        dtype = "bfloat16" if choice.values[first].dtype == "bfloat16" else None
        return Drawn(f"xp.where({{}}, {{}}, {number})", (condition, first), dtype=dtype)
    floats = {choice.values[place].dtype for place in (first, second) if choice.values[place].is_float}
    dtype = "bfloat16" if floats == {"bfloat16"} else None  # whatever the condition is
    return Drawn("xp.where({}, {}, {})", (condition, first, second), dtype=dtype)


def clip(choice: Choice) -> Drawn | None:
    place = choice.one("iuf")
    if place is None:
        return None
    bounds = ("-1", "2") if choice.array(place).dtype.kind != "u" else ("1", "5")
    bounds = tuple(choice.chance.choice((bound, "None")) for bound in bounds)
    return None if bounds == ("None", "None") else Drawn(f"xp.clip({{}}, {bounds[0]}, {bounds[1]})", (place,))


def power(choice: Choice) -> Drawn | None:
    place = choice.one("iu")
    return None if place is None else Drawn(f"{{}} ** {choice.chance.choice((0, 1, 2, 3, 5, 8))}", (place,))


def power_of_arrays(choice: Choice) -> Drawn | None:
    place = choice.one("u")
    other = None if place is None else choice.partner(place, "u")
    return None if other is None else Drawn("xp.pow({}, {})", (place, other))


def shift(choice: Choice) -> Drawn | None:
    place = choice.one("iu")
    name = choice.chance.choice(("bitwise_left_shift", "bitwise_right_shift"))
    return (
        None
        if place is None
        else Drawn(f"xp.{name}({{}}, {choice.chance.choice((0, 1, 2, 7, 8, 31, 63, 64, 70))})", (place,))
    )


# sums of products


def matmul(choice: Choice) -> Drawn | None:
    first = choice.one(least_rank=1)
    if first is None:
        return None
    left = choice.values[first].shape
    fitting = []
    for place, value in enumerate(choice.values):
        right = value.shape
        if (
            right
            and right[-2 if len(right) > 1 else -1] == left[-1]
            and promotes(choice, (first, place))
            and _broadcast(left[:-2], right[:-2])
        ):
            fitting.append(place)
    return Drawn("xp.matmul({}, {})", (first, choice.chance.choice(fitting)), left[-1]) if fitting else None


def gram(choice: Choice) -> Drawn | None:
    place = choice.one(least_rank=2)
    return (
        None
        if place is None
        else Drawn("xp.matmul({}, xp.matrix_transpose({}))", (place, place), choice.values[place].shape[-1])
    )


def vecdot(choice: Choice) -> Drawn | None:
    first = choice.one(least_rank=1)
    second = None if first is None else choice.partner(first)
    if (
        second is None
        or not choice.values[second].shape
        or choice.values[first].shape[-1] != choice.values[second].shape[-1]
        or not promotes(choice, (first, second))
    ):
        return None
    return Drawn("xp.vecdot({}, {})", (first, second), choice.values[first].shape[-1])


def outer(choice: Choice) -> Drawn | None:
    first, second = choice.one(), choice.one()
    if (
        first is None
        or second is None
        or not promotes(choice, (first, second))
        or choice.array(first).size * choice.array(second).size > MOST_ELEMENTS
    ):
        return None
    return Drawn("xp.outer({}, {})", (first, second))


def contraction(choice: Choice) -> Drawn | None:
    place = choice.one(rank=2)
    if place is None:
        return None
    rows, columns = choice.values[place].shape
    text, terms = choice.chance.choice(
        (
            ('xp.einsum("ij,ij->i", {}, {})', columns),
            ('xp.einsum("ij,ij->j", {}, {})', rows),
            ('xp.einsum("ij,ij", {}, {})', rows * columns),
            ('xp.einsum("ij,ik->jk", {}, {})', rows),
            ("xp.tensordot({}, {}, axes=((0,), (0,)))", rows),
            ("xp.tensordot({}, {}, axes=2)", rows * columns),
        )
    )
    return Drawn(text, (place, place), terms)


# windows


def pool(name: str) -> Callable[[Choice], Drawn | None]:
    def draw(choice: Choice) -> Drawn | None:
        place = choice.one("iuf" if name == "max_pool1d" else "f", filled=True, least_rank=1)
        if place is None:
            return None
        size = choice.chance.randint(1, min(4, choice.values[place].shape[-1]))
        return Drawn(f"xp.{name}({{}}, {size}, stride={choice.chance.randint(1, 4)})", (place,), size)

    return draw


def convolution(choice: Choice) -> Drawn | None:
    place = choice.one("iuf", rank=3, filled=True)
    if place is None:
        return None
    fitting = [
        other
        for other, value in enumerate(choice.values)
        if value.array.ndim == 3
        and value.array.size
        and value.shape[1] == choice.values[place].shape[1]
        and value.shape[2] <= choice.values[place].shape[2]
        and promotes(choice, (place, other))
        and value.array.dtype.kind != "b"
    ]
    if not fitting:
        return None
    other = choice.chance.choice(fitting)
    return Drawn(
        f"xp.conv1d({{}}, {{}}, stride={choice.chance.randint(1, 3)}, padding={choice.chance.randint(0, 2)})",
        (place, other),
        math.prod(choice.values[other].shape[1:]),
    )


# where NumPy's results are not to be compared


def zero_divisor(result: Numbers, *operands: Numbers) -> Numbers:
    """Quotients of integers by zero; of the least one by -1."""
    return operands[-1] == 0


def zeros_tie(result: Numbers, *operands: Numbers) -> Numbers:
    """Of zeros of both signs, either may be the greater."""
    return (
        np.where(result == 0, np.int8(2), np.int8(0)) if result.dtype.kind == "f" else np.zeros((), np.int8)
    )


def cast_range(result: Numbers, value: Numbers) -> Numbers:
    """Floats that the integer dtype does not hold."""
    if value.dtype.kind != "f" or result.dtype.kind not in "iu":
        return np.zeros((), bool)
    limits = np.iinfo(result.dtype)
    with np.errstate(all="ignore"):
        whole = np.trunc(value.astype(np.longdouble))
        return ~((whole >= limits.min) & (whole <= limits.max))


def nan_bits(result: Numbers, value: Numbers) -> Numbers:
    """The bits of a NaN are nobody's business."""
    return value != value


def nan_sign(result: Numbers, *operands: Numbers) -> Numbers:
    return operands[-1] != operands[-1]


def large_quotient(result: Numbers, *operands: Numbers) -> Numbers:
    if result.dtype.kind != "f":
        return zero_divisor(result, *operands)
    return np.zeros((), bool)


FUNCTIONS = (
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "sigmoid",
)
TWO_ULPS = Accuracy(ulps=2.0)
SUM = Accuracy(sums=True)


def _operations() -> list[Operation]:
    found = [
        *(
            Operation(name, binary(name))
            for name in (
                "add",
                "multiply",
                "equal",
                "not_equal",
                "less",
                "less_equal",
                "greater",
                "greater_equal",
                "logical_and",
                "logical_or",
                "logical_xor",
            )
        ),
        *(
            Operation(name, binary(name, text=f"{{}} {sign} {{}}"))
            for name, sign in (
                ("+", "+"),
                ("*", "*"),
                ("==", "=="),
                ("!=", "!="),
                ("<", "<"),
                ("<=", "<="),
                (">", ">"),
                (">=", ">="),
            )
        ),
        Operation("subtract", binary("subtract", both_bools=False)),
        Operation("-", binary("-", text="{} - {}", both_bools=False)),
        Operation("maximum", binary("maximum"), undefined=zeros_tie),
        Operation("minimum", binary("minimum"), undefined=zeros_tie),
        Operation("divide", binary("divide")),
        Operation("/", binary("/", text="{} / {}")),
        Operation("floor_divide", binary("floor_divide", both_bools=False), undefined=large_quotient),
        Operation("remainder", binary("remainder", both_bools=False), undefined=large_quotient),
        Operation("copysign", binary("copysign", "f"), undefined=nan_sign),
        *(Operation(name, integers_together(name)) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")),
        *(
            Operation(name, integers_together(name, both_bools=False))
            for name in ("bitwise_left_shift", "bitwise_right_shift")
        ),
        Operation("shift", shift),
        *(Operation(name, unary(name, "iuf")) for name in ("negative", "positive", "square", "sign")),
        Operation("abs", unary("abs")),
        Operation("reciprocal", unary("reciprocal", "f")),
        Operation("bitwise_invert", unary("bitwise_invert", "biu")),
        *(Operation(name, unary(name)) for name in ("logical_not", "isnan", "isinf", "isfinite")),
        *(Operation(name, unary(name, "iuf")) for name in ("floor", "ceil", "trunc", "round")),
        Operation("signbit", unary("signbit", "f"), undefined=nan_sign),
        Operation("where", where),
        Operation("clip", clip, undefined=zeros_tie),
        Operation("pow", power),
        Operation("pow", power_of_arrays),
        Operation("square root", unary("sqrt", "f"), Accuracy(ulps=1.0)),
        Operation("relu", unary("relu", "iuf"), undefined=zeros_tie),
        Operation("astype", astype, undefined=cast_range, kind="conversion"),
        Operation("bitcast", bitcast, undefined=nan_bits, kind="conversion"),
        Operation("creation", creation, kind="creation"),
        Operation("creation_like", creation_like, kind="creation"),
    ]
    movement = {
        "reshape": reshape,
        "permute_dims": permute,
        "transpose": unary("transpose"),
        "subscript": subscript,
        "gather": gather,
        "flip": flip,
        "moveaxis": two_places("moveaxis"),
        "swapaxes": two_places("swapaxes"),
        "expand_dims": expand_dims,
        "squeeze": squeeze,
        "broadcast_to": broadcast_to,
        "concat": joined("concat"),
        "stack": joined("stack"),
        "roll": roll,
        "pad": pad,
        "repeat": repeat,
        "tile": tile,
        "take": take,
        "take_along_axis": take_along_axis,
        "tril": triangle("tril"),
        "triu": triangle("triu"),
        "unstack": picked("unstack"),
        "meshgrid": picked("meshgrid"),
        "broadcast_arrays": picked("broadcast_arrays"),
    }
    found += [Operation(name, draw, kind="movement") for name, draw in movement.items()]
    found += [
        Operation("sum", reduction("sum"), SUM, kind="reduction"),
        Operation("mean", reduction("mean", filled=True), SUM, kind="reduction"),
        Operation(
            "var",
            reduction("var", filled=True, more=("", ", correction=1", ", correction=0.5")),
            Accuracy(sums=True, scale="spread"),
            kind="reduction",
        ),
        Operation(
            "prod", reduction("prod"), Accuracy(products=True, scale="logarithm_sizes"), kind="reduction"
        ),
        Operation("max", reduction("max", filled=True), undefined=zeros_tie, kind="reduction"),
        Operation("min", reduction("min", filled=True), undefined=zeros_tie, kind="reduction"),
        *(Operation(name, reduction(name), kind="reduction") for name in ("any", "all", "count_nonzero")),
        *(
            Operation(
                name, along(name, filled=True, flat=True, more=("", ", keepdims=True")), kind="reduction"
            )
            for name in ("argmax", "argmin")
        ),
        Operation(
            "cumulative_sum",
            along("cumulative_sum", more=("", ", include_initial=True")),
            SUM,
            kind="reduction",
        ),
        Operation(
            "cumulative_prod",
            along("cumulative_prod"),
            Accuracy(products=True, scale="cumulative_logarithm_sizes"),
            kind="reduction",
        ),
        *(
            Operation(name, draw, SUM, kind="products")
            for name, draw in (
                ("matmul", matmul),
                ("gram", gram),
                ("vecdot", vecdot),
                ("outer", outer),
                ("contraction", contraction),
                ("conv1d", convolution),
            )
        ),
        Operation("max_pool1d", pool("max_pool1d"), undefined=zeros_tie, kind="windows"),
        Operation("avg_pool1d", pool("avg_pool1d"), SUM, kind="windows"),
        *(Operation(name, unary(name), TWO_ULPS, kind="function") for name in FUNCTIONS),
        *(
            Operation(name, binary(name, "f", scalars=False), TWO_ULPS, kind="function")
            for name in ("atan2", "hypot")
        ),
        Operation("logaddexp", binary("logaddexp", "f", scalars=False), TWO_ULPS, kind="function"),
        *(Operation(name, unary(name, "f"), TWO_ULPS, kind="function") for name in ("silu", "gelu")),
    ]
    return found


OPERATIONS = _operations()
