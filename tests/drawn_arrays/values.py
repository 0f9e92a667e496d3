"""Inputs of drawn programs: every dtype, awkward shapes, views of all kinds, and values at the edges of a dtype."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
DTYPES = ("bool", *INTEGERS, *FLOATS)
LAYOUTS = (
    "plain",
    "reversed",
    "transposed",
    "strided",
    "broadcast",
    "unaligned",
    "big-endian",
    "read-only",
    "fortran",
)
EXTENTS = (0, 1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31)
MOST_ELEMENTS = 400


def held_dtype(dtype: str) -> str:
    """The NumPy dtype that holds a dtype: NumPy has no bfloat16, whose values float32 holds."""
    return "float32" if dtype == "bfloat16" else dtype


def round_bfloat16(values: Numbers) -> Numbers:
    """Float32 values rounded to bfloat16, halves to even, held in float32."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).reshape(np.shape(values))
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(values), np.float32(np.nan), rounded.view(np.float32)).astype(np.float32)


def round_to(values: Numbers, dtype: str) -> Numbers:
    """Converted to a dtype as NumPy does, once; bfloat16 is held in float32."""
    if dtype != "bfloat16":
        return values.astype(dtype)
    is_wide = values.dtype.itemsize > 4 or values.dtype.kind in "iu"
    return round_bfloat16(_to_odd(values) if is_wide else values.astype(np.float32))


def _to_odd(values: Numbers) -> Numbers:
    """Wide numbers as float32, rounded to odd, so that rounding again to bfloat16 is as good as rounding once."""
    wide = values.astype(np.longdouble)
    near = values.astype(np.float32) if values.dtype.kind == "f" else wide.astype(np.float32)
    beyond = np.abs(near.astype(np.longdouble)) > np.abs(wide)
    toward = np.where(beyond, np.nextafter(near, np.float32(0)), near).astype(np.float32)
    inexact = np.isfinite(near) & (toward.astype(np.longdouble) != wide)
    return np.where(inexact, (toward.view(np.uint32) | np.uint32(1)).view(np.float32), near)


def draw_shape(chance: Random, like: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """A shape of few elements: a new one, or one that broadcasts with another."""
    if like is not None and chance.random() < 0.7:
        kept = like[chance.randint(0, len(like)) if chance.random() < 0.3 else 0 :]
        return tuple(1 if chance.random() < 0.15 else extent for extent in kept)
    while True:
        shape = tuple(chance.choice(EXTENTS) for _ in range(chance.choice((0, 1, 1, 2, 2, 2, 3, 3, 4))))
        if math.prod(shape) <= MOST_ELEMENTS and (math.prod(shape) or chance.random() < 0.3):
            return shape


def draw_values(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Numbers:
    """Ordinary numbers, or those at the edges of the dtype among them; bfloat16 in float32."""
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        return _integers(random, shape, np.iinfo(dtype))
    values = (random.normal(size=shape) * random.choice((1, 3, 100))).astype(held_dtype(dtype))
    if random.random() < 0.3:
        values = np.round(values)
    if random.random() < 0.5:
        edges = _edges(dtype)
        share = random.choice((0.05, 0.3, 1.0))
        values = np.where(random.random(shape) < share, edges[random.integers(0, len(edges), shape)], values)
    return round_bfloat16(values) if dtype == "bfloat16" else np.asarray(values, held_dtype(dtype))


def draw_moderate(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Numbers:
    """Floats from a quarter to 8 of both signs."""
    sizes = random.uniform(0.25, 8.0, shape)
    return np.asarray(sizes * random.choice((-1.0, 1.0), shape), dtype)


def _integers(random: np.random.Generator, shape: tuple[int, ...], limits: Any) -> Numbers:
    dtype = limits.dtype
    low = -9 if limits.min < 0 else 0
    values = random.integers(low, 10, shape).astype(dtype)
    kind = random.random()
    if kind < 0.25:
        values = random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    elif kind < 0.5:
        edges = np.array(
            [limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1, low // 9 % (limits.max + 1)], dtype
        )
        values = np.where(random.random(shape) < 0.5, edges[random.integers(0, len(edges), shape)], values)
    return np.asarray(values, dtype)


def _edges(dtype: str) -> Numbers:
    """Zeros of both signs, infinities, NaN, the least and greatest of normal and subnormal numbers, and ordinary ones."""
    if dtype == "bfloat16":
        least, subnormal, greatest = 2.0**-126, 2.0**-133, (2 - 2.0**-7) * 2.0**127
    else:
        limits = np.finfo(dtype)
        least, subnormal, greatest = limits.tiny, limits.smallest_subnormal, limits.max
    sizes = [
        0.0,
        np.inf,
        least,
        subnormal,
        subnormal * 3,
        greatest,
        1.0,
        0.5,
        2.5,
        1.5,
        3.0,
        10.0,
        math.sqrt(float(greatest)),
    ]
    with np.errstate(all="ignore"):
        return np.array([*sizes, *(-size for size in map(float, sizes)), np.nan], held_dtype(dtype))


def laid_out(values: Numbers, layout: str) -> Numbers:
    """An array with the same shape and elements, in another memory layout."""
    if layout == "reversed":
        backward = (slice(None, None, -1),) * values.ndim
        return np.array(values[backward], order="C")[backward]
    if layout == "transposed":
        return np.array(values.T, order="C").T
    if layout == "fortran":
        return np.array(values, order="F")
    if layout == "strided":
        wide = np.zeros((*values.shape[:-1], values.shape[-1] * 3) if values.ndim else (3,), values.dtype)
        view = wide[..., ::3] if values.ndim else wide[1:2].reshape(())
        view[...] = values
        return view
    if layout == "broadcast" and values.ndim and values.shape[0]:
        return np.broadcast_to(values[:1].copy(), values.shape)
    if layout == "unaligned":
        memory = np.zeros(values.nbytes + 1, np.uint8)
        view = memory[1:].view(values.dtype).reshape(values.shape)
        view[...] = values
        return view
    if layout == "big-endian":
        return values.astype(values.dtype.newbyteorder(">"))
    if layout == "read-only":
        values = values.copy()
        values.flags.writeable = False
    return values
