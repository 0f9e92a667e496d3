"""Programs that are built by calls are those that are translated from Python."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import BatchProgram, ProgramBuilder, batch
from eqsat.autobatch.machines.interpreter import interpret
from eqsat.errors import BuildError, SpecError


@batch
def collatz(n):
    steps = 0
    while True:
        if n == 1:
            break
        if n % 2 == 0:
            n = n // 2
            steps = steps + 1
            continue
        n = 3 * n + 1
        steps = steps + 1
    return steps, n


def built_collatz():
    builder = ProgramBuilder()
    with builder.function("collatz", "n") as f:
        f.assign("steps", 0)
        with f.while_(True):
            with f.if_(lambda n: n == 1):
                f.break_()
            with f.if_(lambda n: n % 2 == 0):
                f.assign("n", lambda n: n // 2)
                f.assign("steps", lambda steps: steps + 1)
                f.continue_()
            with f.else_():
                f.assign("n", lambda n: 3 * n + 1)
            f.assign("steps", lambda steps: steps + 1)
        f.return_("steps", "n")
    return builder


def test_a_built_program_computes_what_the_translated_one_computes():
    inputs = [np.array([1, 2, 7, 27], dtype=np.int32)]
    built = interpret(built_collatz().program("collatz", eq.int32), inputs)
    translated = interpret(collatz.program(eq.int32), inputs)
    np.testing.assert_array_equal(built, translated)
    np.testing.assert_array_equal(built[0], [0, 1, 16, 111])


def test_functions_call_each_other_before_they_are_defined():
    builder = ProgramBuilder()
    with builder.function("even", "n", n=eq.int32) as f:
        with f.if_(lambda n: n == 0):
            f.return_(True)
        f.call("answer", "odd", lambda n: n - 1)
        f.return_("answer")
    with builder.function("odd", "n") as f:
        with f.if_(lambda n: n == 0):
            f.return_(False)
        with f.else_():
            f.call("answer", "even", lambda n: n - 1)
            f.return_("answer")
    program = builder.program("even", eq.int32)
    assert interpret(program, [np.arange(4, dtype=np.int32)]).tolist() == [True, False, True, False]


def test_a_call_gives_several_targets_the_parts_of_a_result():
    builder = ProgramBuilder()
    with builder.function("divided", "a", "b") as f:
        f.assign(["quotient", "rest"], lambda a, b: (a // b, a % b))
        f.return_("quotient", "rest")
    with builder.function("digits", "n") as f:
        f.assign("total", 0)
        with f.while_("n"):
            f.call(["n", "digit"], "divided", "n", 10)
            f.assign("total", lambda total, digit: total + digit)
        f.return_("total")
    program = builder.program("digits", eq.int64)
    assert interpret(program, [np.array([0, 7, 1234, 99])]).tolist() == [0, 7, 10, 18]


def without_return(f):
    with f.if_("n"):
        f.return_("n")


def read_before_definition(f):
    with f.if_("n"):
        f.assign("y", 1)
    f.return_(lambda n, y: n + y)


def break_outside(f):
    f.break_()


def continue_outside(f):
    f.continue_()


def else_alone(f):
    with f.if_("n"):
        f.assign("n", 1)
    f.assign("n", 2)
    with f.else_():
        f.return_("n")


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (without_return, r"may end without a return .*test_builder.py:\d+"),
        (read_before_definition, r"use of 'y' before definition .*test_builder.py:\d+: f.return_"),
        (break_outside, r"`break_` outside of a loop .*: f.break_"),
        (continue_outside, r"`continue_` outside of a loop .*: f.continue_"),
        (else_alone, r"`else_` without an `if_` .*: with f.else_"),
        (lambda f: f.assign(3, 1), r"targets are names of variables, not 3 .*test_builder.py"),
        (lambda f: f.call("n", ["f"], "n"), r"\['f'\] is none .*test_builder.py"),
    ],
)
def test_mistakes_are_refused_by_their_lines(write, message):
    def build():
        with ProgramBuilder().function("f", "n") as f:
            write(f)

    with pytest.raises(BuildError, match=message):
        build()


def test_unknown_and_repeated_functions_are_refused():
    builder = ProgramBuilder()
    with builder.function("f", "n") as f:
        f.call("n", "g", "n")
        f.return_("n")
    with pytest.raises(SpecError, match="does not define"):
        builder.program("f", eq.int32)
    with pytest.raises(BuildError, match="no function 'h'"):
        builder.program("h", eq.int32)
    with pytest.raises(BuildError, match="'f' already"), builder.function("f"):
        pass


def test_declared_types_are_checked():
    builder = ProgramBuilder()
    with builder.function("f", "n", n=eq.float32) as f:
        f.return_("n")
    with pytest.raises(BuildError, match=r"float32 \(declared at .*int32"):
        builder.program("f", eq.int32)


def test_programs_and_their_parts_have_names():
    with pytest.raises(BuildError, match="and 3 is none"), ProgramBuilder().function(3):
        pass
    with pytest.raises(BuildError, match=r"and \[\] is none"):
        ProgramBuilder().program([])
    with pytest.raises(BuildError, match="made of a Program, not 'f'"):
        BatchProgram("f")


def test_a_program_runs_once():
    builder = ProgramBuilder()
    with builder.function("f", "n") as f:
        f.return_(lambda n: n + 1)
    assert eq.autobatch.run(builder.program("f", eq.int32), [np.arange(2, dtype=np.int32)]).tolist() == [1, 2]
