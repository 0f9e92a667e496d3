"""Whole networks, as array programs of their input and weights: a residual network for images, and a transformer for text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Shapes = list[tuple[int, ...]]

STAGES = {
    26: (2, 2, 2, 2),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
}  # the number of blocks of each width, by the depth of the network
IMAGE = 224  # pixels along each side of an image
HEADS, WIDTH, TOKENS = 12, 768, 128  # heads, width and tokens of the transformer


def residual_network(xp: Any, depth: int, image: Any, *weights: Any) -> Any:
    """Bottleneck blocks with residual sums (He et al., arXiv:1512.03385), and norms as scales and shifts: (1, 3, 224, 224) -> (1, 1000)."""
    given = iter(weights)

    def layer(x: Any, **options: Any) -> Any:
        filters, scale, shift = next(given), next(given), next(given)
        return xp.conv2d(x, filters, **options) * scale[:, None, None] + shift[:, None, None]

    x = xp.maximum(layer(image, stride=2, padding=3), 0.0)
    x = xp.max_pool2d(x, 3, stride=2, padding=1)
    for stage, blocks in enumerate(STAGES[depth]):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = xp.maximum(layer(x), 0.0)
            y = xp.maximum(layer(y, stride=stride, padding=1), 0.0)
            y = layer(y)
            x = xp.maximum(y + (layer(x, stride=stride) if not block else x), 0.0)
    return xp.matmul(xp.mean(x, axis=(2, 3)), next(given)) + next(given)


def residual_shapes(depth: int) -> Shapes:
    """The shapes of the image and of all weights."""
    return [(1, 3, IMAGE, IMAGE), *_layer(64, 3, 7), *_blocks(depth), (2048, 1000), (1000,)]


def _blocks(depth: int) -> Iterator[tuple[int, ...]]:
    before = 64
    for stage, blocks in enumerate(STAGES[depth]):
        width = 64 << stage
        for block in range(blocks):
            yield from [*_layer(width, before, 1), *_layer(width, width, 3), *_layer(4 * width, width, 1)]
            if not block:
                yield from _layer(4 * width, before, 1)
            before = 4 * width


def _layer(outputs: int, inputs: int, taps: int) -> Shapes:
    return [(outputs, inputs, taps, taps), (outputs,), (outputs,)]


def transformer(xp: Any, layers: int, x: Any, *weights: Any) -> Any:
    """Pre-norm blocks with causal attention and a GELU between the layers of each: (tokens, width) -> the same."""
    given = iter(weights)

    def linear(x: Any) -> Any:
        return xp.matmul(x, next(given)) + next(given)

    seen = xp.tril(xp.ones((TOKENS, TOKENS))) > 0
    for _ in range(layers):
        split = xp.reshape(
            linear(xp.layer_norm(x, next(given), next(given))), (TOKENS, 3, HEADS, WIDTH // HEADS)
        )
        queries, keys, values = (xp.permute_dims(split[:, part], (1, 0, 2)) for part in range(3))
        attended = xp.attention(queries, keys, values, mask=seen)
        x = x + linear(xp.reshape(xp.permute_dims(attended, (1, 0, 2)), (TOKENS, WIDTH)))
        x = x + linear(xp.gelu(linear(xp.layer_norm(x, next(given), next(given)))))
    return x


def transformer_shapes(layers: int) -> Shapes:
    """The shapes of the input and of all weights."""
    norm: Shapes = [(WIDTH,), (WIDTH,)]
    block = [
        *norm, (WIDTH, 3 * WIDTH), (3 * WIDTH,), (WIDTH, WIDTH), (WIDTH,),
        *norm, (WIDTH, 4 * WIDTH), (4 * WIDTH,), (4 * WIDTH, WIDTH), (WIDTH,),
    ]  # fmt: skip
    return [(TOKENS, WIDTH), *block * layers]
