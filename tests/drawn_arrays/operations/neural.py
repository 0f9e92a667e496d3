"""What networks are made of."""

from __future__ import annotations

from collections.abc import Callable

from tests.drawn_arrays.operations.forms import Draw, call
from tests.drawn_arrays.operations.step import Choice, Drawn, Operation, broadcast
from tests.drawn_arrays.oracle import FORMULA


def normalization(name: str, parameters: int) -> Draw:
    """Of some axes, scaled and shifted by as many parameters or fewer."""

    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(filled=True)
        axes = False if place is None else choice.axes(place, filled=True)
        if place is None or axes is False:
            return None
        operands = [place]
        for _ in range(choice.chance.randint(0, parameters)):
            partner = choice.partner(*operands)
            operands += [] if partner is None else [partner]
        epsilon = choice.chance.choice(("", ", epsilon=0.25", ", epsilon=0.0"))
        listed = ", ".join("{}" for _ in operands)
        return Drawn(f"xp.{name}({listed}, axis={axes}{epsilon})", tuple(operands))

    return draw


def attention(choice: Choice) -> Drawn | None:
    queries = choice.one(filled=True, least_rank=2)
    if queries is None:
        return None
    *stack, tokens, width = choice.values[queries].shape
    keys = _fitting(
        choice,
        lambda shape: shape[-1] == width and broadcast((*stack, tokens, 1), (*shape[:-2], 1, shape[-2])),
    )
    if keys is None:
        return None
    others = choice.values[keys].shape[-2]
    values = _fitting(
        choice,
        lambda shape: (
            shape[-2] == others and broadcast(tuple(stack), choice.values[keys].shape[:-2], shape[:-2])
        ),
    )
    if values is None:
        return None
    seen = f'xp.tril(xp.ones(({tokens}, {others}), dtype="bool"))'
    added = f"xp.where({seen}, {choice.chance.choice((0.0, 0.5, -3.0))}, -xp.inf)"
    more = choice.chance.choice(("", "", ", scale=0.5", f", mask={seen}", f", mask={added}"))
    return Drawn(f"xp.attention({{}}, {{}}, {{}}{more})", (queries, keys, values))


def _fitting(choice: Choice, fits: Callable[[tuple[int, ...]], bool]) -> int | None:
    places = [
        place
        for place, value in enumerate(choice.values)
        if value.array.ndim >= 2 and value.array.size and fits(value.shape)
    ]
    return choice.chance.choice(places) if places else None


NEURAL = (
    Operation("softmax", call("xp.softmax({}, axis={filled_axes})"), FORMULA),
    Operation("log_softmax", call("xp.log_softmax({}, axis={filled_axes})"), FORMULA),
    Operation("layer_norm", normalization("layer_norm", 2), FORMULA),
    Operation("rms_norm", normalization("rms_norm", 1), FORMULA),
    Operation("attention", attention, FORMULA),
    Operation("gelu", call('xp.gelu({}, approximate="tanh")'), FORMULA),
    Operation("one_hot", call("xp.one_hot({}, {few}, axis={new_axis})", "biu")),
)
