"""Draw and check many programs: `python -m tests.drawn_instructions --programs 500 --seed 1`."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

from eqsat.runtime.record import document
from tests import oclgrind
from tests.drawn_instructions.checking import COUNTED, check, gates, nested
from tests.drawn_instructions.drawing import drawn


def main() -> int:
    options = _options()
    wrong, counts, files = 0, Counter[str](), dict[Path, int]()
    with tempfile.TemporaryDirectory() as directory:
        for number in range(options.programs):
            program = drawn(options.seed, number)
            present = {node.op for node in program.linear.src}
            counts.update(op.name for op in COUNTED if op in present)
            counts.update(
                {
                    "gates": gates(program) > 0,
                    "nested RANGE": nested(program) > 0,
                    "instructions": len(program.linear.src),
                }
            )
            try:
                rendered = check(program)
            except Exception as error:  # noqa: BLE001 — any is a finding
                wrong += 1
                print(f"{options.seed}/{number}: {type(error).__name__}: {error}", flush=True)
                continue
            file = Path(directory, f"{number}.json")
            data = {
                "data": [None, *(each.tolist() for each in program.buffers[1:])][: len(rendered.arguments)]
            }
            file.write_text(
                json.dumps(
                    document(rendered) | (data if len(rendered.arguments) == len(program.buffers) else {})
                )
            )
            files[file] = number
        reports = {
            file: found
            for file, found in oclgrind.check(list(files), budget=oclgrind.THOROUGH).items()
            if found
        }
    for file, found in reports.items():
        print(f"{options.seed}/{files[file]}: Oclgrind: {found[0]}", flush=True)
    print(
        f"{options.programs} programs: {wrong} wrong, {len(reports)} with reports of Oclgrind; {dict(counts)}"
    )
    return min(wrong + len(reports), 100)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", default="0")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
