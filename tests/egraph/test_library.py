"""Every rule of the library is found in the e-graph: where its left side stands, its right side is in the same class."""

import random
from itertools import islice
from math import prod

import pytest

from eqsat.dtype import int32
from eqsat.egraph.compile.rules import compile_rule
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.egraph.tables.schema import kind_of
from eqsat.integers.bounds import bounds
from eqsat.ops import COMPARISON, Op
from eqsat.proof.matches.draw import LARGE_SHAPES, Draw
from eqsat.proof.obligation import obligations
from eqsat.rules.language.rule import Phase
from eqsat.rules.library import LIBRARY
from eqsat.rules.reductions.byte_products import byte_products
from eqsat.uop import UOp

# Hold for what is seldom drawn by chance
RARE = frozenset({"combine_in_places_by_label", "combine_floats_in_places_by_label"})
ATTEMPTS = 4000
LARGER_EVERY = 750  # attempts, after which shapes may be larger
LARGE_ALONE = frozenset(  # hold for few shapes
    {
        "combine_parts_by_label",
        "combine_parts_of_floats_by_label",
        "sum_in_parts",
        "sum_floats_in_parts",
    }
)
DRAWS = 40  # at most; many degenerate matches are settled by another rule first
AT_ONCE = 2  # in one e-graph, whose search for matches of all rules takes longer than such small graphs
ENOUGH = 2
BUDGET = Budget(nodes=20_000, iterations=12, seconds=60.0, explorations=1)

# Of the others, what is drawn is mostly settled first
DRAWN = [rule for rule in LIBRARY.rules if rule.topic != byte_products.name]


@pytest.mark.parametrize("rule", DRAWN, ids=lambda rule: f"{rule.topic}.{rule.name}".replace(" ", "-"))
def test_a_rule_is_found(rule):
    for dtype in one_of_each_kind(rule):
        fired, drawn = 0, matches(rule, dtype)
        while fired < ENOUGH and (some := list(islice(drawn, AT_ONCE))):
            saturation = saturate([side for match in some for side in match], LIBRARY, BUDGET)
            classes = iter(saturation.snapshot.root_classes)
            for (left, right), first, second in zip(some, classes, classes, strict=True):
                if first != second:  # what is found for the others may have taken the search to its end
                    first, second = saturate([left, right], LIBRARY, BUDGET).snapshot.root_classes
                assert first == second, f"{rule} left\n{left.pretty()}\napart from\n{right.pretty()}"
            assert all(map(fits, saturation.snapshot.terms)), (
                f"{rule} wrote a constant that its dtype has not"
            )
            fired += sum(count.matches for count in saturation.report.rules if count.name == rule.name)
        is_one_term = not compile_rule(rule)  # `x - y` and `x + y * -1`
        assert fired or is_one_term, f"{rule} matched nowhere in {dtype}"


def test_rules_whose_sides_are_one_term_are_not_run() -> None:
    """For each pair of terms of a sum, they would copy it, and add what is there: 4 GiB for 200 steps of a hash."""
    x, y = (UOp.param(slot, 4, int32) for slot in range(2))
    saturation = saturate([x - y * 3 - x * y, x + y * -3 + x * y * -1], LIBRARY, BUDGET)
    assert len({*saturation.snapshot.root_classes.tolist()}) == 1
    assert not {"difference_is_a_sum", "negative_is_a_product"} & {
        each.name for each in saturation.report.rules
    }


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("product_of_bytes_by_words", (0, 255), (-128, 127)),
        ("product_of_bytes_by_words", (-128, 127), (0, 200)),
        ("product_of_signed_bytes_by_words", (-128, 127), (-100, 127)),
        ("product_of_unsigned_bytes_by_words", (0, 255), (1, 255)),
    ],
)
@pytest.mark.parametrize("terms", [4, 6])
def test_products_of_bytes_are_found(name, first, second, terms):
    def within(slot, bounds, shape):
        x = UOp.param(slot, prod(shape), int32).reshape(shape)
        return x.maximum(bounds[0]).minimum(bounds[1]).expand((3, 2, terms))

    product = within(0, first, (3, 1, terms)) * within(1, second, (1, 2, terms))
    graph = UOp(Op.REDUCE_AXIS, int32, (product,), (Op.ADD, (2,)))
    saturation = saturate([graph], LIBRARY, BUDGET)
    assert name in {count.name for count in saturation.report.rules}
    assert Op.DOT in {term.op for term in saturation.snapshot.terms}


def one_of_each_kind(rule):
    found = {obligation.dtype for obligation in obligations([rule])}
    return {kind_of(dtype): dtype for dtype in sorted(found, key=str)}.values()


def matches(rule, dtype):
    """A few matches, with values that the e-graph knows the bounds of."""
    chance, found = random.Random(f"{rule.name} {dtype}"), 0
    choices = [obligation for obligation in obligations([rule]) if obligation.dtype == dtype]
    for attempt in range(ATTEMPTS):
        larger = attempt // LARGER_EVERY and chance.random() < 0.5
        large = min(attempt // LARGER_EVERY, len(LARGE_SHAPES)) if larger else 0
        if rule.name in LARGE_ALONE:
            large = 1
        directed = rule.name in RARE
        match = Draw(
            chance.choice(choices), chance, large=0 if directed else large, directed=directed
        ).match()
        if match is None or match.left is match.right or not all(map(fits, match.right.toposort())):
            continue
        if any(
            match.bindings[name].dtype.is_bool and low == high for name, (low, high) in match.bounds.items()
        ):
            continue  # what a known bool decides is settled before rules that explore look at it
        bounded = {match.bindings[name]: variable(name, match) for name in match.bounds}
        left, right = match.left.substitute(bounded), match.right.substitute(bounded)
        if rule.phase is Phase.EXPLORE and any(map(is_settled, left.toposort())):
            left, right = match.left, match.right  # whose elements differ
            if any(map(is_settled, left.toposort())):
                continue  # likewise
        yield left, right
        found += 1
        if found == DRAWS:
            return


def is_settled(node):
    """Whether there is nothing left to compute: of no elements, or where bounds of what is compared tell the result, or copies are scanned."""
    copies = node.op is Op.SCAN_AXIS and node.src[0].op is Op.EXPAND
    return copies or 0 in (node.shape or ()) or (node.op in COMPARISON and len(set(bounds(node))) == 1)


def fits(node):
    """Index constants are kept to 64 bits, in which they are computed."""
    return node.op is not Op.CONST or not node.dtype.is_index or node.dtype.min <= node.arg <= node.dtype.max


def variable(name, match):
    """A variable in place of the array that a match has for a value with bounds."""
    value = match.bindings[name]
    least, greatest = match.bounds[name]
    return UOp.variable(name, least, greatest, value.dtype).broadcast(value.shape)


def test_no_variant_asks_for_a_dtype_that_it_has_not():
    """Rules about sums of integers have no variant for floats, and those about sums of floats have that alone."""
    rules = {rule.name: rule for rule in LIBRARY.rules}
    for name, among in {"one_hot_sum": "ixb", "one_hot_sum_of_floats": "f"}.items():
        variants = [compiled.variant for compiled in compile_rule(rules[name])]
        kinds = {each.kind(each.typing.value_types["b"]) for each in variants}
        assert kinds == set(among)


def python_calls(name):
    """How many Python functions a match of a rule calls, in each of its variants."""
    (rule,) = (each for each in LIBRARY.rules if each.name == name)
    return {str(compiled.command).count("py-call") for compiled in compile_rule(rule)}


def test_a_reshape_that_the_left_side_shows_to_be_legal_is_not_checked_in_python():
    assert python_calls("reshapes_compose") == {0}
    assert python_calls("expansions_compose") == {0}


def test_the_argument_of_a_movement_and_its_shape_are_one_call():
    assert python_calls("permutations_compose") == {1}
    assert python_calls("reshape_before_permute") == {2}
