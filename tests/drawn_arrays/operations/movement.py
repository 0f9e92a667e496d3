"""What moves elements and changes none."""

from __future__ import annotations

from tests.drawn_arrays.operations.forms import SCALARS, Draw, call, unary
from tests.drawn_arrays.operations.step import Choice, Drawn, Operation
from tests.drawn_arrays.values import MOST_ELEMENTS


def joined(name: str) -> Draw:
    """Up to four values of one shape, but for the axis along which they are concatenated."""
    stacks = name == "stack"

    def draw(choice: Choice) -> Drawn | None:
        first = choice.one(least_rank=0 if stacks else 1)
        if first is None:
            return None
        shape = choice.values[first].shape
        axis = choice.chance.randrange(len(shape) + stacks)
        fitting = [
            place
            for place, value in enumerate(choice.values)
            if value.shape == shape or (not stacks and _agree_beside(axis, value.shape, shape))
        ]
        chosen = [first, *(choice.chance.choice(fitting) for _ in range(choice.chance.randint(0, 3)))]
        if sum(choice.array(place).size for place in chosen) > MOST_ELEMENTS:
            return None
        return Drawn(f"xp.{name}([{', '.join('{}' for _ in chosen)}], axis={axis})", tuple(chosen))

    return draw


def _agree_beside(axis: int, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return len(one) == len(other) and one[:axis] + one[axis + 1 :] == other[:axis] + other[axis + 1 :]


def pad(choice: Choice) -> Drawn | None:
    place = choice.one(least_rank=1)
    if place is None:
        return None
    mode = choice.chance.choice(("constant", "constant", "edge", "reflect", "symmetric", "wrap"))
    most = [_widest_frame(mode, extent) for extent in choice.values[place].shape]
    widths = tuple((choice.chance.randint(0, width), choice.chance.randint(0, width)) for width in most)
    value = ""
    if mode == "constant" and choice.chance.random() < 0.6:
        value = f", constant_values={choice.chance.choice(SCALARS[choice.array(place).dtype.kind])}"
    return Drawn(f'xp.pad({{}}, {widths}, mode="{mode}"{value})', (place,))


def _widest_frame(mode: str, extent: int) -> int:
    """None around an axis without elements, unless it is of a constant; mirrors return again and again."""
    return 3 if mode == "constant" else 5 if extent else 0


def repeat_each(choice: Choice) -> Drawn | None:
    """Elements, each as often as is said of it."""
    place = choice.one(least_rank=1)
    axis = None if place is None else choice.axis(place)
    if place is None or axis is None:
        return None
    counts = [choice.chance.randint(0, 3) for _ in range(choice.values[place].shape[axis])]
    return Drawn(f"xp.repeat({{}}, {counts}, axis={axis})", (place,))


def one_of_unstacked(choice: Choice) -> Drawn | None:
    place = choice.one(least_rank=1, filled=True)
    axis = None if place is None else choice.axis(place)
    if place is None or axis is None:
        return None
    part = choice.chance.randrange(choice.values[place].shape[axis])
    return Drawn(f"xp.unstack({{}}, axis={axis})[{part}]", (place,))


def one_of_grid(choice: Choice) -> Drawn | None:
    operands = choice.one(rank=1), choice.one(rank=1)
    return _one_of_two(
        choice, f'xp.meshgrid({{}}, {{}}, indexing="{choice.chance.choice(("xy", "ij"))}")', operands
    )


def one_of_broadcast(choice: Choice) -> Drawn | None:
    first = choice.one()
    return _one_of_two(
        choice, "xp.broadcast_arrays({}, {})", (first, None if first is None else choice.partner(first))
    )


def _one_of_two(choice: Choice, text: str, operands: tuple[int | None, int | None]) -> Drawn | None:
    first, second = operands
    if first is None or second is None:
        return None
    part = choice.chance.randrange(2)
    return Drawn(f"{text}[{part}]", (first, second), dtype=choice.values[(first, second)[part]].dtype)


MOVEMENT = (
    Operation("reshape", call("xp.reshape({}, {shape_of_same_size})")),
    Operation("permute_dims", call("xp.permute_dims({}, {order})")),
    Operation("transpose", unary("transpose")),
    Operation("matrix_transpose", call("xp.matrix_transpose({})", least_rank=2)),
    Operation("flip", call("xp.flip({}, axis={axes})")),
    Operation("roll", call("xp.roll({}, {shift}, axis={axes})")),
    Operation("moveaxis", call("xp.moveaxis({}, {axis}, {axis})", least_rank=1)),
    Operation("swapaxes", call("xp.swapaxes({}, {axis}, {axis})", least_rank=1)),
    Operation("expand_dims", call("xp.expand_dims({}, axis={new_axis})")),
    Operation("squeeze", call("xp.squeeze({}, axis={axes_of_one})")),
    Operation("broadcast_to", call("xp.broadcast_to({}, {stretched_shape})")),
    Operation("repeat", call("xp.repeat({}, {few}, axis={axis_or_all})")),
    Operation("repeat", repeat_each),
    Operation("tile", call("xp.tile({}, {fews})")),
    Operation("tril", call("xp.tril({}, k={diagonal})", least_rank=2)),
    Operation("triu", call("xp.triu({}, k={diagonal})", least_rank=2)),
    Operation("concat", joined("concat")),
    Operation("stack", joined("stack")),
    Operation("pad", pad),
    Operation("unstack", one_of_unstacked),
    Operation("meshgrid", one_of_grid, promoted=2),
    Operation("broadcast_arrays", one_of_broadcast, promoted=2),
)
