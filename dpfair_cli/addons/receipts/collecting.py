"""Collects the content of a receipt from the files of a project; makes no run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import yaml

from dpfair_cli import paths
from dpfair_cli.addons.receipts import citation
from dpfair_cli.addons.receipts.content import (
    CheckedArtefact,
    CheckedWork,
    CommittedFile,
    DataFile,
    Receipt,
)
from dpfair_cli.contracts.files import FASTEST, sha256_of
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.provenance import checksums
from dpfair_cli.provenance.arithmetic import STATEMENT
from dpfair_cli.provenance.checksums import PUBLISHED
from dpfair_cli.reporting import report
from dpfair_cli.running.artefact_names import is_spec
from dpfair_cli.verdicts.verdicts import Verdicts

CLAIMS = "claims.yaml"
ENDINGS = (".csv", ".json", ".jsonl", ".md", ".png", ".tex", ".xz", ".yaml")
VERSION = re.compile(r"([\w-]+): (\d\S*)")  # a line of arithmetic.txt that states a version


def collect(entries: Sequence[Verdicts], results: Path, date: str) -> Receipt:
    """The receipt of artefacts with their verdicts, whose results are in the folder `results`.

    Raises:
        DpfairError: CITATION.cff cannot be read.
        OSError: a file cannot be read.
    """
    experiments = paths.folder("experiments")
    cited = citation.read_citation(experiments.parent / citation.FILE)
    by_paper: dict[str, list[Verdicts]] = {}
    for one in entries:
        by_paper.setdefault(one.spec.paper, []).append(one)
    works = [_work(key, own, results, cited) for key, own in by_paper.items()]
    statement = paths.results_file(results, STATEMENT)
    return Receipt(
        version=version("dpfair"),
        works=tuple(works),
        citation=cited,
        libraries=_libraries(statement),
        files=tuple(_committed([statement], f"results/{STATEMENT}")),
        date=date,
    )


def _work(
    key: str, entries: Sequence[Verdicts], results: Path, cited: citation.Citation
) -> CheckedWork:
    """A paper with its artefacts and files; the files of artefacts that are not named are left out.

    `entries` are the artefacts of the paper.
    """
    folder = paths.folder("experiments") / key
    of_paper = [file for file in _files(folder) if not is_spec(file)]
    of_results = _files(paths.results_file(results, key))
    return CheckedWork(
        key=key,
        citation=report.citation(folder),
        reference=cited.references.get(key),
        artefacts=tuple(_artefact(entry, folder, results) for entry in entries),
        files=(
            *_in_folder(of_paper, f"experiments/{key}"),
            *_in_folder(of_results, f"results/{key}"),
        ),
        broken=tuple(_broken(folder, entries, results)),
        claim_lines=claim_lines(folder / CLAIMS),
    )


def _broken(folder: Path, entries: Sequence[Verdicts], results: Path) -> list[str]:
    """The files of a paper that differ from its checksum manifest, in words.

    Only the journals of the given artefacts are compared: a receipt of one table says nothing about
    the others.
    """
    made = [one.spec for one in entries if not one.spec.is_reanalysis]
    journals = {spec.name: results / spec.artefact / "runs.jsonl" for spec in made}
    current = checksums.compute(folder, journals)
    return checksums.mismatches(
        folder.name, checksums.read(folder), current, [PUBLISHED, *journals]
    )


def _artefact(entry: Verdicts, folder: Path, results: Path) -> CheckedArtefact:
    """An artefact with its spec, its results and the data from which its runs were made.

    A journal that the project does not have is the compressed one that dpfair carries.
    """
    name = entry.spec.artefact
    (spec_file,) = _in_folder(
        [folder / f"{entry.spec.name}.yaml"], f"experiments/{entry.spec.paper}"
    )
    files = _files(paths.results_file(results, name))
    if not any(file.name == "runs.jsonl" for file in files):
        files += _existing([paths.committed(f"{name}/runs.jsonl.xz")])
    return CheckedArtefact(
        reported=entry,
        spec_file=spec_file,
        results=tuple(_in_folder(files, f"results/{name}")),
        data=tuple(data_files(entry.spec)),
    )


def data_files(spec: Spec) -> Iterator[DataFile]:
    """Yields each file of the data sets of a spec once."""
    found: dict[str, DataFile] = {}
    for source in (dataset.source for dataset in spec.datasets):
        for file in source.files:
            own = DataFile(file.path, file.sha256, file.size, file.urls, file.licence, source.note)
            found.setdefault(file.path, own)  # several data sets may read one file
    for path in sorted(found):
        yield found[path]


def _libraries(statement: Path) -> dict[str, str]:
    """The versions of the libraries that arithmetic.txt names."""
    lines = statement.read_text(encoding="utf-8").splitlines() if statement.is_file() else []
    return {found[1]: found[2] for found in map(VERSION.fullmatch, lines) if found}


def claim_lines(file: Path) -> dict[str, int]:
    """The line of each part of a claim in a file claims.yaml, by the id of the part.

    The id of a part is that of `ClaimPart.id`. A file that does not exist has no lines.
    """
    if not file.is_file():
        return {}
    # the tree of nodes, because the values that YAML gives have no lines
    tree = yaml.compose(file.read_text(encoding="utf-8"), Loader=FASTEST)
    found = {}
    for entry in tree.value if isinstance(tree, yaml.SequenceNode) else []:
        parts = _children(entry).get("parts")
        for part in parts.value if parts else [entry]:
            claim, name = _children(entry)["id"].value, _children(part).get("part")
            found[f"{claim} ({name.value})" if name else claim] = part.start_mark.line + 1
    return found


def _children(node: yaml.Node) -> dict[str, yaml.Node]:
    """The values of a mapping by their keys; empty for another node."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return {key.value: value for key, value in pairs}


def _files(folder: Path) -> list[Path]:
    """The files in a folder in alphabetical order, without drafts and checkpoints."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    # a running command writes to drafts, and checkpoints begin with a dot
    visible = [
        file for file in found if not file.name.startswith(".") and ".draft" not in file.name
    ]
    return [file for file in visible if file.is_file() and file.suffix in ENDINGS]


def _existing(files: Iterable[Path]) -> list[Path]:
    """The files that exist."""
    return [file for file in files if file.is_file()]


def _in_folder(files: Iterable[Path], folder: str) -> Iterator[CommittedFile]:
    """Yields files with the folder of the project to which they belong."""
    for file in files:
        yield from _committed([file], f"{folder}/{file.name}")


def _committed(files: Iterable[Path], path: str) -> Iterator[CommittedFile]:
    """Yields the files that exist, each with its digest and size, under a path of the project."""
    for file in _existing(files):
        yield CommittedFile(path, file, sha256_of(file), file.stat().st_size)
