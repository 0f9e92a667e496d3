"""Declarations are Python that declares the same rule."""

import pytest

from eqsat import rules as names
from eqsat.ops import Op
from eqsat.proof import equation
from eqsat.rules.language.rule import Topic
from eqsat.rules.language.scalar import Call
from eqsat.rules.library import INDEX_LIBRARY
from eqsat.suggest import GRAMMARS, Search, declaration


def declared(text, topic):
    fresh = Topic(topic)
    scope = {name: getattr(names, name) for name in names.__all__} | {"Op": Op, topic: fresh}
    exec(text, scope)
    (rule,) = fresh.ruleset.rules
    return rule


def has_calls(rule):
    return any(isinstance(part, Call) for part in _scalars(rule))


def _scalars(rule):
    stack, found = [rule.where, rule.left, rule.right], []
    while stack:
        part = stack.pop()
        found.append(part)
        stack += [*getattr(part, "src", ()), *getattr(part, "operands", ())]
        stack += [part.value] if hasattr(part, "value") else []
    return found


@pytest.mark.parametrize(
    "rule",
    [rule for rule in INDEX_LIBRARY if not has_calls(rule)],
    ids=lambda rule: rule.name,
)
def test_declaration_of_a_library_rule_declares_it_again(rule):
    again = declared(declaration(rule), rule.topic)
    assert (again.name, again.claim, again.domain) == (rule.name, rule.claim, rule.domain)
    assert equation(again) == equation(rule)
    assert list(again.variables) == list(rule.variables)


@pytest.mark.parametrize("domain", ["index", "float"])
def test_declaration_of_a_suggestion_declares_it(domain):
    for suggestion in Search(GRAMMARS[domain], size=1):
        again = declared(declaration(suggestion.rule), "suggestions")
        assert equation(again) == equation(suggestion.rule)
