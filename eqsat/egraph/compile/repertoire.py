"""The rules of a rule set. A rule is compiled when a graph may need it.

Compiling a rule takes a tenth of a millisecond. In the graph of a program, three rules in four cannot match: they need an operation that does not
occur, or an operand that the operation never has there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from eqsat.egraph.compile.occurrence import Occurrences
from eqsat.egraph.compile.rules import Compiled, compile_rule
from eqsat.egraph.compile.traits import Traits
from eqsat.ops import Op
from eqsat.rules.language.rule import Phase, Rule, RuleSet
from eqsat.rules.library import LIBRARY

_MOST_CONTENTS = 64  # most `Contents` whose rules are cached; then the cache is emptied
_SHIPPED = frozenset(LIBRARY)
Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Contents:
    """The kinds and operations that occur in a graph; rules about others can be left out.

    Attributes:
        kinds: the kinds of dtypes, see `schema.kind_of`.
        structure: the operations of `rules.language.structure`.
    """

    kinds: frozenset[str]
    structure: frozenset[Op]


class _Applicable(NamedTuple):
    """The rules that can match in a graph, or in terms that such rules add to it.

    Attributes:
        rules: each of these rules, with the directions in which it can match.
        kinds: the kinds of dtypes that may occur once these rules were applied.
        compiled: the egglog rules for dtypes of these kinds, for each rule that has been compiled.
        with_rows: the rules and directions that can match, by phase and by the set of tables that have rows.
    """

    rules: dict[Rule, list[Traits]]
    kinds: frozenset[str]
    compiled: dict[Rule, list[Compiled]]
    with_rows: dict[tuple[Phase, frozenset[str]], list[tuple[Rule, list[Traits]]]]


class Repertoire:
    """The rules of a rule set. Rules that are not eqsat's own are compiled at once, so that their errors are raised here.

    Raises:
        RuleError: the patterns of a rule contradict each other in dtype, or cannot be matched or built. No rule of eqsat's own raises it.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = {
            declared: _traits_once(declared) if declared in _SHIPPED else Traits.of(declared)
            for declared in rules
        }
        self._compiled = {declared: compile_now(declared) for declared in rules if declared not in _SHIPPED}
        self._applicable: dict[Contents, _Applicable] = {}

    def names(self, phase: Phase) -> list[str]:
        """The names of all rules of a phase."""
        return [declared.name for declared in self.rules if declared.phase is phase]

    def of_tables(
        self, phase: Phase, contents: Contents, filled: frozenset[str], pairs: Pairs | None = None
    ) -> list[Compiled]:
        """The rules of a phase whose left sides can match in a graph with these contents.

        `filled` are the tables that have rows. `pairs` are the pairs of tables that hold a row and its operand, see `Occurrences.pairs`; None if
        they are not known.
        """
        found = self._in_graph(contents)
        directed = self._with_rows(phase, contents, filled)
        chosen = [
            declared
            for declared, directions in directed
            if pairs is None or any(traits.may_occur(pairs) for traits in directions)
        ]
        return [
            compiled for compiled in self._those_of_kinds(chosen, found) if compiled.tables_of_left <= filled
        ]

    def _with_rows(
        self, phase: Phase, contents: Contents, filled: frozenset[str]
    ) -> list[tuple[Rule, list[Traits]]]:
        """The rules of a phase that can match while only the `filled` tables have rows, with the directions in which they can."""
        known = self._in_graph(contents).with_rows
        if (phase, filled) not in known:
            known[phase, filled] = [
                (declared, matching)
                for declared, directions in self._in_graph(contents).rules.items()
                if declared.phase is phase
                and (matching := [traits for traits in directions if traits.may_match(filled)])
            ]
        return known[phase, filled]

    @staticmethod
    def occurs(compiled: Compiled, occurrences: Occurrences) -> bool:
        """Whether the left side of an egglog rule occurs in the e-graph, on a root row that satisfies the rule's conditions.

        The conditions of a user's rule are not checked here: egglog calls its functions when it runs the rule.
        """
        return occurrences.has(compiled.tree) and (
            compiled.rule not in _SHIPPED or occurrences.has(compiled.tree, compiled.conditions)
        )

    def exploding(self, phase: Phase, contents: Contents) -> list[Compiled]:
        """The rules of a phase that might make very many rows in a graph with these contents.

        These are rules that are not eqsat's own, and rules that match structural operations (`rules.language.structure`). For example, if the
        three operands of a choice are copies of many values, a rule may make a choice for each triple of values.
        """
        found = self._in_graph(contents)
        chosen = [
            declared
            for declared, directions in found.rules.items()
            if declared.phase is phase
            and (declared not in _SHIPPED or any(traits.structure_matched for traits in directions))
        ]
        return self._those_of_kinds(chosen, found)

    def named(self, name: str, contents: Contents) -> list[Compiled]:
        """The rule with this name, if it can match in a graph with these contents."""
        found = self._in_graph(contents)
        return self._those_of_kinds([each for each in found.rules if each.name == name], found)

    def _those_of_kinds(self, chosen: Sequence[Rule], found: _Applicable) -> list[Compiled]:
        """The egglog rules of the chosen rules, without those whose left sides need dtypes that the graph lacks."""
        known = found.compiled
        for declared in chosen:
            if declared not in known:
                known[declared] = [
                    compiled
                    for compiled in self._compile(declared)
                    if compiled.variant.may_match(found.kinds)
                ]
        return [compiled for declared in chosen for compiled in known[declared]]

    def _compile(self, declared: Rule) -> list[Compiled]:
        if declared not in self._compiled:
            self._compiled[declared] = _compiled_once(declared)
        return self._compiled[declared]

    def _in_graph(self, contents: Contents) -> _Applicable:
        """The rules that can match in a graph with these contents, or in terms that such rules add to it."""
        if contents not in self._applicable:
            if len(self._applicable) == _MOST_CONTENTS:
                self._applicable.clear()
            self._applicable[contents] = self._choose(contents)
        return self._applicable[contents]

    def _choose(self, contents: Contents) -> _Applicable:
        structure, found = contents.structure, list[Traits]()
        while True:
            rules = {
                declared: [traits for traits in directions if traits.structure_matched <= structure]
                for declared, directions in self.rules.items()
            }
            matched = [traits for directions in rules.values() for traits in directions]
            if len(matched) == len(found):
                break
            found = matched
            structure = structure.union(*(traits.structure_made for traits in found))
        kinds = contents.kinds.union(*(traits.kinds_made for traits in found))
        return _Applicable({declared: left for declared, left in rules.items() if left}, kinds, {}, {})


def compile_now(declared: Rule) -> list[Compiled]:
    """The egglog rules of a rule. Builds them at once, so that errors are raised now."""
    found = compile_rule(declared)
    for compiled in found:
        compiled.command  # noqa: B018  (builds the egglog rule, which may raise)
    return found


_traits_once = cache(Traits.of)  # for eqsat's own rules, shared by the rule sets of all threads
_compiled_once = cache(compile_rule)
