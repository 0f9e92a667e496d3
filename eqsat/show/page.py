"""A self-contained HTML page: it needs no network and no library, and no text in a label can break out of its place."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import tempfile
import webbrowser
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from eqsat.errors import GraphFileError, shortened
from eqsat.show.document import document
from eqsat.show.subject import Subject

LONGEST_PATH = 4096  # characters of a path in a message: the longest path on Linux
SCRIPTS = ("egraph.js", "rows.js", "details.js", "page.js")  # joined in this order


def write_page(subject: Subject, path: str | os.PathLike[str] | None, *, browse: bool = False) -> Path:
    """Writes the page of `subject`, and opens it in a browser if asked to.

    Args:
        subject: what to show.
        path: the file to write; None for a new temporary file, which nobody removes.
        browse: whether to open the page in the user's browser.

    Raises:
        GraphFileError: the file cannot be written.
    """
    text = page(subject)
    try:
        written = _temporary_file() if path is None else Path(path)
        written.write_text(text, encoding="utf-8")
    except (OSError, TypeError, ValueError) as error:  # ValueError: a name with a null character
        reason = error.strerror if isinstance(error, OSError) else error
        raise GraphFileError(
            f"cannot write {shortened(str(path), LONGEST_PATH)}: {reason}; choose another place"
        ) from error
    if browse:
        webbrowser.open(written.resolve().as_uri())
    return written


def page(subject: Subject) -> str:
    """The page as text; the same subject always gives the same text."""
    style = _resource("page.css")
    script = "\n".join(_resource(name) for name in SCRIPTS)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    return Template(_resource("page.html")).substitute(
        title=html.escape(subject.title),
        policy=policy,
        style=style,
        script=script,
        data=embedded_json(document(subject)),
    )


def embedded_json(value: Any) -> str:
    r"""JSON that can stand inside a `<script>` element: without `<`, no text in it can end the element.

    >>> embedded_json("</script>")
    '"\\u003c/script>"'
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _temporary_file() -> Path:
    handle, name = tempfile.mkstemp(prefix="eqsat-", suffix=".html")
    os.close(handle)
    return Path(name)


def _resource(name: str) -> str:
    return (files("eqsat.show") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The name of an inline style or script in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
