"""Write a graph to a file that `eqsat run`, `eqsat explain` and other programs can read, and read it back."""

import json
import tempfile
from pathlib import Path

import eqsat as eq

graph = eq.trace(
    lambda a, b: eq.matmul(a, b) + 1.0, eq.spec((32, 48), eq.float32), eq.spec((48, 16), eq.float32)
)
path = Path(tempfile.mkdtemp()) / "product.json"
path.write_text(json.dumps(eq.to_json([graph])))
print(f"try: eqsat run {path} --check")

(again,) = eq.from_json(json.loads(path.read_text()))
print("the same graph, indeed the same object:", again is graph)
