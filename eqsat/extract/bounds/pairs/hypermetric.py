"""Finds inequalities that all vectors of signs satisfy and the relaxation to unit vectors violates.

An odd number of signs never adds up to zero. So let b be a vector of 1, -1 and 0 with an odd number of nonzero entries: (b @ x)² is at least 1
for all signs x, and `b @ products @ b >= 1` holds for the products x xᵀ. Three nonzero entries give the triangle inequalities, more give the
clique or hypermetric inequalities of the cut polytope (Deza and Laurent, "Geometry of Cuts and Metrics", 1997). An array of inequalities has one
column b for each, of small integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.problem.problem import Floats

Inequalities = NDArray[np.int8]

_LEAST_TRIANGLE = 0.05  # the least violation for which a triangle inequality is added
_LEAST_CLIQUE = 0.15  # the same for inequalities with more entries
_PARTNERS = 20  # the number of entries that are tried as extensions of an inequality


def violated_triangles(products: Floats, most: int) -> Inequalities:
    """The inequalities with three entries that `products` (n, n) violates most: an array (n, k) of columns, k <= most."""
    size = len(products)
    found: list[tuple[NDArray[np.intp], NDArray[np.int8], Floats]] = []
    for first in range(size - 2):
        row, rest = products[first, first + 1 :], products[first + 1 :, first + 1 :]
        for one, other in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            slack = 1 + one * row[:, None] + other * row + one * other * rest
            second, third = np.nonzero(np.triu(slack < -_LEAST_TRIANGLE, 1))
            places = np.stack([np.full(len(second), first), first + 1 + second, first + 1 + third])
            signs = np.repeat(np.array([[1], [one], [other]], np.int8), len(second), axis=1)
            found.append((places, signs, slack[second, third]))
    if not found:
        return np.zeros((size, 0), np.int8)
    places, signs, slack = (np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True))
    worst = np.argsort(slack)[:most]
    columns = np.zeros((size, len(worst)), np.int8)
    columns[places[:, worst], np.arange(len(worst))] = signs[:, worst]
    return columns


def violated_extensions(products: Floats, inequalities: Inequalities, most: int) -> Inequalities:
    """The most violated inequalities that extend a given one by two entries: an array (n, k) of columns, k <= most."""
    size, count = inequalities.shape
    partners = min(_PARTNERS, size - 1)
    if count == 0 or partners < 2:
        return inequalities[:, :0]
    vectors = inequalities.T.astype(np.float64)
    pull = vectors @ products
    force = np.where(vectors == 0, np.abs(pull), -1.0)
    places = np.argpartition(-force, partners, axis=1)[:, :partners]
    force = np.take_along_axis(force, places, 1)
    signs = np.where(np.take_along_axis(pull, places, 1) > 0, -1, 1)
    both = signs[:, :, None] * signs[:, None] * products[places[:, :, None], places[:, None]]
    values = np.sum(vectors * pull, axis=1)[:, None, None] + 2 * (
        1 - force[:, :, None] - force[:, None] + both
    )
    values[(force < 0)[:, :, None] | (force < 0)[:, None] | np.eye(partners, dtype=np.bool_)] = np.inf
    best = values.reshape(count, -1).argmin(axis=1)
    value = values.reshape(count, -1)[np.arange(count), best]
    worst = np.argsort(value)
    worst = worst[value[worst] < 1 - _LEAST_CLIQUE]
    columns = inequalities[:, worst]
    for pair in np.divmod(best[worst], partners):
        columns[places[worst, pair], np.arange(len(worst))] = signs[worst, pair]
    return columns[:, different(columns)[:most]]


def different(inequalities: Inequalities) -> list[int]:
    """The index of the first occurrence of each column, ascending; a column and its negative are the same inequality."""
    leading = np.take_along_axis(inequalities, np.argmax(inequalities != 0, axis=0)[None], 0)
    first: dict[bytes, int] = {}
    for place, row in enumerate(np.ascontiguousarray((inequalities * np.sign(leading)).T)):
        first.setdefault(row.tobytes(), place)
    return list(first.values())
