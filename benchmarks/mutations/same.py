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
        "eqsat/codegen/linearization/matrices.py",
        "return price(Op.WMMA, product.made).cycles < cycles_of_multiply_adds(product)",
        (
            "price(Op.WMMA, product.made).cycles < cycles_of_multiply_adds(product) → "
            "price(Op.WMMA, product.made).cycles <= cycles_of_multiply_adds(product)"
        ),
    ): "no instruction of the table takes exactly as long as its multiply-adds",
    (
        "eqsat/codegen/expansion/groups.py",
        "RADIX = 8  # parts that an item combines in one round",
        "8 → 9",
    ): "items combine the same parts in other rounds: what they come to is the same, and how long it takes nearly so",
    (
        "eqsat/codegen/rendering/matrices.py",
        "each = 4 // row.given.itemsize  # lanes of a register",
        "4 → 5",
    ): "elements of the instructions have 2 or 4 bytes",
    (
        "eqsat/codegen/expansion/narrowing.py",
        "return _constant(value) is not None or (value.op is Op.CAST and _bits(value.src[0]) <= BITS)",
        "condition removed: value.op is Op.CAST",
    ): "what is no conversion is as wide as its first source, and values of 16 bits are not asked about",
    (
        "eqsat/codegen/rendering/source.py",
        "if dtype.lanes == 1 or isinstance(dtype, PtrDType) or not dtype.is_bool or node.op is Op.INDEX:",
        "condition removed: dtype.lanes == 1",
    ): "masks are of vectors; the width of a single bool is not asked for",
    (
        "eqsat/codegen/rendering/source.py",
        "if node.op is Op.VECTORIZE and all(source.op is Op.GEP for source in node.src):",
        "never: if node.op is Op.VECTORIZE and all((source.op is Op.GEP for source in node.src))",
    ): "masks are converted where another width is wanted",
    (
        "eqsat/spec/memory.py",
        "alternative = extra[: len(extra) - barriers][:1]",
        "1 → 2",
    ): "the first of them alone is looked at",
    (
        "eqsat/codegen/expansion/dependence.py",
        "return max((nesting(bound) for bound in term[0].ranges), default=(False, -1, 0))",
        "1 → 2",
    ): "no range over work-items has a priority below 0, so -2 is before all of them, as -1 is",
    (
        "eqsat/codegen/linearization/nest_text.py",
        "if len(parts) < len(node.src) or sum(map(len, parts)) > LONGEST:",
        "sum(map(len, parts)) > LONGEST → sum(map(len, parts)) >= LONGEST",
    ): "a formula is longer than its parts: of this length it is too long either way",
    (
        "eqsat/spec/graphs.py",
        "version[node] = node, 0",
        "0 → 1",
    ): "versions are counted from another number, which is the same for all",
    (
        "eqsat/ops.py",
        "extreme = dtype.max if identity > 0 else dtype.min",
        "identity > 0 → identity >= 0",
    ): "an infinity is not 0",
    (
        "eqsat/spec/graphs.py",
        "number += 1",
        "1 → 2",
    ): "versions are counted by twos",
    (
        "eqsat/codegen/expansion/borders.py",
        "dtype = int32 if max(abs(least), abs(greatest)) + abs(step) * lanes < int32.max else index",
        (
            "max(abs(least), abs(greatest)) + abs(step) * lanes < int32.max → "
            "max(abs(least), abs(greatest)) + abs(step) * lanes <= int32.max"
        ),
    ): "32 bits hold that sum at its greatest, too",
    (
        "eqsat/codegen/expansion/access.py",
        "lowest = ends[0] if stride > 0 else ends[1]",
        "stride > 0 → stride >= 0",
    ): "lanes at one address are not selected out of whole loads",
    (
        "eqsat/codegen/expansion/interleaving.py",
        "if any(gate.op is not Op.CMPLT or gate.src[0].dtype is not index for gate in gates.values()):",
        "0 → 1",
    ): "both sides of a comparison have one dtype",
    (
        "eqsat/codegen/linearization/loops.py",
        "stack.extend(new)",
        "statement removed: stack.extend(new)",
    ): "when nothing grows any more, what encloses a loop has what encloses that",
    (
        "eqsat/codegen/linearization/barriers.py",
        "(stores if part.op is Op.STORE else loads).add(memory)",
        "negated: … if part.op is Op.STORE else …",
    ): "what is stored conflicts with what is read, and the other way round: both may change places",
    (
        "eqsat/codegen/rendering/custom.py",
        'or not (field == "" or (field.isascii() and field.isdigit() and len(field) < 6))',
        "len(field) < 6 → len(field) <= 6",
    ): "no text has 100,000 sources, so that the number is refused as none of them",
    (
        "eqsat/spec/shards.py",
        "if not any(node.op in COPIES for node in nodes):",
        "node.op in COPIES → node.op not in COPIES",
    ): "it only saves time: in graphs without copies nothing is found",
}
