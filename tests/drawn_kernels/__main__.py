"""Draw and check many kernels: `python -m tests.drawn_kernels --kernels 500 --seed 1`."""

from __future__ import annotations

import argparse
from collections import Counter

from eqsat.ops import Op
from eqsat.uop import toposort
from tests.drawn_kernels.checking import check
from tests.drawn_kernels.drawing import drawn


def main() -> int:
    options = _options()
    wrong, counts = 0, Counter[str]()
    for number in range(options.first, options.first + options.kernels):
        try:
            kernel = drawn(options.seed, number)
            present = {node for node in toposort([kernel.sink]) if node.op is Op.RANGE}
            counts.update({bound.arg[1].name for bound in present})
            check(kernel, number)
        except Exception as error:  # noqa: BLE001 — any is a finding
            wrong += 1
            print(f"{options.seed}/{number}: {type(error).__name__}: {error}", flush=True)
    print(f"{options.kernels} kernels: {wrong} wrong; {dict(counts)}")
    return min(wrong, 100)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--seed", default="0")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
