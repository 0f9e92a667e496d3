"""What networks and computations with floats are made of: each writes lines of a draft, and gives the name of what comes out."""

from __future__ import annotations

from collections.abc import Callable

from tests.drawn_models.drafting import WIDTHS, Draft

Layer = Callable[[Draft, str], str]
ACTIVATIONS = ("relu", "gelu", "silu", "tanh", "sigmoid", "sin", "expm1", "square", "abs")


def activation(draft: Draft, x: str) -> str:
    """A function of each element, of bounded growth."""
    name = draft.chance.choice(ACTIVATIONS)
    return draft.line(
        f"xp.{name}(xp.clip({x}, -3.0, 3.0))" if name in ("expm1", "square") else f"xp.{name}({x})"
    )


def dense(draft: Draft, x: str) -> str:
    width = draft.chance.choice(WIDTHS)
    w, b = draft.weights(draft.shape(x)[-1], width), draft.weights(width)
    text = f"xp.matmul({x}, {w})" if draft.chance.random() < 0.7 else f'xp.einsum("...i,ij->...j", {x}, {w})'
    return draft.line(f"{text} + {b}" if draft.chance.random() < 0.6 else text)


def from_transposed(draft: Draft, x: str) -> str:
    width = draft.chance.choice(WIDTHS)
    w = draft.weights(width, draft.shape(x)[-1], scale=draft.shape(x)[-1] ** -0.5)
    return draft.line(f"xp.matmul({x}, xp.matrix_transpose({w}))")


def gated(draft: Draft, x: str) -> str:
    """Halves of a dense layer, one deciding how much of the other there is."""
    width = draft.chance.choice(WIDTHS)
    both = draft.line(f"xp.matmul({x}, {draft.weights(draft.shape(x)[-1], 2 * width)})")
    gate = draft.chance.choice(("sigmoid", "silu", "gelu"))
    return draft.line(f"xp.{gate}({both}[..., :{width}]) * {both}[..., {width}:]")


def normalized(draft: Draft, x: str) -> str:
    axis = draft.chance.choice((-1, -1, 1, (1, -1)))
    width = draft.shape(x)[-1]
    name = draft.chance.choice(("layer_norm", "rms_norm"))
    scaled = f", {draft.weights(width, scale=1.0)}" if draft.chance.random() < 0.5 else ""
    return draft.line(f"xp.{name}({x}{scaled}, axis={axis}, epsilon=0.01)")


def residual(draft: Draft, x: str) -> str:
    """A layer, and what went into it."""
    y = draft.chance.choice((activation, normalized, attention, mixed_along, shifted, softened))(draft, x)
    return draft.line(f"{x} + {y}") if draft.shape(y) == draft.shape(x) else y


def attention(draft: Draft, x: str) -> str:
    """Of several heads, written out or by the function, with a causal mask or without."""
    _, tokens, width = draft.shape(x)
    heads = draft.chance.choice([heads for heads in (1, 2, 3, 4, 8) if width % heads == 0])
    parts: list[str] = []
    for _ in range(3):
        y = draft.line(f"xp.matmul({x}, {draft.weights(width, width)})")
        split = f"xp.reshape({y}, ({x}.shape[0], {tokens}, {heads}, {width // heads}))"
        parts.append(draft.line(f"xp.permute_dims({split}, (0, 2, 1, 3))"))
    mask = f'xp.tril(xp.ones(({tokens}, {tokens}), dtype="bool"))'
    if draft.chance.random() < 0.5:
        more = f", mask={mask}" if draft.chance.random() < 0.5 else ""
        y = draft.line(f"xp.attention({', '.join(parts)}{more})")
    else:
        scores = draft.line(
            f"xp.matmul({parts[0]}, xp.matrix_transpose({parts[1]})) * {(width // heads) ** -0.5}"
        )
        if draft.chance.random() < 0.5:
            scores = draft.line(f"xp.where({mask}, {scores}, -30.0)")
        y = draft.line(f"xp.matmul(xp.softmax({scores}, axis=-1), {parts[2]})")
    return draft.line(f"xp.reshape(xp.permute_dims({y}, (0, 2, 1, 3)), ({x}.shape[0], {tokens}, {width}))")


def rotated(draft: Draft, x: str) -> str:
    """Pairs of elements turned by an angle that grows with the position."""
    _, tokens, width = draft.shape(x)
    half = width // 2
    if not half:
        return x
    angles = draft.line(f"xp.reshape(xp.arange({tokens}), ({tokens}, 1)) * xp.exp(xp.arange({half}) * -0.25)")
    c, s = (
        draft.line(f"xp.astype(xp.cos({angles}), {x}.dtype)"),
        draft.line(f"xp.astype(xp.sin({angles}), {x}.dtype)"),
    )
    a, b = f"{x}[..., :{half}]", f"{x}[..., {half}:{2 * half}]"
    return draft.line(f"xp.concat([{a} * {c} - {b} * {s}, {a} * {s} + {b} * {c}], axis=-1)")


def mixed_along(draft: Draft, x: str) -> str:
    """Tokens mixed by a matrix."""
    tokens = draft.shape(x)[1]
    return draft.line(f"xp.matmul({draft.weights(tokens, tokens)}, {x})")


def shifted(draft: Draft, x: str) -> str:
    tokens, by = draft.shape(x)[1], draft.chance.choice((-2, -1, 1, 2))
    form = draft.chance.choice(("roll", "pad", "both"))
    if form == "roll" or abs(by) > tokens:
        return draft.line(f"xp.roll({x}, {by}, axis=1)")
    frame, cut = (f"({by}, 0)", f":{tokens}") if by > 0 else (f"(0, {-by})", f"{-by}:")
    padded = f"xp.pad({x}, ((0, 0), {frame}, (0, 0)))[:, {cut}]"
    return draft.line(padded if form == "pad" else f"{x} * 0.5 + {padded} * 0.25")


def accumulated(draft: Draft, x: str) -> str:
    """Means of all tokens up to each."""
    tokens, axis = draft.shape(x)[1], draft.chance.choice((1, 1, -1))
    if axis == -1:
        return draft.line(f"xp.cumulative_sum({x}, axis=-1) * {1 / draft.shape(x)[-1]}")
    return draft.line(
        f"xp.cumulative_sum({x}, axis=1) / xp.reshape(xp.arange(1.0, {tokens + 1}.0, dtype={x}.dtype), ({tokens}, 1))"
    )


def softened(draft: Draft, x: str) -> str:
    return draft.line(
        f"xp.{draft.chance.choice(('softmax', 'log_softmax'))}({x}, axis={draft.chance.choice((1, 2, -1, (1, 2)))})"
    )


def pooled(draft: Draft, x: str) -> str:
    """Something of all tokens, compared with each."""
    name = draft.chance.choice(("mean", "max", "min", "std", "var", "logsumexp"))
    axis = draft.chance.choice((1, -1, (1, 2)))
    return draft.line(f"{x} {draft.chance.choice('-+')} xp.{name}({x}, axis={axis}, keepdims=True)")


def recurrent(draft: Draft, x: str) -> str:
    """A few steps of a recurrent network over the first tokens, stacked."""
    tokens, width = draft.shape(x)[1:]
    inner, own = draft.weights(width, width), draft.weights(width, width)
    state, states = f"xp.zeros_like({x}[:, 0])", []
    for place in range(min(tokens, draft.chance.randint(1, 4))):
        state = draft.line(f"xp.tanh(xp.matmul({x}[:, {place}], {inner}) + xp.matmul({state}, {own}))")
        states.append(state)
    return draft.line(f"xp.stack([{', '.join(states)}], axis=1)")


def subsampled(draft: Draft, x: str) -> str:
    """Fewer tokens, or more, in another order."""
    tokens = draft.shape(x)[1]
    places = [draft.chance.randrange(tokens) for _ in range(draft.chance.randint(1, 12))]
    return draft.line(draft.chance.choice((f"{x}[:, ::2]", f"{x}[:, ::-1]", f"{x}[:, {tokens // 2}:]", f"xp.repeat({x}, 2, axis=1)",
                                           f"xp.take({x}, xp.asarray({places}), axis=1)", f"xp.tile({x}, (1, 2, 1))")))  # fmt: skip


def joined(draft: Draft, x: str) -> str:
    """With an earlier value of the same number of tokens."""
    fitting = [
        name
        for name, value in draft.values.items()
        if value.ndim == 3 and value.shape[:2] == draft.shape(x)[:2]
    ]
    return draft.line(
        f"xp.concat([{x}, {draft.chance.choice(fitting)}], axis={draft.chance.choice((-1, 2))})"
    )


def distances(draft: Draft, x: str) -> str:
    """Of all tokens from some points, as affinities."""
    points = draft.weights(draft.chance.choice(WIDTHS[:8]), draft.shape(x)[-1], scale=1.0)
    squares = draft.line(f"xp.sum((xp.expand_dims({x}, axis=2) - {points}) ** 2, axis=-1)")
    return draft.line(f"xp.exp(-0.1 * {squares})")


def experts(draft: Draft, x: str) -> str:
    """Several dense layers, of which each token has a mixture."""
    width, count, inner = draft.shape(x)[-1], draft.chance.randint(2, 4), draft.chance.choice(WIDTHS[:9])
    shares = draft.line(f"xp.softmax(xp.matmul({x}, {draft.weights(width, count)}), axis=-1)")
    w = draft.weights(count, width, inner, scale=width**-0.5)
    if draft.chance.random() < 0.5:
        return draft.line(f'xp.einsum("bte,btd,edh->bth", {shares}, {x}, {w})')
    each = draft.line(f"xp.matmul(xp.expand_dims({x}, axis=1), {w})")
    return draft.line(
        f"xp.sum({each} * xp.expand_dims(xp.permute_dims({shares}, (0, 2, 1)), axis=-1), axis=1)"
    )


def along_tokens(draft: Draft, x: str) -> str:
    """A convolution or pooling along the tokens."""
    tokens, width = draft.shape(x)[1:]
    size = draft.chance.randint(1, min(4, tokens))
    stride, across = draft.chance.choice((1, 1, 2)), f"xp.permute_dims({x}, (0, 2, 1))"
    if draft.chance.random() < 0.4:
        is_float = draft.values[x].dtype.kind == "f"
        name = draft.chance.choice(("max_pool1d", "avg_pool1d")) if is_float else "max_pool1d"
        y = draft.line(f"xp.{name}({across}, {size}, stride={stride})")
    else:
        groups = draft.chance.choice([each for each in (1, 1, 2, width) if width % each == 0])
        w = draft.weights(
            groups * draft.chance.choice((1, 2, 3)),
            width // groups,
            size,
            scale=(width // groups * size) ** -0.5,
        )
        y = draft.line(
            f"xp.conv1d({across}, {w}, stride={stride}, padding={draft.chance.choice((0, size // 2))}, dilation=1, groups={groups})"
        )
    return draft.line(f"xp.permute_dims({y}, (0, 2, 1))")


def as_image(draft: Draft, x: str) -> str:
    """Tokens and widths as an image, convolved or pooled or smoothed, and back."""
    rows, columns = draft.shape(x)[1:]
    image = draft.line(f"xp.expand_dims({x}, axis=1)")
    size, channels = draft.chance.randint(1, min(3, rows, columns)), draft.chance.choice((1, 2, 3, 4))
    w = draft.weights(channels, 1, size, size, scale=1 / size)
    padding, stride = draft.chance.choice((0, size // 2)), draft.chance.choice((1, 1, 2))
    y = draft.line(
        f"xp.relu(xp.conv2d({image}, {w}, stride={stride}, padding={padding}, dilation=1, groups=1))"
    )
    if min(draft.shape(y)[2:]) >= 2 and draft.chance.random() < 0.5:
        y = draft.line(
            f"xp.{draft.chance.choice(('max_pool2d', 'avg_pool2d'))}({y}, 2, stride={draft.chance.choice((1, 2))})"
        )
    _, channels, rows, columns = draft.shape(y)
    return draft.line(f"xp.reshape({y}, ({x}.shape[0], {channels * rows}, {columns}))")


def stencil(draft: Draft, x: str) -> str:
    """Some steps of heat that spreads over tokens and widths."""
    y = x
    for _ in range(draft.chance.randint(1, 3)):
        mode = (
            draft.chance.choice(("constant", "edge", "reflect", "symmetric", "wrap"))
            if min(draft.shape(x)[1:]) > 1
            else "constant"
        )
        framed = draft.line(f'xp.pad({y}, ((0, 0), (1, 1), (1, 1)), mode="{mode}")')
        sides = (
            f"{framed}[:, 2:, 1:-1] + {framed}[:, :-2, 1:-1] + {framed}[:, 1:-1, 2:] + {framed}[:, 1:-1, :-2]"
        )
        y = draft.line(f"{y} + 0.1 * ({sides} - 4.0 * {y})")
    return y


def reshaped(draft: Draft, x: str) -> str:
    """Tokens and widths divided otherwise."""
    tokens, width = draft.shape(x)[1:]
    if draft.chance.random() < 0.4 or tokens % 2:
        return draft.line(f"xp.permute_dims({x}, (0, 2, 1))")
    if draft.chance.random() < 0.5:
        return draft.line(f"xp.reshape({x}, ({x}.shape[0], {tokens // 2}, {2 * width}))")
    pairs = f"xp.reshape({x}, ({x}.shape[0], {tokens // 2}, 2, {width}))"
    return draft.line(
        f"xp.reshape(xp.permute_dims({pairs}, (0, 1, 3, 2)), ({x}.shape[0], {tokens // 2}, {2 * width}))"
    )


def solved(draft: Draft, x: str) -> str:
    """A few steps of an iteration with a contracting matrix."""
    width = draft.shape(x)[-1]
    w, y = draft.weights(width, width, scale=0.5 / width), x
    for _ in range(draft.chance.randint(1, 4)):
        y = draft.line(f"{x} + xp.matmul({y}, {w})")
    return y


LAYERS: tuple[Layer, ...] = (activation, dense, dense, from_transposed, gated, normalized, normalized, residual, residual, attention, rotated,
                             mixed_along, shifted, accumulated, softened, pooled, recurrent, subsampled, joined, distances, experts, along_tokens,
                             as_image, stencil, reshaped, solved)  # fmt: skip
