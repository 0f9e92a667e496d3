"""Graphs, cost models and extractors for tests of comparisons; other processes import them from here."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace

import eqsat as eq
from eqsat.extract import GreedyDag

LIMIT = (
    8.0  # seconds: tests end cells that hang after this, which others do not need on a busy machine either
)


def graph():
    """Two ways to write it cost the same as a tree and not as a DAG."""
    return eq.trace(lambda x: x * 2.0 + x * 2.0 + eq.exp(x), eq.spec((8, 100), eq.float32))


class Ones:
    """Every node costs one."""

    name, unit = "ones", "nodes"

    def cost(self, node):
        return 1.0


class Talks(Ones):
    """As `Ones`, with a word about each node on the stream on which processes answer."""

    name = "talks"

    def cost(self, node):
        sys.stdout.write(f"{node}\n")
        return 1.0


class EndsItsProcess:
    name, unit = "ends-its-process", "exits"

    def cost(self, node):
        os._exit(3)


class Raises:
    name, unit = "raises", "errors"

    def cost(self, node):
        raise ZeroDivisionError("no price")


class GivesNaN:
    name, unit = "gives-nan", "nothing"

    def cost(self, node):
        return float("nan")


class Hangs:
    name = "hangs"
    seconds = 0.1

    def extract(self, problem):
        time.sleep(600)


class EndsSearching:
    name = "ends-searching"

    def extract(self, problem):
        os._exit(4)


class ClaimsTooMuch:
    """Its bound is above what it found."""

    name = "claims-too-much"

    def extract(self, problem):
        found = GreedyDag().extract(problem)
        return replace(found, lower_bound=found.dag_cost + 1)


def without_times(rows):
    """What must not depend on where and when a row was computed."""
    return [replace(row, seconds=None, run_seconds=None) for row in rows]
