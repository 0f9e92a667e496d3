"""Checks the sources and arguments of calls, functions and compiled artifacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from eqsat.custom import Operand, custom_named
from eqsat.dtype import DType, PtrDType
from eqsat.errors import BuildError, brief
from eqsat.ops import KernelInfo, Op, Stage
from eqsat.spec.dtypes import same
from eqsat.spec.memory import ARRAYS_IN_MEMORY, definition
from eqsat.spec.rule import Rule, is_count, is_tuple, shape_of
from eqsat.spec.sources import behind
from eqsat.uop import UOp, toposort

# The sources of a PROGRAM in order. The later ones are missing until they are made.
_PIPELINE = (
    Op.SINK,
    Op.DEVICE,
    Op.LINEAR,
    Op.SOURCE,
    Op.PROGRAM_BINARY,
)
_KNOWN = frozenset({Op.CONST, Op.BIND})  # what may be passed for a variable of a kernel
_PARTS = (Op.AFTER, Op.BUFFER_VIEW)
_COLLECTED = frozenset({Op.CALL, Op.KERNEL, Op.AFTER, Op.TUPLE})


def _program(node: UOp, stage: Stage) -> str | None:
    wrong = [(source, op) for source, op in zip(node.src, _PIPELINE, strict=False) if source.op is not op]
    if wrong:
        source, wanted = wrong[0]
        names = ", ".join(op.name for op in _PIPELINE)
        return f"its sources are {names} in this order; {source.op.name} stands for {wanted.name}"
    if not is_kernel(node.src[0]):
        return "its SINK is a kernel's; give that KernelInfo(name) as argument"
    return _other_linear(node.src[0], node.src[2]) if len(node.src) > 2 else None


def _other_linear(sink: UOp, linear: UOp) -> str | None:
    """Why a LINEAR cannot be that of a kernel's SINK: another name, arguments that the kernel lacks, or other arguments that it writes."""
    name = getattr(linear.arg, "name", None)
    if name is not None and name != sink.arg.name:
        return (
            f"its LINEAR is of {brief(name)} and its SINK of {brief(sink.arg.name)}; give both one KernelInfo"
        )
    slots = {each.arg[0]: (each.dtype, each.arg[1]) for each in toposort([sink]) if each.op is Op.PARAM}
    for each in linear.src:
        if each.op is Op.DEFINE_GLOBAL and isinstance(each.dtype, PtrDType):
            if slots.get(each.arg) != (each.dtype.base, each.dtype.size):
                return f"its LINEAR has {each!r}, for which its SINK has no PARAM of as many elements; linearize that SINK"
    bases = (definition(each.src[0]) for each in linear.src if each.op is Op.STORE)
    written = {base.arg for base in bases if base.op is Op.DEFINE_GLOBAL}
    if written != set(stored_slots(sink)):
        return f"its LINEAR writes arguments {sorted(written)} and its SINK {sorted(stored_slots(sink))}; linearize that SINK"
    return None


def body_of(call: UOp) -> UOp:
    """The body that a CALL or KERNEL runs: that of its FUNCTION, the SINK of its PROGRAM, or source 0 itself."""
    return call.src[0].src[0] if call.src[0].op in (Op.FUNCTION, Op.PROGRAM) else call.src[0]


def arguments_of(call: UOp) -> tuple[UOp, ...]:
    """The arguments that a CALL or KERNEL passes."""
    return tuple(source for source in call.src[1:] if source.op is not Op.NAME)


def formals_of(call: UOp) -> list[int | UOp]:
    """The target of each argument of a call: the slot of a PARAM, or a variable.

    Without formal parameters, the targets are the slots in order, then the variables of the BINDs among the arguments.
    """
    formals = call.src[0].src[1:] if call.src[0].op is Op.FUNCTION else ()
    if not formals:
        return [each.src[0] if each.op is Op.BIND else slot for slot, each in enumerate(arguments_of(call))]
    return [formal.arg[0] if formal.op is Op.PARAM else formal for formal in formals]


def is_kernel(node: UOp) -> bool:
    """Whether a node is the SINK of a kernel."""
    return node.op is Op.SINK and isinstance(node.arg, KernelInfo)


def stored_slots(statement: UOp, inner: bool = True) -> list[int]:
    """The slots of the PARAMs that a kernel or one of its statements stores to, in order.

    With `inner`, all STOREs below `statement` are counted, else only `statement` itself.
    """
    nodes = toposort([statement]) if inner else [statement]
    bases = dict.fromkeys(definition(node.src[0]) for node in nodes if node.op is Op.STORE)
    return [base.arg[0] for base in bases if base.op is Op.PARAM]


def after_launches(node: UOp) -> str | None:
    """Checks that an AFTER names what its launches write: a buffer, either whole or the part that was passed to the launch."""
    buffer, part = behind(node.src[0], _PARTS), behind(node.src[0], (Op.AFTER,))
    if buffer.op not in ARRAYS_IN_MEMORY:
        return f"only buffers change; it reads one after launches, not a {node.src[0].op.name}"
    for call in node.src[1:]:
        if call.op is Op.AFTER:
            continue
        if not is_kernel(body_of(call)):
            return f"{call!r} launches no kernel, so it changes nothing; take an element of what it gives"
        passed = dict(zip(formals_of(call), arguments_of(call), strict=True))
        for written in (passed[slot] for slot in stored_slots(body_of(call))):
            if behind(written, _PARTS) is buffer and behind(written, (Op.AFTER,)) is not part:
                return (
                    "the launch writes another part of that buffer; name the part that the launch is passed"
                )
    return None


def called(nodes: Iterable[UOp]) -> frozenset[UOp]:
    """The nodes by which arrays read results of calls: elements of tuples, and buffers after launches."""
    return frozenset(
        node for node in nodes
        if node.op is Op.GET_TUPLE or (node.op is Op.AFTER and any(each.op in (Op.CALL, Op.KERNEL) for each in node.src[1:]))
    )  # fmt: skip


def _call(node: UOp, stage: Stage) -> str | None:
    return _body(node) or _named(node) or _values(node, node.src[1:]) or _arguments(node)


def _arguments(node: UOp) -> str | None:
    """Checks that a call passes one argument for each parameter, with its dtype and number of elements."""
    given, formals = arguments_of(node), formals_of(node)
    if node.src[0].op is Op.CUSTOM_FUNCTION:
        return _results_of_custom(node.src[0], given)
    if len(formals) != len(given):
        return f"it passes {len(given)} arguments for {len(formals)} parameters; pass one for each"
    passed = dict(zip(formals, given, strict=True))
    function = node.src[0].op is Op.FUNCTION and len(node.src[0].src) > 1
    text = _variables(node, passed, function)
    if text is not None:
        return text
    parameters = (
        node.src[0].src[1:]
        if function
        else [each for each in toposort([body_of(node)]) if each.op is Op.PARAM]
    )
    for parameter in parameters:
        argument = passed.get(parameter.arg[0] if parameter.op is Op.PARAM else parameter)
        if argument is None:
            return f"nothing is passed for {parameter!r}; pass an argument for each slot"
        size = parameter.arg[1] if parameter.op is Op.PARAM else 1
        if not same(argument.dtype, parameter.dtype) or prod(shape_of(argument)) != size:
            return (
                f"it passes {argument.dtype} of shape {argument.shape} for {parameter!r}; reshape or cast it"
            )
    return None


def _variables(call: UOp, passed: Mapping[int | UOp, UOp], function: bool) -> str | None:
    """Checks the arguments that a call passes for variables.

    Constants must be in the bounds of the variable. For a variable of a kernel, only a CONST or a BIND is legal. If the call names no parameters,
    the body must have the variable.
    """
    given = {formal: each for formal, each in passed.items() if isinstance(formal, UOp)}
    for formal, each in given.items():
        if (
            formal.op is Op.DEFINE_VAR
            and each.op is Op.CONST
            and not formal.arg[1] <= each.arg <= formal.arg[2]
        ):
            return f"it passes {each.arg} for {formal!r}; pass a value in {formal.arg[1]}..{formal.arg[2]}"
    if is_kernel(body_of(call)):
        computed = next((each for each in given.values() if each.op not in _KNOWN), None)
        if computed is not None:
            return f"it passes {computed!r} for a variable of a kernel; pass a CONST or a BIND"
    stranger = (
        None if function or not given else next(iter(given.keys() - set(toposort([body_of(call)]))), None)
    )
    return (
        None
        if stranger is None
        else f"it binds {stranger!r}, and its body has no such variable; bind one that it has"
    )


def _function(node: UOp, stage: Stage) -> str | None:
    wrong = next((source for source in node.src[1:] if source.op not in (Op.PARAM, Op.DEFINE_VAR)), None)
    if wrong is not None:
        return f"its parameters are PARAMs and DEFINE_VARs, not {wrong.op.name}"
    if node.src[0].op in (Op.FUNCTION, Op.CALL, Op.PROGRAM, Op.CUSTOM_FUNCTION):
        return f"its body is a SINK, a TUPLE or a value, not a {node.src[0].op.name}; CALL that itself, or take an element of that"
    launched = next((each for each in toposort([node.src[0]]) if _launches(each)), None)
    if launched is not None:
        return f"its body launches {launched.src[0]!r}; launch that where the function is called, and pass the result"
    return _body(node) or _named(node) or _parameters(node)


def _parameters(function: UOp) -> str | None:
    """Checks the parameters of a function, if it names any.

    All PARAMs of the body must be among them, and those of a kernel must be numbered from 0.
    """
    body, formals = function.src[0], [each.arg[0] for each in function.src[1:] if each.op is Op.PARAM]
    if len(function.src) == 1:
        return None
    if is_kernel(body) and sorted(formals) != list(range(len(formals))):
        return (
            f"the slots of its parameters are {formals}, and a kernel's are numbered from 0; number them so"
        )
    others = {
        each
        for each in toposort([body])
        if each is not body and (each.op in (Op.FUNCTION, Op.PROGRAM) or is_kernel(each))
    }
    free = next(
        (each for each in toposort([body], others) if each.op is Op.PARAM and each.arg[0] not in formals),
        None,
    )
    return (
        None
        if free is None
        else f"its body reads {free!r}, which is none of its parameters; name it among them"
    )


def _launches(node: UOp) -> bool:
    """Whether a node is a CALL or KERNEL that runs by itself and is not inlined."""
    calls = node.op in (Op.CALL, Op.KERNEL)
    return calls and (is_kernel(body_of(node)) or node.src[0].op is Op.CUSTOM_FUNCTION)


def _body(node: UOp) -> str | None:
    body = node.src[0]
    fits = (
        body.op in (Op.FUNCTION, Op.TUPLE, Op.PROGRAM, Op.CUSTOM_FUNCTION)
        or is_kernel(body)
        or has_elements(body)
    )
    return (
        None
        if fits
        else f"its body is a FUNCTION, a kernel's SINK or PROGRAM, a TUPLE or a value, not a {body.op.name}"
    )


def has_elements(node: UOp) -> bool:
    """Whether a node of a program is an array or an element of a tuple."""
    return node.shape is not None and isinstance(node.dtype, DType) and node.dtype.kind != "v"


def _values(node: UOp, sources: tuple[UOp, ...]) -> str | None:
    wrong = next((source for source in sources if not has_elements(source)), None)
    return None if wrong is None else f"its source {wrong.op.name} has no elements; give it arrays"


def _tuple(node: UOp, stage: Stage) -> str | None:
    return _values(node, node.src)


def _text(node: UOp, stage: Stage) -> str | None:
    return None if isinstance(node.arg, str) else f"its argument is a string, not {brief(node.arg)}"


def _name(node: UOp, stage: Stage) -> str | None:
    return _text(node, stage) or (None if node.arg else "its argument is a name, not an empty string")


def _bytes(node: UOp, stage: Stage) -> str | None:
    return None if isinstance(node.arg, bytes) else f"its argument is bytes, not {type(node.arg).__name__}"


def _kernel(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.arg, KernelInfo):
        return f"its argument is the kernel's KernelInfo(name), not {brief(node.arg)}"
    if _kernel_info(node.arg):
        return _kernel_info(node.arg)
    if not is_kernel(node.src[0]):
        return f"its first source is the kernel's SINK, not a {node.src[0].op.name}; CALL a function"
    if sum(source.op is Op.NAME for source in node.src) > 1:
        return "it has one NAME; drop the others"
    return _values(node, arguments_of(node)) or _arguments(node)


def _named(node: UOp, stage: Stage | None = None) -> str | None:
    if node.arg is None:
        return None
    if not isinstance(node.arg, KernelInfo):
        return f"its argument is KernelInfo(name) or nothing, not {brief(node.arg)}"
    return _kernel_info(node.arg)


def _kernel_info(info: KernelInfo) -> str | None:
    """What is wrong with the fields of a KernelInfo; None if nothing is."""
    name: Any = info.name
    streams: Any = info.streams
    if not isinstance(name, str) or not name:
        return f"its KernelInfo has a name, not {brief(name)}"
    wrong = next((each for each in (info.chains, info.group) if not is_count(each) or not each), None)
    if wrong is not None:
        return f"chains and group of its KernelInfo are counts from 1 on, not {brief(wrong)}"
    return (
        None
        if isinstance(streams, bool)
        else f"streams of its KernelInfo is True or False, not {brief(streams)}"
    )


def _sink(node: UOp, stage: Stage) -> str | None:
    if stage is Stage.ARRAY and is_tuple(node.arg):
        known = [shape for shape in node.arg if shape is not None]
        fits = all(is_tuple(shape) and all(map(is_count, shape)) for shape in known)
        return None if fits else f"its argument is the shapes of the inputs, not {brief(node.arg)}"
    if stage is not Stage.PROGRAM:
        return _named(node)
    wrong = next((each for each in node.src if each.op not in _COLLECTED and not has_elements(each)), None)
    return (_sink(node, Stage.ARRAY) if is_tuple(node.arg) else _named(node)) or (
        None if wrong is None else f"it collects calls, launches and values, not a {wrong.op.name}; CALL that"
    )


def _custom_function(node: UOp, stage: Stage) -> str | None:
    results = node.src[0]
    if results.op is not Op.TUPLE or any(each.op is not Op.EMPTY for each in results.src):
        return f"its source is a TUPLE of EMPTYs with the dtypes and shapes of its results, not {results.op.name}"
    try:
        custom_named(node.arg)
    except BuildError as error:
        return f"its argument is the name of a function: {error}"
    return None


def _results_of_custom(function: UOp, given: tuple[UOp, ...]) -> str | None:
    """Checks that a CUSTOM_FUNCTION declares the results that its rule gives for these arguments."""
    operands = [Operand(shape_of(each), each.dtype) for each in given if isinstance(each.dtype, DType)]
    try:
        results = custom_named(function.arg).results(operands)
    except BuildError as error:
        return str(error)
    said = [
        Operand(shape_of(each), each.dtype) for each in function.src[0].src if isinstance(each.dtype, DType)
    ]
    return (
        None
        if said == results
        else f"its results are {brief(said)}, and the rule of {function.arg!r} gives {brief(results)}"
    )


def _member(node: UOp, stage: Stage) -> str | None:
    return None if is_count(node.arg) else f"its argument is the number of an element, not {brief(node.arg)}"


STRUCTURE: Mapping[Op, Rule] = {
    Op.SINK: _sink,
    Op.LINEAR: _named,
    Op.PROGRAM: _program,
    Op.CALL: _call,
    Op.FUNCTION: _function,
    Op.TUPLE: _tuple,
    Op.GET_TUPLE: _member,
    Op.SOURCE: _text,
    Op.NAME: _name,
    Op.PROGRAM_BINARY: _bytes,
    Op.KERNEL: _kernel,
    Op.CUSTOM_FUNCTION: _custom_function,
}
