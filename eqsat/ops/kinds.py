"""What rows of operations refer to: stages, families, dtype rules, and the kinds of loops."""

from __future__ import annotations

from enum import Enum

from eqsat.support.enumeration import direct


@direct
class Stage(Enum):
    """The stage of compilation at which a graph is."""

    ARRAY = "array"  # values with shapes
    KERNEL = "kernel"  # one kernel over ranges
    EXPANDED = "expanded"  # vectors and unrolled copies are explicit
    LINEAR = "linear"  # a list of instructions
    PROGRAM = "program"  # kernels, calls and compiled artifacts


@direct
class Category(Enum):
    """The family of an operation."""

    FRAMEWORK = "framework"
    CONSTANT = "constant"
    MOVEMENT = "movement"
    MEMORY = "memory"
    UNARY = "unary"
    BINARY = "binary"
    TERNARY = "ternary"
    REDUCTION = "reduction"
    CONTROL = "control"
    VECTOR = "vector"
    PROGRAM = "program"


@direct
class AxisType(Enum):
    """How a loop is executed. The value is (name, nesting priority of seed 001); lower priorities are further out."""

    PLACEHOLDER = ("placeholder", -3)  # a canonical range that is no loop yet
    LOOP = ("loop", -1)  # a serial loop over output elements
    GLOBAL = ("global", 0)  # work-groups
    THREAD = ("thread", 0)  # CPU threads
    WARP = ("warp", 1)  # lanes of a sub-group
    LOCAL = ("local", 2)  # work-items of a group
    GROUP_REDUCE = ("group_reduce", 2)  # a reduction shared by a group
    UPCAST = ("upcast", 3)  # lanes of an explicit vector
    REDUCE = ("reduce", 4)  # a serial loop that accumulates
    SCAN = ("scan", 3)  # a serial loop that carries a value from each iteration to the next
    UNROLL = ("unroll", 5)  # copies of the body

    @property
    def priority(self) -> int:
        """Nesting order of seed 001; lower values are outer loops."""
        return self.value[1]


@direct
class DTypeRule(Enum):
    """How the dtype of a result follows from the dtypes of the sources."""

    ANY = "any"  # given by the constructor
    VOID = "void"  # no value
    INDEX = "index"  # an index
    FIRST = "first"  # the dtype of source 0
    SAME = "same"  # all sources agree
    FLOAT = "float"  # all sources are one float dtype
    INTEGRAL = "integral"  # all sources are one integer or index dtype
    WORDS = "words"  # all sources are int32
    BITS = "bits"  # all sources are one integer, index or bool dtype
    COMPARE = "compare"  # sources agree; the result is bool, with as many lanes
    SELECT = "select"  # source 0 is bool; the other two agree
    MEMBER = "member"  # the dtype of the tuple's element
