"""Inserts conversions where a variable has another type than the value it is given: Python numbers are stored in the dtype that they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from eqsat.array import Array, asarray
from eqsat.array.nodes.operands import convert
from eqsat.autobatch.analysis.probing import located, result_types, stand_ins
from eqsat.autobatch.analysis.weakness import Weak, stored, type_of
from eqsat.autobatch.ir import (
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    Operation,
    PrimOp,
    Program,
    TensorType,
)
from eqsat.autobatch.ir.copies import is_copy
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.autobatch.primitives import results_of
from eqsat.dtype import DType


@dataclass(frozen=True, slots=True)
class Converted:
    """A primitive's function with conversions of its inputs and results, for variables that store values in other types.

    Attributes:
        operation: the primitive.
        inputs: the types of the inputs, with Weak leaves for Python numbers.
        outputs: the type of each output variable.
        dtype: the dtype to which Python numbers among the inputs are converted first; None leaves them as they are stored.
    """

    operation: PrimOp
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    dtype: DType | None = None

    def __call__(self, *arguments: Any) -> Any:
        """The results, converted to the types of the output variables."""
        results = [
            fitted(result, held) for result, held in zip(self.results(arguments), self.outputs, strict=True)
        ]
        return results[0] if len(results) == 1 else tuple(results)

    def results(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The results of the function, before they are converted to the types of the output variables."""
        given = [
            _mapped_with(self._given, argument, pattern)
            for argument, pattern in zip(arguments, self.inputs, strict=True)
        ]
        return results_of(self.operation, self.operation.function(*given))

    def _given(self, value: Array, held: TensorType | Weak) -> Array:
        return value.astype(self.dtype) if self.dtype and isinstance(held, Weak) else value


@dataclass(frozen=True, slots=True)
class _Fitting:
    """The function of a primitive that only converts its argument."""

    pattern: Any

    def __call__(self, value: Any) -> Any:
        return fitted(value, self.pattern)


def fitted(value: Any, pattern: Any) -> Any:
    """A value converted to the type of a variable."""
    return _mapped_with(_fitted, value, pattern)


def _fitted(value: Any, held: TensorType) -> Array:
    if isinstance(value, int | float) and not hasattr(value, "dtype"):
        array = Array(convert(value, held.dtype))
    else:
        array = asarray(value)
    if array.dtype != held.dtype:
        array = array.astype(held.dtype)
    return array if array.shape == held.shape else Array(array.uop.broadcast(held.shape))


def _mapped_with(function: Callable[[Any, Any], Any], value: Any, pattern: Any) -> Any:
    others = leaves(pattern)
    return mapped(lambda leaf: function(leaf, next(others)), value)


class Conversion:
    """Adds conversions to the functions of a program.

    Attributes:
        types: the type of each variable, including new temporaries for the arguments and results of calls.
    """

    def __init__(self, program: Program, types: Mapping[str, Any]) -> None:
        self.types = dict(types)
        self._functions = {function.name: function for function in program.functions}

    def function(self, function: Function) -> Function:
        """The function with conversions, so that each operation writes values in the types of its output variables."""
        blocks = tuple(
            replace(
                block,
                operations=tuple(
                    new for operation in block.operations for new in self._converted(operation, function.name)
                ),
            )
            for block in function.graph.blocks
        )
        return replace(function, graph=ControlFlowGraph(blocks))

    def _converted(self, operation: Operation, owner: str) -> Iterator[Operation]:
        if isinstance(operation, PrimOp):
            yield self._primitive(operation)
        elif isinstance(operation, FunctionCallOp):
            yield from self._call(operation, owner)
        else:
            yield operation

    def _primitive(self, operation: PrimOp) -> PrimOp:
        inputs = tuple(self.types[name] for name in operation.vars_in)
        outputs = tuple(stored(self.types[name]) for name in operation.vars_out)
        expected = result_types(operation, inputs)
        is_weak = any(isinstance(leaf, Weak) for leaf in leaves(inputs))
        if is_copy(operation) and stored(inputs) == outputs:
            return operation
        if not is_weak and stored(expected) == outputs:
            return operation
        converted = Converted(operation, inputs, outputs)
        if is_weak:
            converted = replace(converted, dtype=_dtype_of_numbers(converted, expected))
        return replace(operation, function=converted, name=operation.name or _name(operation))

    def _call(self, call: FunctionCallOp, owner: str) -> Iterator[Operation]:
        callee = self._functions[call.function]
        inputs = list(call.vars_in)
        for place, (given, formal) in enumerate(zip(call.vars_in, callee.vars_in, strict=True)):
            if stored(self.types[given]) != stored(self.types[formal]):
                inputs[place] = self._temporary(owner, formal)
                yield self._fit(given, inputs[place], call)
        outputs = list(call.vars_out)
        after: list[Operation] = []
        for place, (left, result) in enumerate(zip(callee.vars_out, call.vars_out, strict=True)):
            if stored(self.types[left]) != stored(self.types[result]):
                outputs[place] = self._temporary(owner, left)
                after.append(self._fit(outputs[place], result, call))
        yield replace(call, vars_in=tuple(inputs), vars_out=tuple(outputs))
        yield from after

    def _temporary(self, owner: str, like: str) -> str:
        names = (f"{owner}.as{number}" for number in count())
        name = next(name for name in names if name not in self.types)
        self.types[name] = self.types[like]
        return name

    def _fit(self, source: str, target: str, call: FunctionCallOp) -> PrimOp:
        return PrimOp(
            (source,),
            (target,),
            _Fitting(stored(self.types[target])),
            frozenset((target,)),
            "convert",
            call.position,
        )


def _dtype_of_numbers(converted: Converted, expected: Sequence[Any]) -> DType | None:
    """The dtype to which Python numbers are converted so that results have the types that NEP 50 gives them; None if they stay as stored.

    A Python number among floats of one dtype takes that dtype. Among ints it keeps its 64 bits, unless the results are narrower.
    """
    strong = [leaf.dtype for leaf in leaves((converted.inputs, expected)) if isinstance(leaf, TensorType)]
    floats = dict.fromkeys(dtype for dtype in strong if dtype.is_float)
    ints = dict.fromkeys(dtype for dtype in strong if dtype.is_int)
    for dtype in dict.fromkeys((*floats, None, *ints)):
        try:
            results = replace(converted, dtype=dtype).results(stand_ins(converted.inputs))
            found = [type_of(result) for result in results]
        except Exception:  # noqa: BLE001, S112  for instance, a float cannot be a position; errors with None are raised below
            continue
        pairs = zip(leaves(found), leaves(expected), strict=True)
        if all(isinstance(wanted, Weak) or left == wanted for left, wanted in pairs):
            return dtype
    with located(converted.operation):
        converted(*stand_ins(converted.inputs))
    return None


def _name(operation: PrimOp) -> str:
    return getattr(operation.function, "__name__", "function")
