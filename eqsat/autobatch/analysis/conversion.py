"""Inserts conversions where a variable has another type than the value it is given, and says which inputs of primitives are Python numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from eqsat.array import Array, asarray
from eqsat.array.nodes.operands import convert
from eqsat.autobatch.analysis.probing import result_types
from eqsat.autobatch.analysis.weakness import Weak, stored
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
from eqsat.autobatch.python_numbers import PythonNumber


@dataclass(frozen=True, slots=True)
class Converted:
    """A primitive's function of stored values: those of Python numbers are Python numbers in it, and results are converted to what variables store.

    Attributes:
        operation: the primitive.
        inputs: the types of the inputs, with Weak leaves for Python numbers.
        outputs: the type of each output variable.
    """

    operation: PrimOp
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]

    def __call__(self, *arguments: Any) -> Any:
        """The results, converted to the types of the output variables."""
        given = map(_numbers, arguments, self.inputs)
        found = results_of(self.operation, self.operation.function(*given))
        results = [fitted(result, held) for result, held in zip(found, self.outputs, strict=True)]
        return results[0] if len(results) == 1 else tuple(results)


def _numbers(value: Any, pattern: Any) -> Any:
    """A stored value, with Python numbers where the pattern of types has Weak leaves."""

    def number(leaf: Array | int, held: TensorType | Weak) -> Array | int:
        return PythonNumber(leaf.uop) if isinstance(held, Weak) and isinstance(leaf, Array) else leaf

    return _mapped_with(number, value, pattern)


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
        is_weak = any(isinstance(leaf, Weak) for leaf in leaves(inputs))
        if is_copy(operation) and stored(inputs) == outputs:
            return operation
        if not is_weak and stored(result_types(operation, inputs)) == outputs:
            return operation
        converted = Converted(operation, inputs, outputs)
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


def _name(operation: PrimOp) -> str:
    return getattr(operation.function, "__name__", "function")
