"""`Plan`: the options of a compilation, such as rules, cost model, extractor, budget and device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from eqsat.egraph.search.budget import Budget
from eqsat.errors import DeviceError, ForkError, ScheduleError, brief
from eqsat.extract import CostModel, Extractor, LoopAware, Portfolio
from eqsat.extract.costs.compositions import is_cost_model, with_parts
from eqsat.floats.forms import Accuracy
from eqsat.machine import PROCESSOR, Machine
from eqsat.rules.language.rule import RuleSet, Soundness
from eqsat.rules.library import LIBRARY
from eqsat.rules.reals.floats import contraction
from eqsat.rules.reductions.order import reduction_order
from eqsat.rules.reductions.pairs import reduction_pairs
from eqsat.rules.reductions.softmax import softmax_products
from eqsat.schedule.placement import Effort
from eqsat.uop.limits import is_size, plain

if TYPE_CHECKING:
    from eqsat.runtime import Device

EXACT = frozenset({Soundness.EXACT})
FULL_ERROR = 2  # largest error of full forms of functions, in units in the last place
EXTRACTING = 10.0  # seconds to search for the cheapest graph; ordinary graphs take milliseconds

_SWITCH: tuple[Callable[[object], bool], str] = (lambda given: isinstance(given, bool), "True or False")
_FITTING: dict[str, tuple[Callable[[object], bool], str]] = {
    "cost": (
        lambda given: given is None or is_cost_model(given),
        "a cost model, such as eqsat.Latency()",
    ),
    "extractor": (
        lambda given: hasattr(given, "extract") and not isinstance(given, type),
        "an extractor, such as eqsat.Portfolio()",
    ),
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
        cost: the cost model; extraction minimizes the sum of its costs over e-nodes. With None, extraction minimizes the seconds that the kernels
            of an array program are predicted to take; for other graphs it minimizes the cycles of `LoopAware` on the machine of the device.
        extractor: the algorithm that chooses e-nodes if sums of costs are minimized.
        rules: the rules to apply; None for the whole library.
        budget: the limits at which saturation stops. Choosing kernels may take as many seconds again. After them, the best kernels so far are
            taken, as soon as there are some that can be built, with the lower bound so far.
        strict: admits exact rules only, and no contraction. Otherwise sums and products of floats may be reduced in another order, and a product
            with a softmax may be divided last.
        contract: a product of floats that is added to something may be rounded once, together with the sum (a fused multiply-add): rules may
            state it, and the device's compiler may do it. It has no effect if `strict` is on.
        fast_math: admits every rule, also those that hold over the real numbers only, or only without NaN and infinities.
        function_error: the largest error of elementary functions, in units in the last place: forms with a stated error up to this may be used
            (1.1 to 4.5, `docs/accuracy.md`). With None, results have every bit of the full forms, whose error is 2 at most.
        gap: relative gap at which the search for kernels stops: a choice is taken at once if its predicted time exceeds the lower bound of all
            choices by at most this share of it. With 0 the search goes on until nothing better is left, or its effort ends; then programs of
            little work compile slower.
        tune: how many choices of loops are measured for each kernel; the fastest is taken. Those predicted to be fastest are measured. With 0
            nothing is measured, and the prediction decides.
        device: an OpenCL device by its name, a part of its name, or its number, or any `eqsat.runtime.Device`; None for the default.
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
        """Checks the options.

        Raises:
            ScheduleError: `tune` is no integer from 0, `function_error` is no number from 2, `gap` is no number from 0 to 1, or an option is of
                another type.
        """
        for name in ("gap", "tune", "function_error", "device"):
            object.__setattr__(self, name, plain(getattr(self, name)))
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
                f"tune says how many choices of loops to measure, and {brief(self.tune)} is no integer from 0, below 2⁶³; 0 measures none"
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
    def accuracy(self) -> Accuracy:
        """How far off elementary functions may be."""
        return Accuracy(self.function_error, zero_weights=not self.strict)

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
        from eqsat.runtime import machine_of  # imported only where a device is asked for

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
