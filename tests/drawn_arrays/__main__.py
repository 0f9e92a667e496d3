"""Draw and check many programs: `python -m tests.drawn_arrays --programs 50000 --seed 1`.

Groups are checked in a child process, so that a crash is a finding: the programs of its group are then run in a process each.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from tests.drawn_arrays.drawing import Program, draw
from tests.drawn_arrays.operations import KINDS

GROUP = 40


def main() -> int:
    options = _options()
    if options.child:
        return _child(options)
    first, wrong, started = options.first, 0, time.monotonic()
    end = options.first + options.programs
    while first < end:
        until = min(first + options.stretch, end)
        found, reached, crashed = _stretch(options, first, until)
        wrong += found
        if crashed and options.group == 1:
            wrong += 1
            program = _drawn(options, reached).text()
            print(f"CRASH {options.seed}/{reached} ({crashed})\n{program}", flush=True)
            reached += 1
        elif crashed:
            last = min(reached + options.group, until)
            print(f"CRASH in {reached}..{last - 1} ({crashed}); one by one", flush=True)
            arguments = [
                *sys.argv[1:],
                "--first",
                str(reached),
                "--programs",
                str(last - reached),
                "--group",
                "1",
            ]
            wrong += subprocess.run(
                [sys.executable, "-m", "tests.drawn_arrays", *arguments], check=False
            ).returncode
            reached = last
        first = reached
        print(
            f"{first - options.first} programs, {wrong} wrong, {time.monotonic() - started:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    print(f"{options.programs} programs of seed {options.seed}: {wrong} wrong", flush=True)
    return min(wrong, 100)


def _stretch(options: argparse.Namespace, first: int, until: int) -> tuple[int, int, str]:
    """Findings, the first program not yet checked, and how the child ended if not well."""
    command = [
        sys.executable,
        "-m",
        "tests.drawn_arrays",
        *sys.argv[1:],
        "--child",
        "--first",
        str(first),
        "--programs",
        str(until - first),
        "--group",
        str(options.group),
    ]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    found, reached = 0, first
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith("#done "):
            reached = int(line.split()[1])
        else:
            found += line.startswith("WRONG")
            print(line, end="", flush=True)
    code = child.wait()
    return found, reached if code else until, f"exit {code}" if code else ""


def _child(options: argparse.Namespace) -> int:
    from tests.drawn_arrays.checking import check
    from tests.drawn_arrays.ways import WAYS

    end = options.first + options.programs
    for first in range(options.first, end, options.group):
        numbers = range(first, min(first + options.group, end))
        programs = [_drawn(options, number) for number in numbers]
        for finding in check(programs, WAYS[options.way]):
            print(f"WRONG in {numbers.start}..{numbers.stop - 1}: {finding}\n", flush=True)
        print(f"#done {numbers.stop}", flush=True)
    return 0


def _drawn(options: argparse.Namespace, number: int) -> Program:
    from tests.drawn_arrays.ways import WAYS

    way = WAYS[options.way]
    return draw(
        f"{options.seed}/{number}",
        options.dtypes or way.dtypes,
        options.kinds or way.kinds,
        options.steps,
        way.moderate,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=Path(__file__).parent.name, description=__doc__)
    parser.add_argument("--programs", type=int, default=400)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--group", type=int, default=GROUP, help="programs compiled together")
    parser.add_argument("--stretch", type=int, default=1000, help="programs for each child process")
    parser.add_argument("--dtypes", type=lambda text: text.split(","), help="of the inputs (default: all)")
    parser.add_argument("--kinds", type=lambda text: text.split(","), help=f"of steps: {', '.join(KINDS)}")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--way",
        choices=("interpreted", "uncontracted", "c", "default", "fast"),
        default="uncontracted",
        help="by the reference interpreter, or compiled: without contraction, also through C, under the default plan, or with fast_math",
    )
    how.add_argument(
        "--interpret",
        dest="way",
        action="store_const",
        const="interpreted",
        help="by the reference interpreter, which needs no compiling",
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
