"""Reads the types that a function declares for its parameters and variables."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from eqsat.array.core import as_dtype
from eqsat.autobatch.analysis.weakness import Declared
from eqsat.autobatch.frontend.compiled import compiled
from eqsat.autobatch.frontend.source import Source
from eqsat.autobatch.ir import TensorType, Type
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.dtype import DType
from eqsat.errors import EqsatError
from eqsat.pipeline import Spec


def annotation(source: Source, written: ast.expr) -> Declared | None:
    """The type that an annotation declares: a dtype declares a scalar, `eqsat.spec(shape, dtype)` an array, a tuple a structure of these.

    None for any other annotation.

    Raises:
        BuildError: it calls `eqsat.spec` with something that is no shape or dtype.
    """
    position, place = source.position(written), written
    if isinstance(written, ast.Constant) and isinstance(written.value, str):
        try:
            written = ast.parse(written.value, mode="eval").body
        except SyntaxError:
            return None
    try:
        value = compiled(source, written, ())()
    except EqsatError as error:
        source.refuse(
            f"this annotation declares no type: {error}",
            place,
            "declare a dtype, or eqsat.spec(shape, dtype)",
        )
    except Exception:  # noqa: BLE001  an annotation for other tools, whose names may be undefined
        return None
    pattern = mapped(_tensor, value)
    return Declared(Type(pattern), position) if all(leaf is not None for leaf in leaves(pattern)) else None


def _tensor(value: Any) -> TensorType | None:
    if isinstance(value, TensorType):
        return value
    if isinstance(value, Spec):
        return TensorType(value.dtype, value.shape)
    if isinstance(value, DType):
        return TensorType(value)
    given: Any = value
    is_numpy = isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic))
    return TensorType(as_dtype(given)) if is_numpy else None
