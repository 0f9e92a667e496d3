"""Checks what an extractor returns, which may be a user's: its choice and its lower bound. Costs are not taken from it."""

from __future__ import annotations

import time
from decimal import Decimal
from math import nan
from numbers import Real
from typing import Any

import numpy as np

from eqsat.errors import ExtractionError, brief
from eqsat.extract.problem.problem import Integers, Problem
from eqsat.extract.problem.result import Extraction
from eqsat.extract.registry import EXTRACTORS, Extractor

_TESTED = {type(extractor) for extractor in EXTRACTORS.values()}


def extract_by(extractor: Extractor, problem: Problem) -> Extraction:
    """The extraction that an extractor returns. That of a user's extractor is checked.

    Raises:
        ExtractionError: as `checked_extraction`.
    """
    return (
        extractor.extract(problem) if type(extractor) in _TESTED else checked_extraction(extractor, problem)
    )


def checked_extraction(extractor: Extractor, problem: Problem) -> Extraction:
    """The choice and the bound that an extractor returns, checked, with the costs and the time as they are.

    >>> from eqsat.extract import BottomUp
    >>> checked_extraction(BottomUp(), Problem.build([2.0, 1.0], [0, 0], [[], []], roots=[0])).dag_cost
    1.0

    Raises:
        ExtractionError: there is no solution, or the extractor returns no extraction, one of another problem, a choice that is not valid, or
            a bound that is above the cost of the choice.
    """
    start = time.perf_counter()
    answer = extractor.extract(problem)
    seconds = time.perf_counter() - start
    try:
        found = Extraction.from_choice(problem, _choice(answer, problem), _bound(answer.lower_bound), seconds)
        found.validate()
    except ExtractionError as error:
        raise ExtractionError(f"{type(extractor).__name__} returns no valid extraction: {error}") from error
    return found


def _choice(answer: Any, problem: Problem) -> Integers:
    """The chosen nodes of an answer, of the right type and number."""
    if not isinstance(answer, Extraction):
        raise ExtractionError(
            f"it is {brief(answer)}; return an Extraction, such as Extraction.from_choice makes"
        )
    choice = answer.choice
    if not isinstance(choice, np.ndarray) or choice.dtype.kind not in "iu":  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ExtractionError(
            f"the choice is {brief(choice)}; give an array of integers, the node of each class"
        )
    if choice.shape != (problem.class_count,):
        raise ExtractionError(
            f"the choice has the shape {choice.shape} where ({problem.class_count},) is wanted; give one node for each class"
        )
    return choice


def _bound(value: Any) -> float:
    """A lower bound as a float."""
    try:
        bound = float(value) if isinstance(value, Real | Decimal) else nan
    except (OverflowError, ValueError):
        bound = nan
    if bound != bound:
        raise ExtractionError(f"the lower bound is {brief(value)}; give a number, or -inf if none is known")
    return bound
