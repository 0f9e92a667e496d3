"""Stored plans: the JSON document in which the cache stores a compilation. Readers check every value.

The document is `{"version", "graph", "schedule", "kernels", "shapes", "arguments", "binaries"}`. `graph` has the form of graph files. It holds the
nodes of all kernels once, with two roots for each kernel. Each reader below builds one kind of value from a list of a fixed length, so a
document can ask for nothing else.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, TypeVar, cast

from eqsat.codegen import Argument, RenderedKernel, Variable
from eqsat.codegen.linearization.launch import launch_expressions
from eqsat.dtype import DType, parse_dtype
from eqsat.errors import EqsatError
from eqsat.extents import capacity
from eqsat.graph_files.arguments import decode_argument, encode_argument
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.ops import KernelInfo, Op
from eqsat.pipeline.planning.planned import Compilation
from eqsat.schedule.kernel import BufferSpec, Kernel, Role, Schedule, Tuning
from eqsat.shape import Shape
from eqsat.uop import UOp
from eqsat.uop.limits import is_extent, is_integer, is_size

VERSION = 6

Value = TypeVar("Value")


class StoredPlanError(Exception):
    """The bytes are not a compilation that this version wrote."""


def encode(compilation: Compilation) -> bytes:
    """Writes a compilation as bytes that `decode` reads."""
    return json.dumps(document_of(compilation), separators=(",", ":"), allow_nan=False).encode()


def document_of(compilation: Compilation) -> dict[str, Any]:
    """A compilation as a JSON document."""
    kernels, rendered = compilation.schedule.kernels, compilation.kernels
    binaries = list(dict.fromkeys(kernel.binary for kernel in rendered if kernel.binary is not None))
    capacities = list(
        dict.fromkeys(spec.capacity for spec in compilation.schedule.buffers if spec.capacity is not None)
    )
    graphs = [kernel.ast for kernel in kernels] + [kernel.linear for kernel in rendered] + capacities
    return {
        "version": VERSION,
        "graph": to_json(graphs),
        "schedule": {
            "kernels": [
                [
                    kernel.buffers,
                    kernel.predicted_seconds.hex(),
                    kernel.candidates,
                    kernel.choice,
                    _encoded(kernel.tuning),
                    kernel.values,
                ]
                for kernel in kernels
            ],
            "buffers": [_row_of(spec, capacities) for spec in compilation.schedule.buffers],
            "inputs": compilation.schedule.inputs,
            "outputs": compilation.schedule.outputs,
            "lower_bound": compilation.schedule.lower_bound.hex(),
            "of_part": compilation.schedule.of_part,
        },
        "kernels": [
            [
                kernel.name,
                kernel.source,
                kernel.global_size,
                kernel.local_size,
                [[each.slot, each.dtype.name, each.size, each.written] for each in kernel.arguments],
                [[each.name, each.dtype.name, each.least, each.greatest] for each in kernel.variables],
                None if kernel.binary is None else binaries.index(kernel.binary),
            ]
            for kernel in rendered
        ],
        "shapes": compilation.shapes,
        "arguments": compilation.arguments,
        "binaries": [base64.b64encode(binary).decode() for binary in binaries],
    }


def _row_of(spec: BufferSpec, capacities: Sequence[UOp]) -> list[Any]:
    """A buffer as a list. The expression of its capacity is given by its number in `capacities`."""
    number = None if spec.capacity is None else capacities.index(spec.capacity)
    extents = (encode_argument(spec.size), encode_argument(spec.shape))
    return [spec.dtype.name, extents[0], spec.role.value, spec.slot, spec.arena, extents[1], number]


def _encoded(tuning: Tuning | None) -> list[Any] | None:
    if tuning is None:
        return None
    times = (tuning.predicted_before, tuning.measured_before, tuning.measured)
    return [*(None if seconds is None else seconds.hex() for seconds in times), tuning.tried, tuning.failed]


def decode(data: bytes) -> Compilation:
    """Reads the compilation that `encode` wrote.

    Raises:
        StoredPlanError: the bytes are not such a document, or its parts do not fit together.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise StoredPlanError(f"it is no plan: {type(error).__name__}") from error
    return compilation_of(document)


def compilation_of(document: Any, *, allow_custom: bool = False) -> Compilation:
    """The compilation in a JSON document. `allow_custom` admits code in its graphs, as in `from_json`.

    Raises:
        StoredPlanError: the document is no compilation, or its parts do not fit together.
    """
    try:
        if document["version"] != VERSION:
            raise StoredPlanError("it is of another version")
        return _compilation(document, allow_custom)
    except (
        EqsatError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise StoredPlanError(f"it is no plan: {type(error).__name__}") from error


def _compilation(document: dict[str, Any], allow_custom: bool) -> Compilation:
    graphs = from_json(document["graph"], allow_custom=allow_custom)
    binaries = [base64.b64decode(_text(each), validate=True) for each in _list(document["binaries"])]
    count = len(_list(document["kernels"]))
    if len(graphs) < 2 * count:
        raise StoredPlanError("a kernel has two graphs")
    planned = _schedule(document["schedule"], graphs[:count], graphs[2 * count :])
    rows = zip(document["kernels"], graphs[count : 2 * count], strict=True)
    rendered = _many(lambda pair: _rendered(pair, binaries), rows)
    shapes = _many(_sizes, _list(document["shapes"]))
    compilation = Compilation(planned, rendered, shapes, _sizes(document["arguments"]))
    _require(_fits(compilation), "its parts do not fit each other")
    return compilation


def _schedule(document: dict[str, Any], graphs: Sequence[UOp], capacities: Sequence[UOp]) -> Schedule:
    return Schedule(
        _many(_kernel, zip(_list(document["kernels"]), graphs, strict=True)),
        _many(lambda row: _buffer(row, capacities), _list(document["buffers"])),
        _sizes(document["inputs"]),
        _sizes(document["outputs"]),
        float.fromhex(document["lower_bound"]),
        _bool(document["of_part"]),
    )


def _kernel(pair: tuple[Any, UOp]) -> Kernel:
    (buffers, seconds, candidates, choice, tuning, values), ast = pair
    _require(ast.op is Op.SINK and isinstance(ast.arg, KernelInfo), "a kernel is a SINK with a name")
    numbers, predicted = _sizes(buffers), float.fromhex(seconds)
    known = _many(_value, _list(values))
    return Kernel(ast, numbers, predicted, _size(candidates), _text(choice), _tuning(tuning), known)


def _value(row: Any) -> tuple[str, int]:
    name, value = row
    _require(is_integer(value), "the value of a variable is missing")
    return _text(name), value


def _tuning(row: Any) -> Tuning | None:
    if row is None:
        return None
    predicted, before, measured, tried, failed = row
    before, measured = (None if seconds is None else float.fromhex(seconds) for seconds in (before, measured))
    return Tuning(float.fromhex(predicted), before, measured, _size(tried), _many(_text, _list(failed)))


def _buffer(row: Any, capacities: Sequence[UOp]) -> BufferSpec:
    dtype, size, role, slot, arena, shape, number = row
    return BufferSpec(
        _element(dtype),
        _extent(decode_argument(size)),
        Role(role),
        _number_or_none(slot),
        _number_or_none(arena),
        _many(_extent, decode_argument(_list(shape))),
        None if number is None else capacities[_size(number)],
    )


def _extent(value: Any) -> int:
    _require(is_extent(value), "an extent is missing")
    return value


def _rendered(pair: tuple[Any, UOp], binaries: Sequence[bytes]) -> RenderedKernel:
    (name, source, whole, group, arguments, variables, binary), linear = pair
    _require(linear.op is Op.LINEAR, "what is rendered is a LINEAR")
    return RenderedKernel(
        _text(name),
        _text(source),
        _sizes(whole),
        _sizes(group),
        _many(_argument, _list(arguments)),
        _many(_variable, _list(variables)),
        linear,
        None if binary is None else binaries[_size(binary)],
        launch_expressions(linear),
    )


def _argument(row: Any) -> Argument:
    slot, dtype, size, written = row
    _require(isinstance(written, bool), "an argument is written or not")
    return Argument(_size(slot), _element(dtype), _size(size), written)


def _variable(row: Any) -> Variable:
    name, dtype, least, greatest = row
    _require(is_integer(least) and is_integer(greatest), "a variable lies between integers")
    return Variable(_text(name), _element(dtype), least, greatest)


def _fits(compilation: Compilation) -> bool:
    """Whether every buffer number exists, and every kernel gets as much memory as it needs."""
    schedule, buffers = compilation.schedule, compilation.schedule.buffers
    ends = ((schedule.inputs, (Role.INPUT,)), (schedule.outputs, (Role.OUTPUT, Role.INPUT)))
    return (
        all(number < len(buffers) and buffers[number].role in roles for row, roles in ends for number in row)
        and all(spec.role is Role.TEMPORARY or spec.slot >= 0 for spec in buffers)
        and [buffers[number].slot for number in schedule.inputs] == list(range(len(schedule.inputs)))
        and len(compilation.arguments) == len(schedule.inputs)
        and len(compilation.shapes) == len(schedule.outputs)
        and all(
            prod(shape) == capacity(buffers[number].size)
            for shape, number in zip(compilation.shapes, schedule.outputs, strict=True)
        )
        and all(
            _kernel_fits(kernel, rendered, buffers)
            for kernel, rendered in zip(schedule.kernels, compilation.kernels, strict=True)
        )
    )


def _kernel_fits(kernel: Kernel, rendered: RenderedKernel, buffers: Sequence[BufferSpec]) -> bool:
    given = [buffers[number] if number < len(buffers) else None for number in kernel.buffers]
    whole, group = rendered.global_size, rendered.local_size
    values = dict(kernel.values)
    return (
        all(spec is not None for spec in given)
        and all(
            each.least <= values.get(each.name, each.least) <= each.greatest for each in rendered.variables
        )
        and 0 < len(whole) <= 3
        and len(group) in (0, len(whole))
        and all(items > 0 and total % items == 0 for total, items in zip(whole, group, strict=False))
        and all(
            argument.slot < len(given)
            and (spec := given[argument.slot]) is not None
            and (spec.dtype, capacity(spec.size)) == (argument.dtype, argument.size)
            for argument in rendered.arguments
        )
    )


def _many(read: Callable[[Any], Value], rows: Iterable[Any]) -> tuple[Value, ...]:
    return tuple([read(row) for row in rows])


def _list(value: Any) -> list[Any]:
    _require(isinstance(value, list), "a list is missing")
    return cast("list[Any]", value)


def _sizes(value: Any) -> Shape:
    return _many(_size, _list(value))


def _size(value: Any) -> int:
    _require(is_size(value), "a number is missing")
    return value


def _number_or_none(value: Any) -> int:
    """A number, or -1, which stands for none."""
    return value if value == -1 and value.__class__ is int else _size(value)


def _text(value: Any) -> str:
    _require(isinstance(value, str), "a text is missing")
    return value


def _bool(value: Any) -> bool:
    _require(isinstance(value, bool), "true or false is missing")
    return value


def _element(value: Any) -> DType:
    dtype = parse_dtype(_text(value))
    _require(isinstance(dtype, DType) and dtype.lanes == 1, "the dtype of an element is missing")
    return cast("DType", dtype)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise StoredPlanError(otherwise)
