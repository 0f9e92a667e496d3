"""Rules that cannot match a graph are neither compiled nor given to egglog; nothing else changes by that."""

import pytest

import eqsat as eq
from eqsat.demo.programs import PROGRAMS
from eqsat.dtype import parse_dtype
from eqsat.egraph.bindings import egglog
from eqsat.egraph.compile import occurrence
from eqsat.egraph.compile.axioms import bounds, normal_forms
from eqsat.egraph.compile.occurrence import LETTERS, Occurrences
from eqsat.egraph.compile.repertoire import Contents, Repertoire
from eqsat.egraph.compile.rules import Compiled, compile_rule
from eqsat.egraph.compile.traits import Traits
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search import engine
from eqsat.egraph.search.engine import Engine, _domain_facts, engine_for
from eqsat.egraph.tables.encode import encode
from eqsat.egraph.tables.syntax import run
from eqsat.ops import Op
from eqsat.rules.language.facts import shape_of
from eqsat.rules.language.pattern import Value, apply
from eqsat.rules.language.rule import FLOATS, Phase, Rewrite, Rule, RuleSet, Topic, rewrite
from eqsat.rules.language.scalar import pure
from eqsat.rules.library import LIBRARY

PROGRAM_NAMES = ("softmax", "attention", "layer_norm", "matmul")


def directed() -> list[tuple[Rule, Traits, Compiled]]:
    """All egglog rules of the library with the traits of their directions."""
    return [
        (declared, Traits.of(declared)["(backwards)" in compiled.name], compiled)
        for declared in LIBRARY
        for compiled in compile_rule(declared)
    ]


def test_traits_exclude_no_rule_that_could_match() -> None:
    for _, traits, compiled in directed():
        assert traits.may_match(compiled.tables_of_left), compiled.name


def test_traits_exclude_a_rule_without_an_operation_of_its_left_side() -> None:
    everything = frozenset(table for _, _, compiled in directed() for table in compiled.tables_of_left)
    for _, traits, compiled in directed():
        for tables in traits.tables:
            assert not traits.may_match(everything - tables), compiled.name


def pairs_of(compiled: Compiled) -> set[tuple[str, str]]:
    """The pairs of tables in a match of a left side, as `Occurrences.pairs` has them."""
    atoms = [found for fact in compiled._left[0].facts if (found := occurrence.atom(fact)) is not None]
    at: dict[str, list[tuple[str, list[str]]]] = {}
    for place, table, columns in atoms:
        operands = columns[1:] if table in ("OPERAND", "SPLIT") else columns
        names = [column.name for column in operands if isinstance(column, egglog.Var)]
        at.setdefault(place, []).append((table, names))
    found = {(table, table) for _, table, _ in atoms if table in occurrence._FLATTENED}
    for rows in at.values():
        for table, names in rows:
            held = [row for name in names for row in at.get(name, ())]
            elements = [
                row for below, own in held if below == "OPERAND" for each in own for row in at.get(each, ())
            ]
            found |= {(table, below) for below, _ in (*held, *elements)}
    return {pair for pair in found if "OPERAND" not in pair}


def test_traits_exclude_no_rule_whose_left_side_occurs() -> None:
    for _, traits, compiled in directed():
        assert traits.may_occur(frozenset(pairs_of(compiled))), compiled.name


def test_traits_exclude_a_rule_without_an_operand_of_its_left_side() -> None:
    everything = frozenset(pair for _, _, compiled in directed() for pair in pairs_of(compiled))
    missing = [(traits, pairs) for _, traits, _ in directed() for pairs in traits.pairs]
    assert missing
    assert not any(traits.may_occur(everything - pairs) for traits, pairs in missing)


def test_pairs_of_a_graph_reach_into_sums() -> None:
    x, y = (eq.UOp.variable(name, 0, 9) for name in "xy")
    with Engine(LIBRARY).graph() as graph:
        graph.feed(encode([eq.UOp.sink(x + y * 3 + x % 4)]).actions)
        graph.execute(run(graph.facts(graph.sizes())))
        filled = frozenset(table for table, rows in graph.sizes().items() if rows)
        found = Occurrences(graph.egraph, filled).pairs()
    assert {pair for pair in found if "SPLIT" not in pair} == {
        ("ADD_N", "ADD_N"), ("ADD_N", "LEAF"), ("ADD_N", "FLOORMOD"), ("ADD_N", "SCALE"), ("SCALE", "SCALE"),
        ("SCALE", "LEAF"), ("FLOORMOD", "LEAF"), ("FLOORMOD", "CONST"),
    }  # fmt: skip


def test_traits_foresee_the_kinds_that_a_rule_makes() -> None:
    for _, traits, compiled in directed():
        typing, kinds = compiled.variant.typing, compiled.variant.kinds
        before, after = (
            {kinds[key] for key in types.values() if key[0] not in "?$!"}
            for types in (typing.left_types, typing.right_types)
        )
        assert after <= before | traits.kinds_made, compiled.name


def test_all_domains_that_rules_ask_for_are_in_the_table() -> None:
    stated = {str(fact.expr.args[0].value.value) for fact in _domain_facts(LIBRARY)}
    asked = {
        str(fact.expr.args[0].value.value)
        for _, _, compiled in directed()
        for fact in compiled.variant.type_facts()
    }
    assert asked
    assert asked <= stated


def test_few_rules_are_compiled_for_a_sum_of_floats() -> None:
    contents = Contents(frozenset("f"), frozenset())
    found = Repertoire(LIBRARY).of_tables(Phase.SIMPLIFY, contents, frozenset({"ADD", "LEAF"}))
    assert 0 < len(found) < 20
    assert all(compiled.tables_of_left <= {"ADD", "LEAF"} for compiled in found)


@pytest.mark.parametrize("name", PROGRAM_NAMES)
def test_rules_left_out_would_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS[name]
    graph = eq.trace(
        program.bind(eq), *(eq.spec(shape, parse_dtype(dtype)) for shape, dtype in program.inputs)
    )
    sink = graph if graph.op is Op.SINK else eq.UOp.sink(graph)
    rules = eq.Plan().admitted
    given: list[int] = []
    found = []
    for most_read in (engine.MOST_READ, 0):
        monkeypatch.setattr(engine, "MOST_READ", most_read)
        engine._ENGINES.of.cache_clear()
        found.append(saturate([sink], rules).snapshot)
        axioms = {axiom.name for axiom in (*bounds(), *normal_forms())}
        given.append(len([each for each in engine_for(rules).registered if each not in axioms]))
    few, all_ = found
    assert (few.terms, few.class_dtype, few.class_shape) == (all_.terms, all_.class_dtype, all_.class_shape)
    assert given[0] < given[1]


def test_rules_about_long_axes_are_given_where_one_is_long() -> None:
    rules = RuleSet(tuple(declared for declared in LIBRARY if declared.name.startswith("split_long")))
    for length, is_long in ((96, False), (8192, True)):
        graph = eq.trace(lambda x: eq.sum(x, axis=2), eq.spec((256, 512, length), eq.float32))
        engine._ENGINES.of.cache_clear()
        saturate([eq.UOp.sink(graph)], rules)
        names = {name.partition("#")[0] for name in engine_for(rules).registered}
        assert ("split_long_of_floats" in names) is is_long


def test_conditions_are_those_that_the_row_of_the_root_tells() -> None:
    (declared,) = (each for each in LIBRARY if each.name == "reduce_single_elements_of_floats")
    (compiled,) = compile_rule(declared)
    conditions = compiled.conditions
    assert conditions is not None
    letters = [LETTERS["REDUCE_AXIS"][number] for number in conditions.columns]
    texts = {"d": ["float32"], "s": ["()", "(1, 1)"], "t": ["ADD", "(0, 1)"]}
    row = tuple(texts[letter].pop(0) for letter in letters)
    assert conditions.satisfied_by(row)
    assert not conditions.satisfied_by(tuple(text.replace("(1, 1)", "(1, 2)") for text in row))


def test_rules_of_users_compute_nothing_before_egglog_asks() -> None:
    asked: list[tuple[int, ...]] = []

    @pure
    def is_asked(shape: tuple[int, ...]) -> bool:
        asked.append(shape)
        return True

    topic = Topic("own")

    @topic.rule(FLOATS)
    def own_rule(x: Value) -> Rewrite:
        """It is not true, but it is not applied."""
        return rewrite(apply(Op.EXP, x), apply(Op.SIN, x), where=is_asked(shape_of(x)))

    (compiled,) = compile_rule(next(iter(topic.ruleset)))
    with Engine(topic.ruleset).graph() as graph:
        graph.feed(encode([eq.UOp.sink(eq.UOp.param(0, 4, eq.float32).alu(Op.EXP))]).actions)
        filled = frozenset(table for table, rows in graph.sizes().items() if rows)
        occurrences = Occurrences(graph.egraph, filled)
        assert Repertoire.occurs(compiled, occurrences)
        assert not asked
        assert occurrences.has(compiled.tree, compiled.conditions)
        assert asked == [(4,)]
