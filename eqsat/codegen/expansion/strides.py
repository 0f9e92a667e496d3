"""The strides at which the lanes and copies of an access lie in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from eqsat.codegen.expansion.dependence import CopyAxis, Dependence, extent
from eqsat.dtype import DType
from eqsat.integers.conditions import inequality, slack
from eqsat.integers.linear import Affine
from eqsat.machine import selected_strides
from eqsat.ops import Op
from eqsat.spec.sources import behind
from eqsat.uop import UOp


@dataclass(frozen=True)
class Strides:
    """Answers about the addresses of one kernel.

    Attributes:
        forms: the linear form of every index.
        lane: the UPCAST range of each node that varies along one.
        copies: the copy axes of each node.
        stored: the buffers that the kernel writes.
    """

    forms: Mapping[UOp, Affine]
    lane: Mapping[UOp, UOp]
    copies: Mapping[UOp, tuple[CopyAxis, ...]]
    stored: Set[UOp]

    @staticmethod
    def of_kernel(order: Sequence[UOp], forms: Mapping[UOp, Affine], dependence: Dependence) -> Strides:
        """The strides of the kernel with this toposort."""
        stored = {behind(node.src[0].src[0]) for node in order if node.op is Op.STORE}
        return Strides(forms, dependence.lane, dependence.copies, stored)

    def of(self, address: UOp) -> int | None:
        """Elements from one lane to the next; None if these or the gate differ between lanes, and for registers."""
        if address.op is not Op.INDEX or len(address.src) < 2 or behind(address.src[0]).op is Op.DEFINE_REG:
            return None
        if any(gate in self.lane for gate in address.src[2:]) or not self._is_linear(address.src[1]):
            return None
        return next((steps for atom, steps in self.forms[address.src[1]].terms if atom in self.lane), 0)

    def convex(self, address: UOp) -> int | None:
        """Elements from one lane to the next, if the gate is convex: it holds for all lanes if it holds for the first and the last.

        A conjunction of inequalities of linear forms is convex: if two lanes satisfy an inequality, so do the lanes between them.
        """
        if address.op is not Op.INDEX or len(address.src) < 3 or not self._is_convex(address.src[2]):
            return None
        return self.of(address.with_src(address.src[:2]))

    def is_whole(self, load: UOp) -> bool:
        """Whether the lanes of a load are adjacent, and all of them are loaded if the first and the last are."""
        address = load.src[0]
        if address.op is not Op.INDEX or not all(self._is_convex(gate) for gate in address.src[2:]):
            return False
        return self.of(address.with_src(address.src[:2])) == 1 and self.is_only_read(address)

    def slack(self, condition: UOp) -> Affine | None:
        """A linear form that is at least 0 where a condition holds, and below 0 elsewhere.

        None unless the condition is an inequality of linear forms, or the negation of one.
        """
        return slack(condition, self.forms) if self._is_linear_inequality(condition) else None

    def is_selected(self, address: UOp, stride: int) -> bool:
        """Whether lanes at this stride are selected from whole loads."""
        assert isinstance(address.dtype, DType)
        near = abs(stride) in selected_strides(address.dtype.itemsize)
        return (stride == -1 or near) and self.is_only_read(address)

    def contiguous_copies(self, load: UOp, lanes: int) -> UOp | None:
        """The UNROLL range along which the loaded elements are adjacent and have the same gate; None if there is none.

        Its extent is a multiple of `lanes`. Squares are transposed by halves, so `lanes` must be a power of two.
        """
        address = load.src[0]
        if lanes & (lanes - 1) or self.of(address) is None or not self.is_only_read(address):
            return None
        conditions = (*address.src[2:], *load.src[1:])
        for axis in self.copies[address]:
            if (
                isinstance(axis, UOp)
                and self.forms[address.src[1]].coefficients.get(axis) == 1
                and extent(axis) % lanes == 0
                and not any(axis in self.copies[node] or node in self.lane for node in conditions)
                and self._varies_linearly(address.src[1], axis)
            ):
                return axis
        return None

    def is_only_read(self, address: UOp) -> bool:
        """Whether the kernel writes nothing to the buffer meanwhile: it is an input, or local memory that is already filled."""
        if address.src[0].op is Op.AFTER:
            return True
        return address.src[0].op in (Op.PARAM, Op.DEFINE_GLOBAL) and address.src[0] not in self.stored

    def _varies_linearly(self, position: UOp, axis: UOp) -> bool:
        return all(atom is axis or axis not in self.copies[atom] for atom, _ in self.forms[position].terms)

    def _is_convex(self, gate: UOp) -> bool:
        conditions = [gate]
        while conditions:
            condition = conditions.pop()
            if condition not in self.lane:
                continue
            if condition.op is Op.AND:
                conditions += condition.src
            elif not self._is_linear_inequality(condition):
                return False
        return True

    def _is_linear_inequality(self, condition: UOp) -> bool:
        comparison = inequality(condition)
        return comparison is not None and all(self._is_linear(side) for side in comparison.src)

    def _is_linear(self, position: UOp) -> bool:
        """Whether an index varies along the lanes only as a multiple of the lane's number."""
        form = self.forms.get(position)
        return form is not None and all(
            atom not in self.lane or atom is self.lane[atom] for atom, _ in form.terms
        )


def is_read(form: Affine) -> bool:
    """Whether an address depends on loaded elements."""
    return any(node.op is Op.LOAD for atom, _ in form.terms for node in atom.toposort())
