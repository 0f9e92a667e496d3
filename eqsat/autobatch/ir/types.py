"""Types of variables: patterns of tensors, without the batch axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from eqsat.autobatch.ir.patterns import leaves
from eqsat.dtype import DType
from eqsat.shape import Shape


@dataclass(frozen=True, slots=True)
class TensorType:
    """The dtype and the shape of a tensor that each member of the batch holds."""

    dtype: DType
    shape: Shape = ()

    @property
    def size(self) -> int:
        """The number of elements that each member holds."""
        return prod(self.shape)

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape) if self.shape else ''}"


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a variable: a pattern (see `patterns`) whose leaves are `TensorType`s. A single tensor is its own pattern."""

    pattern: Any

    @property
    def tensors(self) -> tuple[TensorType, ...]:
        """The leaves from left to right."""
        return tuple(leaves(self.pattern))

    def __str__(self) -> str:
        return _text(self.pattern)


def tensor_of(types: Mapping[str, Type], name: str) -> TensorType:
    """The type of a variable that holds one tensor, as all variables of flattened programs do."""
    pattern = types[name].pattern
    assert isinstance(pattern, TensorType), f"variable {name!r} holds {pattern}, not one tensor"
    return pattern


def _text(pattern: Any) -> str:
    if isinstance(pattern, tuple | list):
        return f"({', '.join(map(_text, pattern))})"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return str(pattern)
