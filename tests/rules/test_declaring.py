"""Declaring rules: what is accepted, what is refused, and with which words."""

import subprocess
import sys

import pytest

from eqsat.dtype import float32, index, int8, int32
from eqsat.egraph.saturate import saturate
from eqsat.errors import RuleError
from eqsat.ops import Op
from eqsat.proof.obligation import obligations
from eqsat.rules.language.facts import lo
from eqsat.rules.language.inference import infer
from eqsat.rules.language.instantiate import build, evaluate, holds, instantiate
from eqsat.rules.language.pattern import Value, apply, cast, maximum, permute, reduce_axis, reshape, where
from eqsat.rules.language.rule import (
    FLOATS,
    INDEX,
    INTEGERS,
    NUMBERS,
    Phase,
    Rewrite,
    RuleSet,
    Soundness,
    Topic,
    rewrite,
)
from eqsat.rules.language.scalar import Arg, Const, Type, pure
from eqsat.uop import UOp


@pure
def composed(first, second):
    return tuple(first[axis] for axis in second)


def test_a_rule_is_a_value():
    topic = Topic("examples")

    @topic.rule(INDEX, phase=Phase.EXPLORE, soundness=Soundness.REAL, citation="a book")
    def divide_undoes_multiply(x: Value, c: Const) -> Rewrite:
        """A product divided by its own nonzero factor is the other factor."""
        return rewrite((x * c) // c, x, where=c != 0)

    (rule,) = topic.ruleset
    assert (rule.name, rule.topic, rule.phase, rule.soundness) == (
        "divide_undoes_multiply", "examples", Phase.EXPLORE, Soundness.REAL,
    )  # fmt: skip
    assert rule.claim == "A product divided by its own nonzero factor is the other factor."
    assert rule.citation == "a book"
    assert list(rule.variables) == ["x", "c"]
    assert repr(rule) == "Rule(examples.divide_undoes_multiply)"


def test_a_family_has_a_member_for_each_operation():
    topic = Topic("examples")

    @topic.rule(FLOATS, over=(Op.EXP2, Op.SQRT))
    def before_reshape(op: Op, x: Value, s: Arg) -> Rewrite:
        """{op} of a reshaped value is the reshaped {op}."""
        return rewrite(apply(op, reshape(x, s)), reshape(apply(op, x), s))

    assert [rule.name for rule in topic.ruleset] == ["before_reshape_exp2", "before_reshape_sqrt"]
    assert topic.ruleset.rules[1].claim == "SQRT of a reshaped value is the reshaped SQRT."


def unbound(x: Value, y: Value) -> Rewrite:
    """y comes from nowhere."""
    return rewrite(x + 0, x + y)


def undocumented(x: Value) -> Rewrite:
    return rewrite(x + 0, x)


def unannotated(x) -> Rewrite:
    """x could be anything."""
    return rewrite(x + 0, x)


def everything(x: Value) -> Rewrite:
    """Any value is rewritten."""
    return rewrite(x, x + 0)


def stranger(x: Value) -> Rewrite:
    """Uses a variable that is not its own."""
    return rewrite(x + 0, x * Value("z"))


def lopsided(x: Value, y: Value) -> Rewrite:
    """The right side does not know y."""
    return rewrite(x * y * 0, x * 0, both_ways=True)


def too_few(x: Value) -> Rewrite:
    """A choice between nothing."""
    return rewrite(apply(Op.WHERE, x, x), x)


def odd_reduction(x: Value, a: Arg) -> Rewrite:
    """Reduces by a comparison."""
    return rewrite(reduce_axis(Op.CMPLT, x, a), x)


def of_a_store(x: Value, y: Value) -> Rewrite:
    """Has no value."""
    return rewrite(apply(Op.STORE, x, y), x)


def from_text(x: Value) -> Rewrite:
    """Adds a word."""
    return rewrite(x + "one", x)


def from_truth(x: Value, c: Const) -> Rewrite:
    """Joins guards by Python's and."""
    return rewrite(x * c, x, where=c > 0 and c < 2)


def without_equation(x: Value) -> Rewrite:
    """Forgets to return."""


def guarded_by_text(x: Value) -> Rewrite:
    """A guard that is no scalar."""
    return rewrite(x + 0, x, where="always")


def guarded_by_a_value(x: Value) -> Rewrite:
    """A guard that only a run decides."""
    return rewrite(x + 0, x, where=x < 1)


def without_argument(x: Value) -> Rewrite:
    """A reshape to nothing."""
    return rewrite(apply(Op.RESHAPE, x), x)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (without_equation, "returns None; return rewrite"),
        (guarded_by_text, "the guard is 'always'"),
        (guarded_by_a_value, "not known when the rule is applied"),
        (without_argument, "write reshape"),
        (unbound, "'y' does not occur in the left side"),
        (undocumented, "has no docstring; say in a sentence what it claims"),
        (unannotated, "annotate 'x' as Value, Const, Arg or Type"),
        (everything, "everything would match"),
        (stranger, "'z' is no parameter"),
        (lopsided, "does not bind all variables"),
        (too_few, "takes 3 operands, not 2"),
        (odd_reduction, "cannot reduce by CMPLT"),
        (of_a_store, "cannot be stated over STORE"),
        (from_text, "cannot stand in a pattern"),
        (from_truth, "combine guards with &"),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_a_wrong_declaration_is_refused(function, words):
    with pytest.raises(RuleError, match=words):
        Topic("examples").rule(INTEGERS)(function)


@pytest.mark.parametrize(
    "equation",
    [
        lambda x, y: rewrite(where(x == y, x, y), y),
        lambda x, y: rewrite(where((y < 3) & (x != 0), x, y), y),
        lambda x, y: rewrite(where((x < y) and (y < 3), x, y), y),
        lambda x, y: rewrite(where(0 < x < y, x, y), y),
        lambda x, y: rewrite(where(not x, x, y), y),
        lambda x, y: rewrite(x * y, y * x, where=x == 3),
    ],
    ids=["equal", "not-equal", "and", "chained", "not", "guard"],
)
def test_comparisons_that_python_would_decide_are_refused(equation):
    """Each was a constant in the rule before: `where(x == y, x, y)` was `where(False, x, y)`, and `0 < x < y` was `x < y`."""

    def compares(x: Value, y: Value) -> Rewrite:
        """A claim about a comparison."""
        return equation(x, y)

    with pytest.raises(RuleError, match=r"do not compare|no truth value|the guard is"):
        Topic("examples").rule(INDEX)(compares)


def test_a_rule_needs_dtypes():
    with pytest.raises(RuleError, match="holds for no dtype"):
        Topic("examples").rule(())(everything)


@pytest.mark.parametrize(
    "options",
    [
        {"domain": "float"},
        {"domain": 3},
        {"domain": FLOATS, "soundness": "exact"},
        {"domain": FLOATS, "over": ()},
        {"domain": FLOATS, "over": (2, "three")},
    ],
    ids=["a word", "a number", "a word for soundness", "no members", "an odd member"],
)
def test_wrong_options_are_refused(options):
    with pytest.raises(RuleError, match=r"is no domain|take members of|has no members"):
        Topic("examples").rule(**options)(undocumented)


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_topic_has_a_name(name):
    with pytest.raises(RuleError, match="no name of a topic"):
        Topic(name)


@pure
def failing(c):
    raise ZeroDivisionError("nothing is left")


@pure
def wordy(c):
    return "seven"


@pytest.mark.parametrize(
    ("function", "words"), [(failing, "failing raised ZeroDivisionError for 3"), (wordy, "gave 'seven'")]
)
def test_functions_of_rules_that_fail_are_named(function, words):
    topic = Topic("examples")

    @topic.rule(INDEX)
    def scaled(x: Value, c: Const) -> Rewrite:
        """A multiple."""
        return rewrite(x * c, x * function(c))

    with pytest.raises(RuleError, match=words):
        saturate([UOp.variable("i", 0, 9) * 3], topic.ruleset)


def test_a_rule_that_no_dtype_fits_is_refused_where_it_is_used():
    topic = Topic("examples")

    @topic.rule(FLOATS)
    def doubling_compares(x: Value) -> Rewrite:
        """A double is a comparison."""
        return rewrite(x * 2.0, x < 2.0)

    with pytest.raises(RuleError, match="its first value is bool"):
        infer(topic.ruleset.rules[0])
    with pytest.raises(RuleError, match="doubling_compares"):
        obligations(topic.ruleset)


def test_names_are_unique():
    topic, other = Topic("examples"), Topic("others")
    for each in (topic, other):

        @each.rule(INDEX)
        def zero(x: Value) -> Rewrite:
            """Zero adds nothing."""
            return rewrite(x + 0, x)

    with pytest.raises(RuleError, match="two rules named 'zero'"):
        topic.rule(INDEX)(zero)
    with pytest.raises(RuleError, match="two rules are named 'zero', in topics 'examples' and 'others'"):
        topic.ruleset + other.ruleset


def test_rule_sets_are_selected_from():
    topic = Topic("examples")

    @topic.rule(INDEX)
    def exact(x: Value) -> Rewrite:
        """Exact."""
        return rewrite(x + 0, x)

    @topic.rule(FLOATS, soundness=Soundness.FINITE)
    def finite(x: Value) -> Rewrite:
        """Wrong for a negative zero."""
        return rewrite(x + 0, x)

    assert [rule.name for rule in topic.ruleset.admitting({Soundness.EXACT})] == ["exact"]
    assert [rule.name for rule in topic.ruleset.without("exact")] == ["finite"]
    assert len(topic.ruleset + RuleSet()) == 2
    with pytest.raises(RuleError, match="no rule named 'other'"):
        topic.ruleset.without("other")


def declared(function, domain=INTEGERS):
    topic = Topic("examples")
    topic.rule(domain)(function)
    return topic.ruleset.rules[0]


def test_both_sides_become_graphs():
    def scaled(x: Value, c: Const, d: Const) -> Rewrite:
        """Constants multiply."""
        return rewrite(x * c * d, x * (c * d), where=(lo(x) >= 0) & (c > 0))

    rule = declared(scaled)
    x = UOp.variable("x", 0, 3, int8)
    left, right = instantiate(rule, {"x": x, "c": 16, "d": 9}, int8)
    assert left is x * 16 * 9
    assert right is x * -112  # 144, wrapped to eight bits
    assert holds(rule, {"x": x, "c": 16, "d": 9}, {"x": (0, 3)})
    assert not holds(rule, {"x": x, "c": -1, "d": 9}, {"x": (0, 3)})
    assert not holds(rule, {"x": x, "c": 16, "d": 9}, {})  # no bound is known


def test_constants_take_dtype_and_shape_of_their_place():
    def chosen(c: Value, x: Value) -> Rewrite:
        """A choice of constants."""
        return rewrite(where(c, x, 0), maximum(where(c, x, 0), 0))

    condition = UOp.param(0, 6, int32).reshape((2, 3)).ne(1)
    value = UOp.param(1, 6, float32).reshape((2, 3))
    left = build(declared(chosen, NUMBERS).left, {"c": condition, "x": value}, int32)
    assert (left.dtype, left.shape) == (float32, (2, 3))
    assert left.src[2] is UOp.full((2, 3), float32, 0.0)


def test_pure_functions_compute_or_refuse():
    def permuted(x: Value, p: Arg, q: Arg) -> Rewrite:
        """Two permutations are one."""
        return rewrite(permute(permute(x, p), q), permute(x, composed(p, q)))

    rule = declared(permuted, NUMBERS)
    x = UOp.param(0, 24, float32).reshape((2, 3, 4))
    left, right = instantiate(rule, {"x": x, "p": (1, 2, 0), "q": (2, 0, 1)}, float32)
    assert right is x.permute((0, 1, 2)) or right.arg == (0, 1, 2)
    assert left.shape == right.shape == (2, 3, 4)
    assert composed((1, 0), (1, 0)) == (0, 1)
    assert evaluate(composed(Arg("p"), Arg("q")), {"p": (1, 0), "q": (0, 1)}) == (1, 0)


def test_a_users_rule_is_applied():
    topic = Topic("mine")

    @topic.rule(INDEX)
    def doubled_quotient(x: Value) -> Rewrite:
        """Half of a double."""
        return rewrite((x * 2) // 2, x)

    @topic.rule(NUMBERS)
    def cast_to_own_type(x: Value, t: Type) -> Rewrite:
        """Nothing changes."""
        return rewrite(cast(x, t), x)

    i = UOp.variable("i", 0, 5)
    snapshot = saturate([(i * 2) // 2, i, i.cast(index), i.cast(int32)], topic.ruleset).snapshot
    halved, plain, same, other = snapshot.root_classes
    assert halved == plain == same != other


def test_the_library_has_one_order_of_rules():
    """A topic may get rules from several modules, and searches apply rules in order: importing one of these first must change nothing."""
    script = """
import importlib, pkgutil, sys
import eqsat.rules
names = [each.name for each in pkgutil.walk_packages(eqsat.rules.__path__, "eqsat.rules.")]
orders = {}
for first in names:
    for loaded in [each for each in sys.modules if each.startswith("eqsat.rules")]:
        del sys.modules[loaded]
    importlib.import_module(first)
    library = importlib.import_module("eqsat.rules.library").LIBRARY
    orders[first] = [rule.name for rule in library]
assert len(orders) > 30
print([first for first in names if orders[first] != orders["eqsat.rules.library"]])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
