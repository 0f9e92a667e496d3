"""Draw and check many models: `python -m tests.drawn_models --models 1000 --seed 1`. A crash of a child process is a finding."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from tests.drawn_models.checking import WAYS, draw_model, wrong_with


def main() -> int:
    options = _options()
    if options.child:
        return _child(options)
    first, wrong, started, end = options.first, 0, time.monotonic(), options.first + options.models
    while first < end:
        arguments = [*sys.argv[1:], "--child", "--first", str(first), "--models", str(end - first)]
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.drawn_models", *arguments], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("#done "):
                first = int(line.split()[1])
            else:
                wrong += line.startswith("WRONG")
                print(line, end="", flush=True)
        if child.wait():
            print(
                f"CRASH {options.seed}/{first} (exit {child.returncode})\n{draw_model(f'{options.seed}/{first}').text}",
                flush=True,
            )
            wrong, first = wrong + 1, first + 1
    print(
        f"{options.models} models of seed {options.seed}: {wrong} wrong, {time.monotonic() - started:.0f} s",
        flush=True,
    )
    return min(wrong, 100)


def _child(options: argparse.Namespace) -> int:
    ways = options.ways or list(WAYS)
    for number in range(options.first, options.first + options.models):
        model, way = draw_model(f"{options.seed}/{number}"), ways[number % len(ways)]
        words = wrong_with(model, way)
        if words:
            print(f"WRONG {options.seed}/{number} {way} {model.dtype}: {words}\n{model.text}")
            print(f"# arguments: {', '.join(str(argument.shape) for argument in model.arguments)}")
        print(f"#done {number + 1}", flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.drawn_models", description=__doc__)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="0")
    parser.add_argument(
        "--ways",
        type=lambda text: text.split(","),
        help=f"to run them, by turns: {', '.join(WAYS)} (default: all)",
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
