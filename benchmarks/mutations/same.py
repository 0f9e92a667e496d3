"""Changes that no program can tell from the original, with the reason. The key is (file, line of the source, text of the change)."""

from __future__ import annotations

SAME: dict[tuple[str, str, str], str] = {
    (
        "eqsat/codegen/linearization/older_forms.py",
        "after = max((self._place[source] for source in node.src), default=(-1,))",
        "1 → 2",
    ): "-2 is before all other places, as -1 is",
    (
        "eqsat/codegen/rendering/matrices.py",
        "each = 4 // row.given.itemsize  # lanes of a register",
        "4 → 5",
    ): "elements of the instructions have 2 or 4 bytes",
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
        "eqsat/spec/graphs.py",
        "version[node] = node, 0",
        "0 → 1",
    ): "versions are counted from another number, which is the same for all",
    (
        "eqsat/spec/graphs.py",
        "number += 1",
        "1 → 2",
    ): "versions are counted by twos",
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
        "if not any(node.op in COPIES for node in nodes):  # shortcut",
        "node.op in COPIES → node.op not in COPIES",
    ): "it only saves time: in graphs without copies nothing is found",
}
