"""All rules that the package declares: the topics of every module of `eqsat.rules`."""

import importlib
import pkgutil

import eqsat.rules
from eqsat.rules.rule import Topic


def topics():
    found = {}
    for module in pkgutil.iter_modules(eqsat.rules.__path__):
        for value in vars(importlib.import_module(f"eqsat.rules.{module.name}")).values():
            if isinstance(value, Topic):
                found[id(value)] = value
    return list(found.values())


def rules():
    return [rule for topic in topics() for rule in topic.ruleset]
