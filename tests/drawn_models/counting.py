"""What programs of integers are made of: each writes lines of a draft whose values are exact, and gives the name of what comes out."""

from __future__ import annotations

from tests.drawn_models.drafting import Draft
from tests.drawn_models.layers import Layer, along_tokens, joined, reshaped, subsampled


def multiplied(draft: Draft, x: str) -> str:
    width = draft.chance.choice((1, 3, 8, 17, 32))
    return draft.line(f"xp.matmul({x}, {draft.weights(draft.shape(x)[-1], width)})")


def scrambled(draft: Draft, x: str) -> str:
    """Bits of each element mixed, as hashes do."""
    bits = draft.values[x].dtype.itemsize * 8
    left, right = draft.chance.randrange(bits), draft.chance.randrange(bits)
    y = draft.line(f"{x} ^ ({x} << {left})")
    return draft.line(f"({y} * 5) {draft.chance.choice('^|&')} ({y} >> {right})")


def divided(draft: Draft, x: str) -> str:
    by = draft.chance.choice((2, 3, 7, 8, 16, 100))
    return draft.line(
        draft.chance.choice(
            (
                f"{x} // {by}",
                f"{x} % {by}",
                f"xp.remainder({x}, xp.abs({x}) % 7 + 1)",
                f"{x} // ({x} % 5 + 6)",
            )
        )
    )


def accumulated(draft: Draft, x: str) -> str:
    dtype = draft.values[x].dtype.name
    name = draft.chance.choice(("sum", "sum", "prod"))
    return draft.line(f'xp.cumulative_{name}({x}, axis={draft.chance.choice((1, 2))}, dtype="{dtype}")')


def placed(draft: Draft, x: str) -> str:
    """Where the greatest or least elements are, and these taken."""
    dtype, axis = draft.values[x].dtype.name, draft.chance.choice((1, 2))
    places = draft.line(f"xp.{draft.chance.choice(('argmax', 'argmin'))}({x}, axis={axis}, keepdims=True)")
    if draft.chance.random() < 0.5:
        return draft.line(f"{x} - xp.take_along_axis({x}, {places}, axis={axis})")
    return draft.line(f'{x} + xp.astype({places}, "{dtype}")')


def counted(draft: Draft, x: str) -> str:
    """A histogram of each token's elements."""
    dtype, count = draft.values[x].dtype.name, draft.chance.choice((2, 5, 16))
    bins = draft.line(f"xp.expand_dims({x} % {count}, axis=-1)")
    same = f'{bins} == xp.arange({count}, dtype="{dtype}")'
    return draft.line(f'xp.sum({same}, axis=2, dtype="{dtype}")')


def chosen(draft: Draft, x: str) -> str:
    test = draft.chance.choice((f"{x} > 2", f"({x} % 2 == 0) & ({x} < 50)", f"xp.roll({x}, 1, axis=1) > {x}"))
    other = draft.chance.choice(
        (f"xp.flip({x}, axis=2)", f"xp.clip({x}, 0, 7)", f"xp.zeros_like({x})", f"~{x}")
    )
    return draft.line(f"xp.where({test}, {x}, {other})")


def reduced(draft: Draft, x: str) -> str:
    name, dtype = draft.chance.choice(("max", "min", "sum", "prod")), draft.values[x].dtype.name
    more = f', dtype="{dtype}"' if name in ("sum", "prod") else ""
    return draft.line(
        f"{x} {draft.chance.choice('+-*')} xp.{name}({x}, axis={draft.chance.choice((1, 2, (1, 2)))}, keepdims=True{more})"
    )


def neighbours(draft: Draft, x: str) -> str:
    """A step of a cellular automaton."""
    alive = draft.line(f'xp.astype({x} % 2 == 1, "{draft.values[x].dtype.name}")')
    sums = [
        f"xp.roll({alive}, ({dx}, {dy}), axis=(1, 2))" for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy
    ]
    around = draft.line(" + ".join(sums))
    return draft.line(f"xp.where(({around} == 3) | (({alive} == 1) & ({around} == 2)), {x}, {around})")


COUNTING: tuple[Layer, ...] = (multiplied, scrambled, divided, accumulated, placed, counted, chosen, reduced, neighbours, along_tokens, subsampled,
                               joined, reshaped)  # fmt: skip
