"""Forms of programs: kernels with names and arguments, calls, functions, tuples, artifacts, blocks."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import eqsat as eq
from eqsat.dtype import float32, float64, index, void
from eqsat.ops import AxisType, KernelInfo, Op, Stage
from eqsat.pipeline.planning.staging import STEPS, staged
from eqsat.uop import UOp
from tests.forms.form import (
    SIZE,
    Build,
    Form,
    Refused,
    Runs,
    after,
    argument,
    at,
    f,
    i,
    kernel,
    load,
    node,
    program,
    store,
)

X, Y = UOp.param(0, SIZE, float32), UOp.param(1, SIZE, float32)
INPUTS = {0: np.array([3, 1, 4, 1, 5, 9], np.float32), 1: np.array([-2, 7, -1, 8, 2, -8], np.float32)}
HOST = node(Op.DEVICE, void, arg="HOST")
R = UOp.range(SIZE, 0, AxisType.GLOBAL)
EMPTY = node(Op.EMPTY, float32, arg=(SIZE,))
eq.custom_function("tests_sorted", lambda *x: np.sort(x[0]), replace=True)
eq.custom_function(
    "tests_softsign", lambda *x: x[0] / (1 + np.abs(x[0])), opencl="{0} / (1.0f + fabs({0}))", replace=True
)
FORMAL = UOp.param(0, SIZE, float32)
BODY = node(Op.TUPLE, void, FORMAL + FORMAL, FORMAL * FORMAL)
FUNCTION = node(Op.FUNCTION, void, BODY, FORMAL)
DOUBLING = kernel(
    store(at(UOp.param(0, SIZE, float32), R), load(at(UOp.param(1, SIZE, float32), R)) * 2.0, R)
)


def runs(title: str, *roots: UOp) -> Runs:
    return Runs(title, Stage.PROGRAM, UOp.sink(*roots), INPUTS)


def refused(title: str, op: Op, words: str, build: Build) -> Refused:
    return Refused(title, Stage.PROGRAM, op, build, words)


def call(body: UOp, *arguments: UOp, arg: object = None) -> UOp:
    return node(Op.CALL, void, body, *arguments, arg=arg)


def element(number: int, of: UOp) -> UOp:
    return UOp(Op.GET_TUPLE, float32, (of,), number)


def calls() -> Iterator[Form]:
    called = call(FUNCTION, X + Y)
    yield runs("CALL(FUNCTION(TUPLE)), GET_TUPLE", element(0, called), element(1, called))
    yield runs("GET_TUPLE inside a value", element(1, called) + Y)
    yield runs("CALL of a CALL's element", element(0, call(FUNCTION, element(1, called))))
    yield runs("CALL(TUPLE)", element(0, call(BODY, Y)))
    yield runs("GET_TUPLE(TUPLE)", element(1, node(Op.TUPLE, void, X, X * Y)))
    inner = node(Op.FUNCTION, void, node(Op.TUPLE, void, element(0, call(FUNCTION, X * 3.0))), X)
    yield runs("FUNCTION that calls a FUNCTION", element(0, call(inner, Y)))
    variable = UOp.variable("size", 0, 9)
    scaled = node(
        Op.FUNCTION,
        void,
        node(Op.TUPLE, void, FORMAL * variable.cast(float32).broadcast((SIZE,))),
        FORMAL,
        variable,
    )
    yield runs("FUNCTION with a DEFINE_VAR", element(0, call(scaled, Y, i(3))))
    yield runs("CALL with KernelInfo", element(0, call(FUNCTION, Y, arg=KernelInfo("doubled"))))
    yield refused(
        "CALL with other arguments", Op.CALL, "2 arguments for 1 parameters", lambda: call(FUNCTION, X, Y)
    )
    yield refused(
        "FUNCTION of a FUNCTION",
        Op.FUNCTION,
        "its body is a SINK, a TUPLE or a value",
        lambda: node(Op.FUNCTION, void, FUNCTION, X),
    )
    yield refused(
        "GET_TUPLE beyond the end", Op.GET_TUPLE, "there is no element 2 of a TUPLE", lambda: element(2, BODY)
    )


def kernels() -> Iterator[Form]:
    out = X
    yield runs("AFTER(PARAM, CALL(kernel))", after(out, call(DOUBLING, out, Y)))
    named = node(Op.NAME, void, arg="doubled")
    launched = node(Op.KERNEL, void, DOUBLING, out, Y, arg=KernelInfo("doubled"))
    yield runs("AFTER(PARAM, KERNEL)", after(out, launched))
    yield runs(
        "KERNEL with NAME",
        after(out, node(Op.KERNEL, void, DOUBLING, out, Y, named, arg=KernelInfo("doubled"))),
    )
    twice = node(Op.KERNEL, void, DOUBLING, Y, after(out, launched), arg=KernelInfo("again"))
    yield runs("KERNEL of a KERNEL's result", after(Y, twice))
    yield runs("SINK(AFTER, KERNEL)", after(out, launched), launched)
    for arg in (None, "ast", 3):
        yield refused(
            f"KERNEL with argument {arg!r}",
            Op.KERNEL,
            "KernelInfo",
            lambda arg=arg: node(Op.KERNEL, void, DOUBLING, out, Y, arg=arg),
        )
    for arg in (None, "", 3):
        yield refused(
            f"NAME with argument {arg!r}",
            Op.NAME,
            "a string|a name",
            lambda arg=arg: node(Op.NAME, void, arg=arg),
        )


def written() -> Iterator[Form]:
    """What a launch stores, however its kernel says so, is in the buffers after it, and not in the caller's arrays."""
    first, second = UOp.param(0, SIZE, float32), UOp.param(1, SIZE, float32)
    store_all = store(at(first, R), load(at(second, R)) * 2.0, R)
    statements = {
        "END": node(Op.END, void, store(at(first, R), load(at(second, R)) * 2.0), R),
        **{op.name: node(op, void, store_all) for op in (Op.GROUP, Op.BARRIER, Op.NOOP, Op.AFTER)},
    }
    for name, statement in statements.items():
        yield runs(f"kernel of {name}(STORE)", after(X, call(kernel(statement), X, Y)), X + Y)
    one, two = UOp.range(SIZE, 1), UOp.range(SIZE, 2)
    third = UOp.param(2, SIZE, float32)
    inner = store(at(third, one), load(at(second, one)) * 3.0, one)
    outer = store(at(first, two), load(at(after(third, inner), i(SIZE - 1) - two)), two)
    scratch = node(Op.BUFFER, float32, HOST, node(Op.LUNIQUE, void, arg=1), arg=SIZE)
    called = call(kernel(outer), X, Y, scratch)
    yield runs("kernel with a STORE that another follows", after(X, called), after(scratch, called), X + Y)


def passed() -> Iterator[Form]:
    """Arguments of kernels by the order of parameters, and values of their variables."""
    first, second = UOp.param(0, SIZE, float32), UOp.param(1, SIZE, float32)
    backward = node(Op.FUNCTION, void, DOUBLING, second, first)
    yield runs("CALL(FUNCTION(kernel)) with its parameters in another order", after(X, call(backward, Y, X)))
    size = UOp.variable("size", 0, 9)
    scaled = kernel(store(at(first, R), load(at(second, R)) * size.cast(float32), R))
    scaling = node(Op.FUNCTION, void, scaled, size, first, second)
    for given in (i(3), node(Op.BIND, index, UOp.variable("other", 0, 9), i(2))):
        yield runs(
            f"CALL(FUNCTION(kernel)) with {given.op.name} for a DEFINE_VAR",
            after(X, call(scaling, given, X, Y)),
        )
    unknown = node(Op.BIND, index, UOp.variable("size", -9, 9), i(2))
    for body in (scaled, node(Op.PROGRAM, void, scaled, HOST), X):
        yield refused(f"CALL({body.op.name}) with a variable that it lacks", Op.CALL, "has no such variable",
                      lambda body=body: call(body, X, Y, unknown))  # fmt: skip
    yield refused(
        "CALL(FUNCTION(kernel)) with a computed DEFINE_VAR",
        Op.CALL,
        "a CONST or a BIND",
        lambda: call(scaling, i(3) + 1, X, Y),
    )
    yield runs("GET_TUPLE(FUNCTION)", element(1, FUNCTION) + Y)


def changed() -> Iterator[Form]:
    """What launches change: buffers, as a whole or the part that they were passed."""
    values = {
        "ADD": X + Y,
        "EMPTY": EMPTY,
        "RESHAPE": X.reshape((2, 3)),
        "CONTIGUOUS": node(Op.CONTIGUOUS, float32, X),
    }
    for name, value in values.items():
        yield refused(
            f"AFTER({name}, CALL)",
            Op.AFTER,
            "only buffers change",
            lambda value=value: after(value, call(DOUBLING, value, Y)),
        )
    part, pair = node(Op.BUFFER_VIEW, float32, X, arg=(2, 1)), UOp.range(2, 0, AxisType.GLOBAL)
    filled = call(kernel(store(at(UOp.param(0, 2, float32), pair), f(5.0), pair)), part)
    yield runs("AFTER(BUFFER_VIEW, CALL) of that part", after(part, filled), X + Y)
    for buffer, launch in ((X, filled), (part, call(DOUBLING, X, Y))):
        yield refused(
            f"AFTER({buffer.op.name}, CALL) of another part",
            Op.AFTER,
            "another part of that buffer",
            lambda buffer=buffer, launch=launch: after(buffer, launch),
        )


def functions() -> Iterator[Form]:
    """Bodies and parameters that no FUNCTION has."""
    first, second = UOp.param(0, SIZE, float32), UOp.param(1, SIZE, float32)
    free = node(Op.FUNCTION, void, node(Op.TUPLE, void, X + Y), X)
    yield refused("FUNCTION of another PARAM", Op.FUNCTION, "none of its parameters", lambda: free)
    staged_kernel = node(Op.PROGRAM, void, DOUBLING, HOST)
    yield refused(
        "FUNCTION(PROGRAM)",
        Op.FUNCTION,
        "CALL that itself",
        lambda: node(Op.FUNCTION, void, staged_kernel, first, second),
    )
    gap = kernel(store(at(second, R), f(1.0), R))
    yield refused(
        "FUNCTION(kernel) without slot 0",
        Op.FUNCTION,
        "number them so",
        lambda: node(Op.FUNCTION, void, gap, second),
    )


def steps() -> Iterator[Form]:
    for step in STEPS:
        yield Runs(f"CALL(PROGRAM) at the step {step!r}", Stage.PROGRAM, partial(called_at, step), INPUTS)
    anywhere = node(Op.PROGRAM, void, DOUBLING, HOST)
    yield runs(
        "CALL(PROGRAM(SINK, DEVICE)) with KernelInfo", after(X, call(anywhere, X, Y, arg=KernelInfo("d")))
    )
    for op, made in {
        Op.PROGRAM: lambda: anywhere,
        Op.LINEAR: lambda: staged(DOUBLING, "linear").src[2],
        Op.SINK: lambda: DOUBLING,
    }.items():
        yield refused(f"SINK({op.name})", Op.SINK, "CALL that", lambda made=made: UOp.sink(X, made()))
    yield refused("AFTER(PARAM, PROGRAM)", Op.AFTER, "waits for CALLs or KERNELs", lambda: after(X, anywhere))


def called_at(step: str) -> UOp:
    return UOp.sink(after(X, call(staged(DOUBLING, step), X, Y)), X + Y)


def artifacts() -> Iterator[Form]:
    straight = program(store(at(argument(0, 4), i(0)), f(2.0)))
    source, binary = node(Op.SOURCE, void, arg="text"), node(Op.PROGRAM_BINARY, void, arg=b"bytes")
    yield refused(
        "PROGRAM out of order", Op.PROGRAM, "in this order", lambda: node(Op.PROGRAM, void, HOST, DOUBLING)
    )
    yield refused(
        "PROGRAM(SINK, DEVICE, SOURCE)",
        Op.PROGRAM,
        "in this order",
        lambda: node(Op.PROGRAM, void, DOUBLING, HOST, source),
    )
    yield refused("SOURCE of no text", Op.SOURCE, "a string", lambda: node(Op.SOURCE, void, arg=3))
    yield refused(
        "PROGRAM_BINARY of no bytes",
        Op.PROGRAM_BINARY,
        "bytes",
        lambda: node(Op.PROGRAM_BINARY, void, arg="text"),
    )
    whole = node(Op.PROGRAM, void, DOUBLING, HOST, straight, source, binary)
    yield refused(
        "PROGRAM after its BINARY", Op.PROGRAM, "give it 2 to 5", lambda: whole.with_src((*whole.src, binary))
    )
    yield refused(
        "CALL with an argument of another size",
        Op.CALL,
        "reshape or cast",
        lambda: call(FUNCTION, X.shrink(((0, 3),))),
    )
    yield refused("CALL without an argument", Op.CALL, "nothing is passed", lambda: call(DOUBLING, X))
    yield refused(
        "GROUP of calls", Op.GROUP, "in the SINK", lambda: node(Op.GROUP, void, call(DOUBLING, X, Y))
    )
    for op in (Op.BLOCK, Op.BLOCKSTART, Op.BLOCKFORK, Op.BLOCKEND):
        for stage in (Stage.ARRAY, Stage.KERNEL, Stage.EXPANDED, Stage.PROGRAM):
            yield Refused(op.name, stage, op, lambda op=op: node(op, void, arg=0), "between RANGE and END")
    for arg in ("banana", None, -5, "EncDec"):
        yield refused(
            f"CUSTOM_FUNCTION({arg!r})",
            Op.CUSTOM_FUNCTION,
            "no custom function is named",
            lambda arg=arg: node(Op.CUSTOM_FUNCTION, void, node(Op.TUPLE, void, EMPTY), arg=arg),
        )
    yield refused(
        "CUSTOM_FUNCTION without results", Op.CUSTOM_FUNCTION, "a TUPLE of EMPTYs", lambda: node(Op.CUSTOM_FUNCTION, void, X, arg="tests_softsign")
    )  # fmt: skip
    other = node(
        Op.CUSTOM_FUNCTION, void, node(Op.TUPLE, void, node(Op.EMPTY, float32, arg=(2,))), arg="tests_sorted"
    )
    yield refused(
        "CALL(CUSTOM_FUNCTION) with other results",
        Op.CALL,
        "the rule of 'tests_sorted' gives",
        lambda: call(other, X),
    )
    yield refused("CALL(CUSTOM_FUNCTION) of OpenCL C with another shape", Op.CALL, "expand them",
                  lambda: call(custom("tests_softsign"), X, X.shrink(((0, 2),))))  # fmt: skip
    inner = node(
        Op.FUNCTION, void, node(Op.TUPLE, void, element(0, call(custom("tests_sorted"), FORMAL))), FORMAL
    )
    yield refused(
        "FUNCTION that launches", Op.FUNCTION, "launch that where the function is called", lambda: inner
    )


def custom(name: str) -> UOp:
    return node(Op.CUSTOM_FUNCTION, void, node(Op.TUPLE, void, EMPTY), arg=name)


def custom_functions() -> Iterator[Form]:
    called = call(custom("tests_softsign"), X + Y)
    yield runs("CALL(CUSTOM_FUNCTION) in OpenCL C", element(0, called) * 2.0)
    yield runs("CALL(CUSTOM_FUNCTION) on the host", element(0, call(custom("tests_sorted"), X + Y)) + X)
    one = element(0, call(custom("tests_sorted"), Y * 2.0))
    yield runs(
        "CUSTOM_FUNCTION of CUSTOM_FUNCTION", element(0, call(custom("tests_softsign"), one)), one, Y * 2.0
    )
    yield runs(
        "CUSTOM_FUNCTION of a kernel's result",
        element(0, call(custom("tests_sorted"), after(X, call(DOUBLING, X, Y)))),
    )
    yield runs("kernel of a CUSTOM_FUNCTION's result", after(X, call(DOUBLING, X, one)))


def apart() -> Iterator[Form]:
    """What a program does not mix: kernels and launches, launches and functions, inputs of one number, ranges and arguments."""
    first, second = UOp.param(0, SIZE, float32), UOp.param(1, SIZE, float32)
    waiting = kernel(store(at(first, R), load(at(after(second, call(DOUBLING, second, first)), R)), R))
    yield refused("kernel of a launch", Op.CALL, "CALL belongs to program", lambda: call(waiting, X, Y))
    for title, launch in {
        "FUNCTION": call(FUNCTION, Y), "value": call(FORMAL, Y), "CUSTOM_FUNCTION": call(custom("tests_sorted"), Y),
    }.items():  # fmt: skip
        yield refused(
            f"AFTER(PARAM, CALL({title}))",
            Op.AFTER,
            "launches no kernel",
            lambda launch=launch: after(X, launch),
        )
    malformed = kernel(store(at(first, UOp.range(node(Op.PARAM, index, arg=SIZE), 0)), f(1.0), R))
    yield refused(
        "CALL of a kernel with a PARAM of one number", Op.PARAM, "its argument is", lambda: call(malformed, X)
    )
    mirrored = kernel(store(at(first, R), load(at(second, i(SIZE - 1) - R)), R))
    yield refused("two launches that write over one content", Op.CALL, "order them: pass AFTER",
                  lambda: UOp.sink(after(X, call(DOUBLING, X, Y)), after(X, call(mirrored, X, Y))))  # fmt: skip
    pair = UOp.range(3, 0, AxisType.GLOBAL)
    filling = kernel(store(at(UOp.param(0, 3, float32), pair), f(5.0), pair))
    parts = [node(Op.BUFFER_VIEW, float32, X, arg=(3, begin)) for begin in (0, 3)]
    yield runs(
        "launches that write parts of one content", *(after(part, call(filling, part)) for part in parts)
    )
    yield runs(
        "a launch that reads what it writes elsewhere",
        after(X, call(mirrored, X, X)),
        after(Y, call(mirrored, Y, X)),
    )
    double = UOp.param(0, SIZE, float64)
    yield refused("PARAMs of one slot", Op.PARAM, "number 0 is taken by another PARAM",
                  lambda: UOp.sink(after(X, call(DOUBLING, X, Y)), double))  # fmt: skip
    size = UOp.variable("size", 0, 9)
    scaled = node(
        Op.FUNCTION, void, node(Op.TUPLE, void, FORMAL * size.cast(float32).broadcast((SIZE,))), FORMAL, size
    )
    yield refused(
        "CALL with a RANGE for a DEFINE_VAR",
        Op.RANGE,
        "pass a BIND",
        lambda: call(scaled, Y, UOp.range(3, 0)),
    )
    yield refused(
        "SINK of an open RANGE", Op.RANGE, "close that with BUFFERIZE", lambda: UOp.sink(UOp.range(3, 0))
    )


def forms() -> Iterator[Form]:
    for group in (
        calls,
        kernels,
        written,
        passed,
        changed,
        functions,
        steps,
        artifacts,
        custom_functions,
        apart,
    ):
        yield from group()
