"""Where rules are found in a finished e-graph."""

import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.rules import FLOATS, INDEX, Const, RuleSet, Topic, Value, rewrite
from eqsat.show.rule_sites import Site, find_sites

x, y = eq.variable("x", 0, 63), eq.variable("y", 0, 7)


def sites(declare, domain, graph):
    """The sites of one rule after saturating with it, as texts of left and right operations."""
    topic = Topic("test")
    topic.rule(domain)(declare)
    (rule,) = topic.ruleset
    saturation = saturate([graph], RuleSet((rule,)), Budget())
    snapshot = saturation.snapshot
    (found,) = find_sites(snapshot, [rule])
    for site in found.sites:
        assert site.right < 0 or snapshot.node_class[site.left] == snapshot.node_class[site.right]
    ops = [term.op.name for term in snapshot.terms]
    return sorted((ops[site.left], ops[site.right] if site.right >= 0 else "") for site in found.sites)


def remainder_by_quotient(x: Value, c: Const):
    """A remainder is what the quotient leaves."""
    return rewrite(x % c, x - x // c * c)


def nested_division(x: Value, c: Const, d: Const):
    """Dividing twice is dividing by the product."""
    return rewrite(x // c // d, x // (c * d), where=(c > 0) & (d > 0))


def distribute(a: Value, b: Value, c: Value):
    """Sums of products with one factor are a product."""
    return rewrite(a * b + a * c, a * (b + c))


def test_both_sides_are_found_with_a_computed_constant():
    assert sites(nested_division, INDEX, x // 4 // 8) == [("FLOORDIV", "FLOORDIV")]


def test_a_guard_that_fails_leaves_no_site():
    assert sites(nested_division, INDEX, x // 4 // -8) == []


def test_a_right_side_whose_constants_were_collected_is_not_recognized():
    assert sites(remainder_by_quotient, INDEX, x % 8) == [("FLOORMOD", "")]  # 8 * -1 is one constant there


def test_operands_match_in_any_order_and_a_variable_used_twice_is_one_class():
    a, b, c = (eq.UOp.param(slot, 1, eq.float32).reshape(()) for slot in range(3))
    assert sites(distribute, FLOATS, b * a + a * c) == [("ADD", "MUL")]
    assert sites(distribute, FLOATS, b * b + a * c) == []


def test_the_domain_limits_sites():
    assert sites(remainder_by_quotient, FLOATS, x % 8) == []


@pytest.mark.parametrize("graph", [x // 4 // 8 + y % 4, (x * 8 + y) // 8 % 4, (x + y) // 2 // 2 % 8])
def test_sites_of_the_library_are_equalities(graph):
    best = eq.optimize(eq.UOp.sink(graph))
    matched = {count.name for count in best.report.rules}
    rules = [rule for rule in best.rules if rule.name in matched]
    found = find_sites(best.snapshot, rules)
    assert [each.rule for each in found] == rules
    assert all(each.is_complete for each in found)
    assert any(each.sites for each in found)


def test_matching_ends_after_its_steps_and_says_so():
    best = eq.optimize(eq.UOp.sink(x // 4 // 8))
    (rule,) = [rule for rule in best.rules if rule.name == "divide_twice"]
    (all_sites,) = find_sites(best.snapshot, [rule])
    (none,) = find_sites(best.snapshot, [rule], steps=0)
    assert all_sites.is_complete
    assert all_sites.sites
    assert (none.sites, none.is_complete) == ((), False)


def test_sites_sort_by_node():
    assert sorted([Site(2, 1), Site(1, 3), Site(1)]) == [Site(1), Site(1, 3), Site(2, 1)]
