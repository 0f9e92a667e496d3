"""The documentation runs: every Python block of the README and of docs/, page by page, and every example script."""

import doctest
import linecache
import re
import runpy
from ast import literal_eval
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_of_a_page_run(page):
    names = {"__name__": page.stem}
    for number, block in enumerate(blocks_of(page, "python")):
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(
                block, names, f"{page.name} block {number}", str(page), 0
            )
            runner = doctest.DocTestRunner(optionflags=OPTIONS)
            failures: list[str] = []
            runner.run(example, out=failures.append, clear_globs=False)
            assert not failures, "".join(failures)
            names.update(example.globs)
        else:
            file = f"<{page.name} block {number}>"
            linecache.cache[file] = (len(block), None, block.splitlines(keepends=True), file)
            exec(compile(block, file, "exec"), names)


def softmax_is_accurate(text):
    assert float(re.match(r"largest error: (\S+)\n", text)[1]) < 1e-7
    assert "__kernel void max_sum_fdiv_64x100(" in text


def indices_become_short(text):
    simplified = re.findall(r"simplified:\n((?:.+\n)+)", text)
    assert [len(each.splitlines()) for each in simplified] == [1, 1, 3, 3]


def rules_save_operations(text):
    before, after, cost, bound = re.match(
        r"(\d+) UOps became (\d+); predicted ([\d.]+) µs, at least ([\d.]+)\n", text
    ).groups()
    assert int(after) < int(before)
    assert float(bound) == float(cost)
    assert "permutations_compose: " in text


def file_is_the_same_graph(text):
    assert text.endswith("the same graph, indeed the same object: True\n")


def members_take_their_own_paths(text):
    assert "[11, 8, 6, 3, 4, 0, 0, 0] -> [89, 21, 8, 2, 3, 0, 0, 0]" in text
    assert "stacks: ['fibonacci.n'" in text


def samples_have_the_moments_of_the_gaussian(text):
    mean, covariance = re.match(r"mean \[(.*)\] covariance (.*)\n", text).groups()
    assert all(abs(float(each)) < 0.05 for each in mean.split())
    assert np.allclose(literal_eval(covariance), [[1, 0.8], [0.8, 2]], atol=0.1)


SHOWS = {
    "01_softmax": softmax_is_accurate,
    "02_simplify_an_index": indices_become_short,
    "03_look_into_the_e_graph": rules_save_operations,
    "04_graph_file": file_is_the_same_graph,
    "05_fibonacci": members_take_their_own_paths,
    "06_nuts": samples_have_the_moments_of_the_gaussian,
}


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_example_runs(script, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    SHOWS[script.stem](capsys.readouterr().out)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_diffs_of_a_page_fit_the_files(page):
    for block in blocks_of(page, "diff"):
        for path, lines in hunks_of(block):
            before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
            assert f"\n{before}" in f"\n{(ROOT / path).read_text(encoding='utf-8')}", (
                f"{path} lacks:\n{before}"
            )


def hunks_of(diff):
    """The file and the lines of each hunk; a file that the diff creates has none."""
    for path, text in re.findall(r"^--- a/(.+)\n\+\+\+ .+\n((?:(?!--- ).*\n)*)", diff, re.MULTILINE):
        for hunk in re.split(r"^@@.*\n", text, flags=re.MULTILINE)[1:]:
            yield path, hunk.splitlines()


def test_readme_begins_with_two_commands_of_one_line():
    install, test = blocks_of(ROOT / "README.md", "sh")[:2]
    assert install.count("\n") == test.count("\n") == 1
    assert install.rstrip().endswith("eqsat demo")
    assert "pytest" in test


def blocks_of(page, language):
    """The fenced blocks of one language on a Markdown page."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
