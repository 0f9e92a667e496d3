"""Turns a program with calls into array graphs and launches of kernels.

Functions are inlined: their bodies are array graphs, which can then be simplified and fused with others. A kernel that a program calls is launched
as it is written, on buffers of its own. The buffers that it stores to begin as copies of its arguments, so that the caller's data does not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from eqsat.custom import custom_named
from eqsat.dtype import DType, index, void
from eqsat.errors import ScheduleError
from eqsat.ops import TABLE, AxisType, KernelInfo, Op, Stage
from eqsat.pipeline.functions.closed import last_slot
from eqsat.spec import verify
from eqsat.spec.programs import arguments_of, body_of, formals_of, is_kernel, stored_slots
from eqsat.spec.sources import behind
from eqsat.specialization.dynamic_extents import has_extents, traced_shapes
from eqsat.specialization.specialize import at_capacity
from eqsat.uop import UOp, rewrite, toposort

_CALLING = frozenset({Op.CALL, Op.KERNEL, Op.TUPLE, Op.GET_TUPLE, Op.FUNCTION})
Values = tuple[UOp, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """The launch of a kernel on arrays.

    Attributes:
        kernel: the kernel's SINK, with the name that the program gives it.
        arguments: the flat array of each slot.
        results: for each slot that the kernel stores to, the PARAM that stands for its content afterwards.
        fresh: those of these slots that begin uninitialized, since the kernel stores all elements.
        program: the PROGRAM that is called, if the call names one; it may have instructions, source or binary of the kernel.
        values: the values of the variables of that PROGRAM, by name.
        host: the CUSTOM_FUNCTION that the host computes in place of a kernel; its results have the numbers 0, 1, ….
    """

    kernel: UOp
    arguments: Values
    results: Mapping[int, UOp]
    fresh: frozenset[int] = frozenset()
    program: UOp | None = None
    values: tuple[tuple[str, int], ...] = ()
    host: UOp | None = None

    @property
    def bound(self) -> UOp:
        """The kernel with `values` in place of its variables of these names."""
        values = dict(self.values)
        variables = [
            node for node in toposort([self.kernel]) if node.op is Op.DEFINE_VAR and node.arg[0] in values
        ]
        return self.kernel.substitute({each: UOp.const(index, values[each.arg[0]]) for each in variables})


@dataclass(frozen=True, slots=True)
class Unfolded:
    """A program without calls.

    Attributes:
        sink: the array graph of its results, on inputs and on results of launches.
        launches: the launches, in order.
    """

    sink: UOp
    launches: tuple[Launch, ...]

    @property
    def values(self) -> Values:
        """All arrays that are computed: results, and arguments of launches."""
        return (*self.sink.src, *(each for launch in self.launches for each in launch.arguments))

    def with_values(self, values: Values) -> Unfolded:
        """The same program with other arrays, in the order of `values`."""
        rest = iter(values)
        sink = self.sink.with_src(tuple(islice(rest, len(self.sink.src))))
        launches = [
            replace(each, arguments=tuple(islice(rest, len(each.arguments)))) for each in self.launches
        ]
        return Unfolded(sink, tuple(launches))


def is_program(sink: UOp) -> bool:
    """Whether a graph calls functions or kernels."""
    return any(node.op in _CALLING for node in toposort([sink]))


def unfolded(sink: UOp) -> Unfolded:
    """The array graphs and launches of a program.

    Raises:
        SpecError: it is no legal program.
        ScheduleError: a node of it neither computes an array nor launches a kernel.
    """
    is_dynamic = has_extents(toposort([sink]))
    verify(at_capacity(sink) if is_dynamic else sink, Stage.PROGRAM)
    unfolding = _Unfolding(sink)
    results = [value for source in sink.src for value in unfolding.results(source)]
    program = Unfolded(UOp.sink(*results), tuple(unfolding.launches))
    kernel = next((each.kernel for each in program.launches if each.host is None), None)
    if is_dynamic and kernel is not None:
        raise ScheduleError(
            f"{kernel!r} is launched as it is written, for arrays of known sizes, and the program has dims; compile it for each size"
        )
    return program.with_values(_with_scratch(program.values))


def _with_scratch(values: Values) -> Values:
    """The arrays with an EMPTY in place of each local BUFFER that no ASSIGN writes: elements that no kernel stores to have no value."""
    nodes = toposort(values)
    assigned = {behind(node.src[0], (Op.AFTER, Op.BUFFER_VIEW)) for node in nodes if node.op is Op.ASSIGN}
    scratch = {
        node: UOp(Op.EMPTY, node.dtype, (), (node.arg,))
        for node in nodes
        if node.op is Op.BUFFER and node.src[1].op is Op.LUNIQUE and node not in assigned
    }
    return tuple(rewrite(values, scratch))


class _Unfolding:
    """Computes the values of the nodes of a program, sources first: several for a TUPLE and for a call that returns one, else one."""

    def __init__(self, sink: UOp) -> None:
        self.launches: list[Launch] = []
        self._values: dict[UOp, Values] = {}
        self._buffer: dict[UOp, UOp] = {}  # result of a launch -> the buffer whose content it is
        self._launched: dict[UOp, Launch] = {}
        every = toposort([sink])
        inner = {node for node in every if is_kernel(node) or node.op is Op.PROGRAM}
        nodes = toposort([sink], leaves=inner)
        last = last_slot(node for node in nodes if node.op is Op.PARAM)
        self._slot = max(1 + last, len(traced_shapes(sink)))  # an argument that nothing reads has a slot, too
        for node in nodes:
            if node is not sink and node not in inner:
                self._values[node] = self._unfold(node)

    def results(self, node: UOp) -> Values:
        """The values that a program returns for one source of its SINK."""
        return self._values[node]

    def _unfold(self, node: UOp) -> Values:
        match node.op:
            case Op.TUPLE:
                return tuple(map(self._only, node.src))
            case Op.FUNCTION:
                return self._values.get(node.src[0], ())
            case Op.GET_TUPLE:
                number: int = node.arg
                return (self._values[node.src[0]][number],)
            case Op.CALL | Op.KERNEL:
                if node.src[0].op is Op.CUSTOM_FUNCTION:
                    return self._custom(node)
                return self._launch(node) if is_kernel(body_of(node)) else self._inlined(node)
            case Op.AFTER if any(source in self._launched for source in node.src[1:]):
                return (self._after(node),)
            case Op.NAME | Op.DEVICE | Op.UNIQUE | Op.LUNIQUE | Op.CUSTOM_FUNCTION:
                return (node,)
            case op if Stage.ARRAY in TABLE[op].stages:
                return (node.with_src(tuple(map(self._only, node.src))),)
            case _:
                raise ScheduleError(
                    f"{node!r} computes no array and launches no kernel; call kernels or functions"
                )

    def _only(self, node: UOp) -> UOp:
        return self._values[node][0]

    def _inlined(self, call: UOp) -> Values:
        """The body of a function with the arguments of a call in place of its parameters."""
        given = dict(zip(formals_of(call), map(self._only, arguments_of(call)), strict=True))
        values, mapping = self._values[call.src[0]], dict[UOp, UOp]()
        for node in toposort(values):
            formal = node.arg[0] if node.op is Op.PARAM else node
            if formal in given:
                mapping[node] = given[formal].reshape(node.shape or ())
        return tuple(value.substitute(mapping) for value in values)

    def _custom(self, call: UOp) -> Values:
        """The results of a function that a user registered: of a kernel with its expression, or of a step on the host."""
        function, prototypes = custom_named(call.src[0].arg), call.src[0].src[0].src
        arguments = tuple(map(self._only, arguments_of(call)))
        if function.opencl is not None:
            (result,) = prototypes
            kernel = _element_by_element(function.name, function.opencl, result, arguments)
            content = self._new_slot(result)
            fresh = _flat(UOp(Op.EMPTY, result.dtype, (), result.shape))
            given = (fresh, *map(_flat, arguments))
            self.launches.append(Launch(kernel, given, {0: content}, frozenset({0})))
            return (content.reshape(result.shape or ()),)
        contents = tuple(map(self._new_slot, prototypes))
        self.launches.append(Launch(call, arguments, dict(enumerate(contents)), host=call.src[0]))
        return tuple(
            content.reshape(result.shape or ()) for content, result in zip(contents, prototypes, strict=True)
        )

    def _new_slot(self, result: UOp) -> UOp:
        assert isinstance(result.dtype, DType)
        self._slot += 1
        return UOp.param(self._slot - 1, result.elements, result.dtype)

    def _launch(self, call: UOp) -> Values:
        """Adds a launch. Returns the contents of the buffers that the kernel stores to, one for each STORE, in their order."""
        program = call.src[0] if call.src[0].op is Op.PROGRAM else None
        constants = _constants(call)
        kernel = rewrite([_named(body_of(call), call)], {} if program else constants)[0]
        given = zip(formals_of(call), map(self._only, arguments_of(call)), strict=True)
        passed = {formal: _flat(value) for formal, value in given if isinstance(formal, int)}
        arguments = tuple(passed[slot] for slot in range(len(passed)))
        results: dict[int, UOp] = {}
        for slot in stored_slots(kernel):
            before = arguments[slot]
            assert isinstance(before.dtype, DType)
            results[slot] = UOp.param(self._slot, before.elements, before.dtype)
            self._buffer[results[slot]] = self._buffer.get(before, before)
            self._slot += 1
        values = (
            tuple((variable.arg[0], value.arg) for variable, value in constants.items()) if program else ()
        )
        launch = self._launched[call] = Launch(kernel, arguments, results, program=program, values=values)
        self.launches.append(launch)
        stores = [behind(statement, (Op.END, Op.NOOP, Op.AFTER)) for statement in kernel.src]
        return tuple(results[slot] for store in stores for slot in stored_slots(store, inner=False))

    def _after(self, node: UOp) -> UOp:
        """The content of a buffer after launches: the one that the last launch which stores to the buffer leaves."""
        value = self._only(node.src[0])
        buffer = self._buffer.get(_flat(value), _flat(value))
        waited = [self._launched[source] for source in node.src[1:] if source in self._launched]
        for launch in sorted(waited, key=self.launches.index, reverse=True):
            for content in launch.results.values():
                if self._buffer[content] is buffer:
                    return content.reshape(node.shape or ())
        return value


def _element_by_element(name: str, text: str, result: UOp, arguments: Values) -> UOp:
    """A kernel that computes an expression for each element of the arguments."""
    size = result.elements
    place = UOp.range(size, 0, AxisType.GLOBAL)
    loaded: list[UOp] = []
    for slot, each in enumerate(arguments, start=1):
        assert isinstance(each.dtype, DType)
        address = UOp(Op.INDEX, each.dtype, (UOp.param(slot, size, each.dtype), place))
        loaded.append(UOp(Op.LOAD, each.dtype, (address,)))
    assert isinstance(result.dtype, DType)
    to = UOp(Op.INDEX, result.dtype, (UOp.param(0, size, result.dtype), place))
    value = UOp(Op.CUSTOMI, result.dtype, tuple(loaded), text)
    return UOp.sink(UOp(Op.STORE, void, (to, value, place)), arg=KernelInfo(f"{name}_{size}"))


def _named(kernel: UOp, call: UOp) -> UOp:
    """A kernel with the name that a call gives it: by a NAME among its sources, or its own KernelInfo."""
    names = [source.arg for source in call.src if source.op is Op.NAME]
    info: KernelInfo = kernel.arg
    chosen = names[0] if names else call.arg.name if isinstance(call.arg, KernelInfo) else info.name
    return kernel.replace(arg=replace(info, name=chosen))


def _constants(call: UOp) -> dict[UOp, UOp]:
    """The variables of a kernel, each with the constant that a call passes for it, directly or in a BIND."""
    passed = zip(formals_of(call), arguments_of(call), strict=True)
    return {
        formal: value.src[1] if value.op is Op.BIND else value
        for formal, value in passed
        if isinstance(formal, UOp)
    }


def _flat(value: UOp) -> UOp:
    return value.reshape((value.elements,))
