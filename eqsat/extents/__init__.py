"""Dynamic extents, which are known only when a program is called: sums of products of bounded variables.

`extent` has the extents themselves, with which code computes as with integers; `factors` what their products are made of; `unknown` the errors of
Python operations that would need a value.
"""

from eqsat.extents.extent import (
    Bounds,
    Extent,
    at,
    capacities,
    capacity,
    dim,
    extent_of_terms,
    is_dynamic,
    may_have_elements,
    quotient,
)

__all__ = [
    "Bounds",
    "Extent",
    "at",
    "capacities",
    "capacity",
    "dim",
    "extent_of_terms",
    "is_dynamic",
    "may_have_elements",
    "quotient",
]
