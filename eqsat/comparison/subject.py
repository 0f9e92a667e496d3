"""The subjects of a comparison: graphs, and e-graphs of the extraction-gym format, each with a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eqsat.array.data import parametrize
from eqsat.comparison.measure import Arguments
from eqsat.errors import ComparisonError, ExtractionError, GraphFileError, brief
from eqsat.extract import Problem, from_gym_json
from eqsat.graph_files.reading import graph_of, read_json
from eqsat.ops import Op, Stage
from eqsat.spec import require_uops, verify
from eqsat.specialization.specialize import at_greatest
from eqsat.uop import UOp

Source = UOp | Problem | str | Path
Sources = Source | Sequence[Source] | Mapping[str, Source]


@dataclass(frozen=True, slots=True)
class Subject:
    """A graph of the array stage that contains no data, or an extraction problem with its costs. Dims have their greatest values.

    Attributes:
        name: its name in the table.
        given: the graph, a SINK, or the problem.
        arguments: the arguments with which programs of the graph are called; None for a problem.
    """

    name: str
    given: UOp | Problem
    arguments: Arguments | None


def find_subjects(sources: Sources) -> tuple[Subject, ...]:
    """The subjects that a caller gives. A mapping gives them names, a file has its own name, and others are numbered.

    Raises:
        ComparisonError: there is nothing to compare.
        GraphFileError: a file cannot be read, or holds neither a graph nor an extraction problem.
        ExtractionError: a file holds a malformed extraction problem.
        SpecError: a graph is not legal at the array stage.
    """
    if isinstance(sources, UOp | Problem | str | Path):
        sources = [sources]
    if not isinstance(sources, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ComparisonError(f"graphs, problems and paths of files are compared, not {brief(sources)}")
    named = sources.items() if isinstance(sources, Mapping) else enumerate(sources, 1)
    subjects = tuple(find_subject(name, source) for name, source in named)
    if not subjects:
        raise ComparisonError("there is nothing to compare; give at least one graph or file")
    return subjects


def find_subject(name: str | int, source: Source) -> Subject:
    """The subject for one source; a number serves as its name only if the source has no name of its own.

    Raises:
        GraphFileError: a file cannot be read, or holds neither a graph nor an extraction problem.
        ExtractionError: a file holds a malformed extraction problem.
        SpecError: the graph is not legal at the array stage.
    """
    if isinstance(source, str | Path):
        given = read(Path(source))
        name = Path(source).name if isinstance(name, int) else name
    else:
        given = source
    kind = "problem" if isinstance(given, Problem) else "graph"
    name = f"{kind} {name}" if isinstance(name, int) else name
    return Subject(name, given, None) if isinstance(given, Problem) else _of_graph(name, given)


def read(path: Path) -> UOp | Problem:
    """The graph or the extraction problem in a file.

    Raises:
        GraphFileError: the file cannot be read, or holds neither.
        ExtractionError: the problem is malformed.
    """
    document = read_json(path)
    if not isinstance(document, dict) or "root_eclasses" not in document:
        return graph_of(document, path)
    try:
        return from_gym_json(document)
    except (GraphFileError, ExtractionError) as error:
        raise type(error)(f"{path}: {error}") from error


def _of_graph(name: str, graph: UOp) -> Subject:
    require_uops(graph)
    sink = at_greatest(graph if graph.op is Op.SINK else UOp.sink(graph))
    verify(sink, Stage.ARRAY)
    sink, captured = parametrize(sink)
    return Subject(name, sink, Arguments(sink, captured))
