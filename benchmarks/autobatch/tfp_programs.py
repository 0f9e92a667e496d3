"""The programs for TensorFlow Probability's auto-batching, compiled by XLA.

They are built with its `ProgramBuilder`, which has branches and calls, because its translation of Python source does not work with current
TensorFlow.
"""

import numpy as np
import tensorflow as tf
from tensorflow_probability.python.experimental.auto_batching import (
    allocation_strategy,
    dsl,
    lowering,
    stack_optimization,
    type_inference,
    virtual_machine,
)
from tensorflow_probability.python.experimental.auto_batching.tf_backend import TensorFlowBackend

BACKEND = TensorFlowBackend()
DEPTH = {"fibonacci": 16, "ackermann": 64}  # the depth of the stacks of each program


def _fibonacci(build):
    with build.function("fibonacci", lambda types: types[0]) as fibonacci:
        n = build.param("n")
        build.var.is_leaf = build.primop(lambda n: n <= 1)
        with build.if_(build.var.is_leaf):
            build.var.result = build.primop(lambda n: n + 0)
        with build.else_():
            build.var.before = build.primop(lambda n: n - 1)
            build.var.left = build.call(fibonacci, [build.var.before])
            build.var.twice = build.primop(lambda n: n - 2)
            build.var.right = build.call(fibonacci, [build.var.twice])
            build.var.result = build.primop(lambda left, right: left + right)
        build.return_(build.var.result)
    del n
    return fibonacci


def _ackermann(build):
    with build.function("ackermann", lambda types: types[0]) as ackermann:
        build.param("m")
        build.param("n")
        build.var.is_last = build.primop(lambda m: tf.equal(m, 0))
        with build.if_(build.var.is_last):
            build.var.result = build.primop(lambda n: n + 1)
        with build.else_():
            build.var.less = build.primop(lambda m: m - 1)
            build.var.is_zero = build.primop(lambda n: tf.equal(n, 0))
            with build.if_(build.var.is_zero):
                build.var.one = build.primop(lambda n: n + 1)
                build.var.result = build.call(ackermann, [build.var.less, build.var.one])
            with build.else_():
                build.var.before = build.primop(lambda n: n - 1)
                build.var.inner = build.call(ackermann, [build.var.m, build.var.before])
                build.var.result = build.call(ackermann, [build.var.less, build.var.inner])
        build.return_(build.var.result)
    return ackermann


def _compiled(name, made):
    """A function of arrays with the batch on axis 0."""

    def run(*arrays):
        build = dsl.ProgramBuilder()
        program = build.program(main=made(build))
        inputs = [tf.convert_to_tensor(each) for each in arrays]
        typed = type_inference.infer_types(program, inputs, BACKEND)
        lowered = stack_optimization.fuse_pop_push(
            lowering.lower_function_calls(allocation_strategy.optimize(typed))
        )
        return virtual_machine.execute(lowered, inputs, DEPTH[name], BACKEND)

    compiled = tf.function(run, autograph=False, jit_compile=True)
    return lambda *arrays: np.asarray(compiled(*arrays))


PROGRAMS = {
    name: _compiled(name, made) for name, made in (("fibonacci", _fibonacci), ("ackermann", _ackermann))
}
