"""The pages of the documentation that are made from the project: papers and chapters, the notebook,
and the reference.

They are written below `papers`, `notebooks` and `reference` when the documentation is built, and
are not committed: a page cannot say anything else than the project. A link in
experiments/<paper>/README.md holds in papers/, which is as deep.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
NUMBERED = re.compile(r"\b(?:table|figure|section)(\d+)\.\d")  # the chapter of table8.2 is 8
CHAPTER = re.compile(r"^## How we read chapter (\d+)$", re.MULTILINE)
COUNTS = re.compile(r"^\w.*published cells\)\.$", re.MULTILINE)  # of verdicts, in a check.md
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
    """Name and text of the page of each paper, and of each chapter of a paper that is read by
    chapters.
    """
    for folder in sorted((ROOT / "experiments").iterdir()):
        if (folder / "README.md").is_file():
            yield from _paper(folder)


def _paper(folder: Path) -> Iterator[tuple[str, str]]:
    """The page of a paper, with its artefacts; or with a list of its chapters, and their pages."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    head, *parts = CHAPTER.split(
        text
    )  # what is before the first chapter; then number, text, number, text, ...
    chapters = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
    artefacts = chapters_of(folder)
    if not chapters:
        yield f"papers/{folder.name}", f"{text}\n{_artefacts(folder, list(artefacts))}"
        return
    names = [f"{folder.name}-chapter{number}" for number in chapters]
    yield f"papers/{folder.name}", "\n".join([head, "```{toctree}", *names, "```", ""])
    for (number, read), name in zip(chapters.items(), names, strict=True):
        mine = [artefact for artefact, chapter in artefacts.items() if chapter == number]
        title = f"# {folder.name}, chapter {number}\n\n## How we read it"
        yield f"papers/{name}", f"{title}{read}\n{_artefacts(folder, mine)}"


def chapters_of(folder: Path) -> dict[str, int]:
    """Artefact -> chapter, in the order of the chapters; 0 in a paper that is not read by chapters.

    An artefact of ours, which has no number, belongs to the chapter of the numbered one before it
    in the README.
    """
    text = (folder / "README.md").read_text(encoding="utf-8")
    stems = [
        spec.stem
        for spec in sorted(folder.glob("*.yaml"))
        if spec.stem not in ("claims", "deviations")
    ]
    if not CHAPTER.search(text):
        return dict.fromkeys(stems, 0)
    found = {stem: _chapter(stem, text) for stem in stems}
    return dict(
        sorted(
            found.items(),
            key=lambda item: (item[1], not NUMBERED.match(item[0]), _natural(item[0])),
        )
    )


def _natural(stem: str) -> tuple[float, str]:
    """A key by which table4.10 stands behind table4.9."""
    return float(re.sub(r"^\D*\d*\.?(\d*).*$", r"0\1", stem)), stem


def _chapter(stem: str, readme: str) -> int:
    """The chapter of an artefact of a paper that is read by chapters."""
    if own := NUMBERED.match(stem):
        return int(own[1])
    before = readme[: readme.index(f"`{stem}`")]
    marks = [*NUMBERED.finditer(before.partition("## How we read")[0]), *CHAPTER.finditer(before)]
    return int(max(marks, key=lambda mark: mark.start())[1])


def _artefacts(folder: Path, stems: list[str]) -> str:
    """A section for each artefact: title, source, command, picture, and where its verdicts and its
    spec are.
    """
    return (
        "## Tables and figures\n\n" + "\n\n".join(_artefact(folder, stem) for stem in stems) + "\n"
    )


def _artefact(folder: Path, stem: str) -> str:
    spec = yaml.safe_load((folder / f"{stem}.yaml").read_text(encoding="utf-8"))
    place = ROOT / "results" / folder.name / stem
    kind = "table" if "table" in spec else "plot"
    pictures = [name for name in ("figure.png", "difference.png") if (place / name).is_file()]
    files = {
        "spec": folder / f"{stem}.yaml",
        "verdicts": place / "check.md",
        "table": place / "table.md",
    }
    links = [
        f"[{name}](../../{file.relative_to(ROOT)})"
        for name, file in files.items()
        if file.is_file()
    ]
    title = f"{spec['title']} ({spec['source']}).".replace("*", "\\*").replace("_", "\\_")
    return "\n\n".join(
        [
            f"### {stem}",
            " ".join([title, *COUNTS.findall(files["verdicts"].read_text(encoding="utf-8"))]),
            f"`dpfair {kind} {folder.name}/{stem}`: {', '.join(links)}",
            *(
                f"![{stem}: {name[:-4]}](../../{(place / name).relative_to(ROOT)})"
                for name in pictures
            ),
        ]
    )


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
