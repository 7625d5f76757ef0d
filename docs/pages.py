"""The generated pages of the documentation: papers and chapters, the notebook, the reference.

They are written below `papers`, `notebooks` and `reference` when the documentation is built, and
are not committed. A link with `../..` in experiments/<paper>/README.md or results/<paper>/*.md
also holds in papers/, which is as deep.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BESIDE = re.compile(r"\]\((?!\.\./|https?:|#)")  # a link to a file in the same folder
ROOMS = {  # room -> what its page is called
    "estimator": "The classifier for scikit-learn",
    "algorithms": "Algorithms",
    "datasets": "Data sets",
    "tasks": "Tasks",
    "mechanisms": "Mechanisms, accounting, sensitivity",
    "metrics": "Metrics",
    "kinds": "Kinds of data",
    "contracts": "Contracts",
}


def write(docs: Path) -> None:
    """Write all pages below `docs`; a page that is there with the same text is left alone."""
    for name, text in (*papers(), *notebooks(), *reference()):
        file = docs / f"{name}.md"
        file.parent.mkdir(exist_ok=True)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def papers() -> Iterator[tuple[str, str]]:
    """Name and text of the page of each paper, and of each page that is rendered from its runs."""
    for folder in sorted((ROOT / "experiments").iterdir()):
        if (folder / "README.md").is_file():
            yield from _paper(folder)


def _paper(folder: Path) -> Iterator[tuple[str, str]]:
    """The contents of a paper, with a list of its pages; then these."""
    text = _with_links_from_papers((folder / "README.md").read_text(encoding="utf-8"), folder)
    pages = sorted((ROOT / "results" / folder.name).glob("*.md"))
    names = [f"{folder.name}-{page.stem}" for page in pages]
    yield f"papers/{folder.name}", "\n".join([text, "```{toctree}", *names, "```", ""])
    for page, name in zip(pages, names, strict=True):
        content = page.read_text(encoding="utf-8")
        yield f"papers/{name}", _with_links_from_papers(content, page.parent)


def _with_links_from_papers(text: str, folder: Path) -> str:
    """A page whose links to files in its own folder lead there from docs/papers."""
    return BESIDE.sub(f"](../../{folder.relative_to(ROOT).as_posix()}/", text)


def notebooks() -> Iterator[tuple[str, str]]:
    """Name and text of each notebook as a page: its words and its code."""
    for file in sorted((ROOT / "examples").glob("*.ipynb")):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        texts = [("".join(cell["source"]), cell["cell_type"] == "code") for cell in cells]
        body = [f"```python\n{text}\n```" if code else text for text, code in texts]
        yield (
            f"notebooks/{file.stem}",
            "\n\n".join([*body, f"[The notebook](../../examples/{file.name})"]) + "\n",
        )


def reference() -> Iterator[tuple[str, str]]:
    """Name and text of the page of each room: the docstrings of its modules."""
    for room, title in ROOMS.items():
        modules = "\n\n".join(_module(file, room) for file in _files(room))
        yield f"reference/{room}", f"# {title}\n\n{modules}\n"


def _files(room: str) -> list[Path]:
    """The module of that name, or those of the folder and of folders in it."""
    package = ROOT / "dpfair_cli"
    alone = package / f"{room}.py"
    return [alone] if alone.is_file() else sorted((package / room).rglob("[!_]*.py"))


def _module(file: Path, room: str) -> str:
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    title = name.removeprefix("dpfair_cli.").removeprefix(f"{room}.")
    return f"## {title}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```"
