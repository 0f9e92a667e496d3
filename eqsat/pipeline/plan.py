"""`Plan`: the options of a compilation, such as rules, cost model, extractor, budget and device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from eqsat.arguments import is_size
from eqsat.egraph.search.budget import Budget
from eqsat.errors import DeviceError, ForkError, ScheduleError, brief
from eqsat.extract import CostModel, Extractor, LoopAware, Portfolio
from eqsat.extract.costs.compositions import with_parts
from eqsat.machine import PROCESSOR, Machine
from eqsat.rules.language.rule import RuleSet, Soundness
from eqsat.rules.library import LIBRARY
from eqsat.rules.reals.floats import contraction
from eqsat.rules.reductions.order import reduction_order
from eqsat.rules.reductions.pairs import reduction_pairs
from eqsat.rules.reductions.softmax import softmax_products
from eqsat.schedule.placement import Effort

if TYPE_CHECKING:
    from eqsat.runtime import Device

EXACT = frozenset({Soundness.EXACT})
FULL_ERROR = 2  # units in the last place that full forms of functions may be off
EXTRACTING = 10.0  # seconds to search for the cheapest graph; ordinary graphs take milliseconds

_SWITCH: tuple[Callable[[object], bool], str] = (lambda given: isinstance(given, bool), "True or False")
_FITTING: dict[str, tuple[Callable[[object], bool], str]] = {
    "cost": (
        lambda given: given is None or hasattr(given, "cost"),
        "a cost model, such as eqsat.Latency()",
    ),
    "extractor": (lambda given: hasattr(given, "extract"), "an extractor, such as eqsat.Portfolio()"),
    "rules": (
        lambda given: given is None or isinstance(given, RuleSet),
        "a set of rules, such as that of a topic",
    ),
    "budget": (lambda given: isinstance(given, Budget), "an eqsat.Budget"),
    "strict": _SWITCH,
    "contract": _SWITCH,
    "fast_math": _SWITCH,
}


@dataclass(frozen=True)
class Plan:
    """How to optimize and where to run.

    Attributes:
        cost: the cost model whose sum over e-nodes extraction minimizes; with None, of array programs the seconds that their kernels are predicted to
            take are minimized, and of other graphs the cycles of `LoopAware` on the machine of the device.
        extractor: the algorithm that chooses e-nodes where sums of costs are minimized.
        rules: the rules to apply; None for the whole library.
        budget: the limits at which saturation stops. Kernels are chosen for as many seconds more at most, once there are some that can be built: then
            the best so far are taken, with the bound known so far.
        strict: admits exact rules only, and no contraction; otherwise sums and products of floats may be reduced in another order, and a product
            with a softmax may be divided last.
        contract: a product of floats that is added to something may be rounded once, with the sum (a fused multiply-add): rules may
            state it, and the device's compiler may do it. Off where `strict` is on.
        fast_math: admits every rule, also those that hold over the real numbers only, or only without NaN and infinities.
        function_error: how many units in the last place results of elementary functions may be off: those forms are taken, too, whose stated error
            is not larger (1.1 to 4.5, `docs/accuracy.md`). With None, results have every bit of the full forms, which are off 2 at most.
        gap: how much longer, as a share of it, a choice of kernels may be predicted to take than the lower bound of all choices, for it to be
            taken at once. With 0 the search goes on until nothing better is left, or its effort ends; programs of little work compile slower then.
        tune: how many choices of loops of each kernel are measured, those that are predicted to be quickest; the quickest of them is taken. With
            0 nothing is measured: the prediction chooses.
        device: an OpenCL device by name, a part of it, or its number, or any `eqsat.runtime.Device`; None for the default.
    """

    cost: CostModel | None = None
    extractor: Extractor = field(default_factory=lambda: Portfolio(EXTRACTING))
    rules: RuleSet | None = None
    budget: Budget = field(default_factory=Budget)
    strict: bool = False
    contract: bool = True
    fast_math: bool = False
    function_error: float | None = None
    gap: float = Effort.gap
    tune: int = 0
    device: str | int | Device | None = None

    def __post_init__(self) -> None:
        """Checks numbers.

        Raises:
            ScheduleError: the number of choices to measure is no integer from 0, the error of functions is none from 2, or an option is of
                another type.
        """
        for name, (fits, hint) in _FITTING.items():
            given: object = getattr(self, name)
            if not fits(given):
                raise ScheduleError(f"{name}={brief(given)} does not fit a plan; give {hint}")
        if not _is_number(self.gap) or not 0 <= self.gap <= 1:
            raise ScheduleError(
                f"gap says how far above the lower bound a choice may be, and {brief(self.gap)} is no number from 0 to 1; 0 asks for the best"
            )
        if not is_size(self.tune):
            raise ScheduleError(
                f"tune says how many choices of loops to measure, and {brief(self.tune)} is no integer from 0; 0 measures none"
            )

        if self.function_error is not None and not _is_error(self.function_error):
            raise ScheduleError(
                f"function_error says how many units in the last place functions may be off, and {brief(self.function_error)} is no number from "
                f"{FULL_ERROR}, as far as full forms may be off; None asks for these alone"
            )

    @property
    def admitted(self) -> RuleSet:
        """The rules that this plan applies."""
        rules = LIBRARY if self.rules is None else self.rules
        return (
            rules if self.fast_math else _admitted(rules, reorders=not self.strict, contracts=self.contracts)
        )

    @property
    def contracts(self) -> bool:
        """Whether a product and the sum that contains it may be rounded together, once."""
        return self.contract and not self.strict

    @property
    def model(self) -> CostModel:
        """The cost model of single e-nodes: the plan's own model, or by default the model of its device.

        Raises:
            DeviceError: the plan names a device that does not exist.
        """
        return self.cost or LoopAware.of(self.machine)

    @property
    def machine(self) -> Machine:
        """The machine of the plan's device. If the plan names no device and none can be used, a typical processor.

        Raises:
            DeviceError: the plan names a device that does not exist.
        """
        from eqsat.runtime import machine_of  # as devices, only where they are asked for

        device = self.usable_device
        return PROCESSOR if device is None else machine_of(device)

    @property
    def usable_device(self) -> Device | None:
        """The device of the plan; None if it names none and none can be used.

        Raises:
            DeviceError: the plan names a device that does not exist.
        """
        from eqsat.runtime import get_device

        try:
            return get_device(self.device)
        except (DeviceError, ForkError):
            if self.device is not None:
                raise
            return None

    @property
    def key(self) -> str | None:
        """The options that a cached program depends on, as text; None if a part of the plan is the user's own code."""
        models = () if self.cost is None else with_parts(self.cost)
        parts = (*models, self.extractor)
        own = self.rules is not None or any(not type(part).__module__.startswith("eqsat.") for part in parts)
        switches = (self.strict, self.contracts, self.fast_math, self.function_error, self.gap, self.tune)
        return None if own else repr((self.cost, self.extractor, self.budget, *switches))


def as_plan(plan: Plan | None) -> Plan:
    """The plan that is given, or the default one.

    Raises:
        ScheduleError: something else is given.
    """
    if plan is None:
        return Plan()
    if not isinstance(plan, Plan):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ScheduleError(f"a plan is an eqsat.Plan, not {brief(plan)}; try eqsat.Plan(device=…)")
    return plan


def _is_error(value: object) -> bool:
    return _is_number(value) and value >= FULL_ERROR


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


@functools.lru_cache(16)
def _admitted(rules: RuleSet, *, reorders: bool, contracts: bool) -> RuleSet:
    """The exact rules, with the rules that reorder reductions or contract products and sums if those are allowed."""
    reordering = dict.fromkeys((reduction_order.name, reduction_pairs.name, softmax_products.name), reorders)
    topics = {**reordering, contraction.name: contracts}
    inexact = (rule for rule in rules if rule.soundness not in EXACT and topics.get(rule.topic, False))
    return rules.admitting(EXACT) + RuleSet(tuple(inexact))
