"""Mutation testing: how many small changes of the table of operations, of `spec` and of code generation make a test fail.

A room is a part of the source. Changes are drawn at random: first a room, then one of its changes. They are tried one at a time on a copy of the
tree, with the tests that run the changed line. The first tests are those of the files that noticed other changes of the same file, then come the
quick ones. All others run before a change counts as not noticed. Limits are processor seconds, so that a busy machine does not matter. Results are
appended to a file, so that a run can be interrupted and continued; `--again` tries the changes that nothing noticed once more.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from benchmarks.mutations.replacing import is_same, plain
from benchmarks.mutations.rooms import ROOMS, Room
from benchmarks.mutations.same import SAME
from benchmarks.mutations.sites import Change, changed, changes, lines_at
from benchmarks.mutations.suite import (
    Looked,
    digest_of_tests,
    digests,
    in_order,
    load,
    test_files,
    tests_of,
    unreached,
    within,
)
from benchmarks.mutations.trial import SLOW, STILLBORN, SURVIVED, Tree, Verdict
from benchmarks.report import parser, publish

ROOT = Path(__file__).parents[2]
SECONDS = 12.0  # processor time of the first tests of a change
PATIENCE = 240.0  # processor time of all other tests of a change
EAGER = 4  # files of tests that run first: those that noticed most changes of the same file
SHOWN = 160  # characters that are printed of a change that nothing noticed


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw changes, try those that were not tried yet, and count."""
    parsed = _command().parse_args(arguments)
    parsed.folder.mkdir(parents=True, exist_ok=True)
    results = parsed.folder / "results.jsonl"
    if parsed.unreached:
        tree, tests = _tests(parsed)
        print("\n".join(unreached(tree.root, tests)))
        return
    if not parsed.count:
        _try_all(parsed, results)
    drawn = {_key(change): room for room, change in _drawn(parsed)}
    tried = _tried(results)
    until = takewhile(tried.__contains__, drawn)  # up to the first untried: slow changes must not be left out
    rows = {key: tried[key] for key in until if tried[key]["outcome"] != STILLBORN}
    kept = dict(list(rows.items())[: parsed.mutants])
    missed = [_explained(row) for row in kept.values() if row["outcome"] == SURVIVED]
    publish("mutations", _table([(drawn[key], row) for key, row in kept.items()]), parsed, survivors=missed)
    if not parsed.json:
        for row in missed:
            print(f"{row['place']}: {row['text'][:SHOWN]}: {row['reason']}")


def _command() -> ArgumentParser:
    command = parser(__doc__)
    command.add_argument("--mutants", type=int, default=300, help="changes to try (default: %(default)s)")
    command.add_argument(
        "--seed", type=int, default=1, help="which changes to draw: the same number draws the same"
    )
    command.add_argument("--rooms", nargs="*", choices=[room.name for room in ROOMS], help="only these")
    command.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir(), "eqsat-mutations"), help="of copy and results"
    )  # fmt: skip
    command.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        help="of a processor that the first tests of a change may take (default: %(default)s)",
    )
    command.add_argument(
        "--patience",
        type=float,
        default=PATIENCE,
        help="seconds of a processor that all others may take, if the first notice nothing (default: %(default)s)",
    )
    command.add_argument(
        "--tests", nargs="*", metavar="FILE", help="ask only these files of tests, which may notice less than all"
    )  # fmt: skip
    command.add_argument(
        "--no-referee", action="store_true", help="run no kernel in Oclgrind, which is quicker and may notice less"
    )  # fmt: skip
    command.add_argument(
        "--matching", default="", help="only changes with a `file: text` that this expression finds"
    )
    command.add_argument(
        "--part", type=int, nargs=2, default=(0, 1), metavar=("K", "N"),
        help="try every N-th change from number K on, so that several of these, each with a folder, share the work",
    )  # fmt: skip
    command.add_argument("--again", action="store_true", help="try once more what nothing noticed")
    command.add_argument("--unreached", action="store_true", help="list the statements that no test runs")
    command.add_argument("--count", action="store_true", help="try nothing, and count what was tried")
    return command


def _drawn(parsed: Namespace) -> Iterator[tuple[str, Change]]:
    """Yields all changes in random order: a room is drawn, then one of its remaining changes."""
    draw = random.Random(parsed.seed)
    chosen = [room for room in ROOMS if not parsed.rooms or room.name in parsed.rooms]
    found = {
        room.name: [
            each for each in _changes(room) if re.search(parsed.matching, f"{each.file}: {each.text}")
        ]
        for room in chosen
    }
    left = {name: these for name, these in found.items() if these}
    while left:
        name = draw.choice(sorted(left))
        these = left[name]
        yield name, these.pop(draw.randrange(len(these)))
        if not these:
            del left[name]


def _changes(room: Room) -> list[Change]:
    mine = [place for place in room.places if place.endswith(".py")]
    return [
        change
        for file in room.files(ROOT)
        if mine or not any(file in other.places for other in ROOMS)  # in a room of its own
        for change in changes(file, (ROOT / file).read_text(), texts=room.texts)
    ]


def _try_all(parsed: Namespace, results: Path) -> None:
    tree, tests = _tests(parsed)
    _control(tree, tests, parsed.seconds)
    tried = _tried(results)
    texts = {room.name: room.texts for room in ROOMS}
    alive = 0
    first, step = parsed.part
    for number, (name, change) in enumerate(_drawn(parsed)):
        if alive >= parsed.mutants:
            return
        row = tried.get(_key(change))
        if number % step != first:
            alive += 1
            continue
        if row is None or (parsed.again and row["outcome"] == SURVIVED):
            eager = _eager(tried.values(), change.file)
            row = _tried_now(tree, tests, change, parsed, eager, texts=texts[name]) | {"key": _key(change)}
            tried[_key(change)] = row
            with results.open("a") as file:
                file.write(json.dumps(row) + "\n")
        alive += row["outcome"] != STILLBORN


def _tests(parsed: Namespace) -> tuple[Tree, dict[str, Looked]]:
    """A copy of the tree, and the tests that may be run there."""
    files = [each for each in test_files(ROOT) if parsed.tests is None or each in parsed.tests]
    tree = Tree(ROOT, parsed.folder, files, ["--referee=off"] if parsed.no_referee else [])
    return tree, tests_of(_looked(tree, files, parsed.folder / "tests.json"), digests(tree.root))


def _eager(rows: Iterable[Mapping[str, Any]], file: str) -> frozenset[str]:
    """The files of tests that noticed the most changes of a file so far."""
    noticed = Counter(
        row["by"].partition("::")[0] for row in rows if row["file"] == file and "::" in row["by"]
    )
    return frozenset(name for name, _ in noticed.most_common(EAGER))


def _tried_now(
    tree: Tree,
    tests: Mapping[str, Looked],
    change: Change,
    parsed: Namespace,
    eager: Collection[str],
    *,
    texts: bool,
) -> dict[str, Any]:
    """Tries a change and returns its result: tests of the eager files run first, then the quick ones, and all others if these notice nothing."""
    source = (tree.root / change.file).read_text()
    after = changed(source, change.number, texts=texts)
    if is_same(plain(source), after):
        return asdict(change) | asdict(Verdict(STILLBORN, "the same code", 0.0))
    left = in_order(tests, change.file, lines_at(source, change.line))
    verdict, asked = Verdict(SURVIVED, "", 0.0), 0
    for only, seconds in ((eager, parsed.seconds), (None, parsed.seconds), (None, parsed.patience)):
        names = [name for name in left if only is None or name.partition("::")[0] in only]
        names = within(names, tests, seconds)
        if not names:
            continue
        taken = set(names)
        left = [name for name in left if name not in taken]
        asked += len(names)
        last = tree.try_change(change.file, after, names, _seconds(names, tests))
        verdict = replace(last, seconds=verdict.seconds + last.seconds)
        if verdict.outcome != SURVIVED:
            break
    return asdict(change) | asdict(verdict) | {"tests": asked, "not asked": len(left)}


def _seconds(names: Sequence[str], tests: Mapping[str, Looked]) -> float:
    return sum(tests[name].seconds for name in names)


def _control(tree: Tree, tests: Mapping[str, Looked], seconds: float) -> None:
    """Checks that tests pass on the unchanged tree, and that there are any; otherwise all changes would seem to be noticed.

    Raises:
        SystemExit: a test fails, or there is none.
    """
    file = "eqsat/ops/sets.py"
    asked = within(in_order(tests, file, ()), tests, seconds)
    verdict = tree.try_change(file, plain((tree.root / file).read_text()), asked, _seconds(asked, tests))
    if verdict.outcome != SURVIVED or not tests:
        raise SystemExit(f"{verdict} where nothing is changed, {len(tests)} tests; see serve.txt")


def _looked(tree: Tree, files: Sequence[str], file: Path) -> dict[str, dict[str, Any]]:
    """The lines that each test runs; only files of tests that have changed are traced again.

    Raises:
        SystemExit: a file of tests could not be run; without it, some changes would seem to be noticed by no test.
    """
    known = load(file)
    new = {name: digest_of_tests(tree.root / name) for name in files}
    new = {name: digest for name, digest in new.items() if known.get(name, {}).get("digest") != digest}
    found = tree.look(list(new)) if new else {}
    for name, digest in new.items():
        tests = {test: ran for test, ran in found.items() if test.partition("::")[0] == name}
        if not tests:
            raise SystemExit(f"no test of {name} could be looked at; see look.txt, or name others by --tests")
        known[name] = {"digest": digest, "sources": digests(tree.root), "tests": tests}
    file.write_text(json.dumps(known))
    return {name: known[name] for name in files}


def _key(change: Change) -> str:
    return f"{change.file}:{change.number}:{change.text}"


def _tried(results: Path) -> dict[str, dict[str, Any]]:
    """The last result of each change."""
    if not results.exists():
        return {}
    return {row["key"]: row for row in map(json.loads, results.read_text().splitlines())}


def _explained(row: Mapping[str, Any]) -> dict[str, str]:
    """A change that nothing noticed, and why."""
    place = f"{row['file']}:{row['line']}"
    return {"place": place, "text": row["text"], "reason": _reason(row) or "not tested"}


def _reason(row: Mapping[str, Any]) -> str | None:
    """Why no program can tell a change from the original; None if one can, or if nobody has checked."""
    line = (ROOT / row["file"]).read_text().splitlines()[row["line"] - 1].strip()
    return SAME.get((row["file"], line, row["text"]))


def _table(rows: Sequence[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    names = [room.name for room in ROOMS if any(name == room.name for name, _ in rows)]
    return [_counted(name, [row for each, row in rows if each == name]) for name in names] + [
        _counted("all", [row for _, row in rows])
    ]


def _counted(name: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    outcomes = Counter(row["outcome"] for row in rows)
    missed = outcomes[SURVIVED]
    same = sum(row["outcome"] == SURVIVED and _reason(row) is not None for row in rows)
    return {
        "room": name,
        "changes": len(rows),
        "noticed": len(rows) - missed,
        "of them by the time limit": outcomes[SLOW],
        "not noticed": missed,
        "of them do the same": same,
        "noticed, %": round(100 * (len(rows) - missed) / max(1, len(rows)), 1),
        "of those that differ, %": round(100 * (len(rows) - missed) / max(1, len(rows) - same), 1),
        "processor seconds of each": round(sum(row["seconds"] for row in rows) / max(1, len(rows)), 1),
    }


if __name__ == "__main__":
    main()
