"""Changes that no program can tell from the original, and why: (file, line of the source, text of the change)."""

from __future__ import annotations

_OLDER = "eqsat/codegen/linearization/older_forms.py"

SAME: dict[tuple[str, str, str], str] = {
    (
        "eqsat/codegen/rendering/arithmetic.py",
        "if node.op is Op.ADD and right.op is Op.CONST and right.arg < 0 and right.dtype.scalar.is_index:",
        "0 → 1",
    ): "x - 0 for x + 0",
    (
        _OLDER,
        "after = max((self._place[source] for source in node.src), default=(-1,))",
        "1 → 2",
    ): "-2 is before all other places, as -1 is",
    (
        _OLDER,
        "self._products += 1",
        "1 → 2",
    ): "local memory has other numbers in its names, all different still",
    (
        _OLDER,
        "self._products = 0  # WMMAs so far",
        "0 → 1",
    ): "local memory has other numbers in its names, all different still",
    (
        "eqsat/codegen/expansion/older_forms.py",
        "if not any(map(_is_older, order)):",
        "never: if not any(map(_is_older, order))",
    ): "a kernel without older forms is built anew, and is the same node",
    (
        "eqsat/spec/programs.py",
        "operands = [Operand(each.shape or (), each.dtype) for each in given if isinstance(each.dtype, DType)]",
        "condition removed: ()",
    ): "an argument has a shape, as was checked before; `or ()` is for the type checker",
    (
        "eqsat/codegen/expansion/narrowing.py",
        "if constant is not None:",
        "never: if constant is not None",
    ): "a constant is converted by an instruction, which compilers fold",
    (
        "eqsat/codegen/expansion/older_forms.py",
        "place = term if place.op is Op.CONST and place.arg == 0 else place + term",
        "place.op is Op.CONST → place.op is not Op.CONST",
    ): "0 + x for x",
}
