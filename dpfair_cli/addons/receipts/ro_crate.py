"""The receipt as an RO-Crate 1.3: a description of results, specs, data, software and papers.

The format is https://w3id.org/ro/crate/1.3. Data files are described with their licences and
SHA-256 and are not part of the crate. Each artefact is an action that makes its results from its
spec and its data files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any
from urllib.parse import quote

from dpfair_cli.addons.receipts.citation import Author
from dpfair_cli.addons.receipts.content import (
    CheckedArtefact,
    CheckedWork,
    CommittedFile,
    DataFile,
    Receipt,
)
from dpfair_cli.contracts.errors import DpfairError, how_to_install
from dpfair_cli.contracts.files import as_text

FILE = "ro-crate-metadata.json"
VERSION = "1.3"  # of the specification
LICENCES = {
    "CC BY 4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC BY-SA 3.0": "https://creativecommons.org/licenses/by-sa/3.0/",
    "MIT": "https://spdx.org/licenses/MIT",
}
NO_LICENCE = "No licence"
NO_PERMISSION = (
    "No licence is stated: only the authors may use, change or pass on the files. Data sets have "
    "their own terms."
)
MEDIA_TYPES = {  # by the ending of a file
    "bif": "text/plain",
    "csv": "text/csv",
    "data": "text/csv",
    "gz": "application/gzip",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "png": "image/png",
    "test": "text/csv",
    "tex": "application/x-tex",
    "txt": "text/plain",
    "xz": "application/x-xz",
    "yaml": "application/yaml",
}
WORDS = {  # the content of a file, by its name
    "README.md": "The artefacts of the paper.",
    "arithmetic.txt": "The libraries and the arithmetic with which the runs were made.",
    "check.md": "The verdict on each published number and claim of the artefact.",
    "checksums.json": "The row counts and SHA-256 of the published values and the journals.",
    "claims.yaml": "Checkable sentences of the paper, as predicates about runs.",
    "covered.json": "Our means of the cells that the deviations cover.",
    "deviations.yaml": "The explanations of differences from the paper.",
    "examined.csv": "Printed numbers that are examined without runs.",
    "forensics.yaml": "What the printed numbers are, for an examination without runs.",
    "published.csv": "The published numbers, with their places.",
    "rule.json": "The levels of the tests that decide the verdicts of the paper.",
    "runs.jsonl": "The finished runs, one line for each fit with its scores.",
    "runs.jsonl.xz": "The finished runs, one line for each fit with its scores, compressed.",
}
BEGINNINGS = {  # the same, by the beginning of its name
    "chapter": "A chapter of the paper: what it leaves open, our choices and the results.",
    "difference.": "Our value minus the published value, for each cell.",
    "figure.": "The figure with our means, or its numbers.",
    "paper.": "The paper: what it leaves open, our choices and the results.",
    "table.": "The table with our means and the published values.",
}
SOFTWARE = "#dpfair"
PYTHON = "https://www.python.org/"

Entity = dict[str, Any]


def text(receipt: Receipt) -> str:
    """The metadata document of the crate.

    Raises:
        DpfairError: the receipt has no date, which the format requires, or the library rocrate is
            not installed.
    """
    if not receipt.date:
        raise DpfairError(
            "an RO-Crate needs a date, and the results are in no commit: give --date, such as "
            "--date 2026-11-27"
        )
    try:  # here, because the other formats do not need the library
        from rocrate import model, rocrate
    except ImportError as error:
        how = how_to_install(["rocrate"])
        raise DpfairError(f"an RO-Crate needs the library rocrate: {how}") from error
    crate = rocrate.ROCrate(version=VERSION)
    for key, value in _compacted(_root(receipt)).items():
        crate.root_dataset[key] = value
    for entity in map(_compacted, _entities(receipt)):
        name = entity.pop("@id")
        if not crate.get(name):  # the first of several is kept
            crate.add(model.ContextEntity(crate, name, properties=entity))
    return as_text(crate.metadata.generate())


def _compacted(entity: Entity) -> Entity:
    """An entity without empty properties, in which a list of one value is this value."""
    plain = {
        key: value[0] if isinstance(value, list) and len(value) == 1 else value
        for key, value in entity.items()
    }
    return {key: value for key, value in plain.items() if value not in ("", [])}


def _root(receipt: Receipt) -> Entity:
    """The crate as a whole; a paper without an address is mentioned, since it cannot be cited."""
    names = ", ".join(work.key for work in receipt.works)
    without_address = [work for work in receipt.works if not _has_address(work)]
    folders = [artefact.folder for artefact in receipt.artefacts]
    others = chain.from_iterable(work.files for work in receipt.works)
    files = [*receipt.files, *others, *(artefact.spec_file for artefact in receipt.artefacts)]
    return {
        "name": f"Checked results of {names}",
        "description": f"Results of dpfair, compared with the published values. {receipt.in_words}",
        "datePublished": receipt.date,
        "license": {"@id": _licence_id(receipt.citation.licence or NO_LICENCE)},
        "author": _references(map(_person_id, receipt.citation.authors)),
        "citation": _references(map(_work_id, filter(_has_address, receipt.works))),
        "hasPart": _references([*(f"{one}/" for one in folders), *(one.path for one in files)]),
        "mentions": _references(
            [*map(_work_id, without_address), *map(_action_id, receipt.artefacts)]
        ),
        "variableMeasured": _references(entity["@id"] for entity in _verdict_counts(receipt)),
    }


def _entities(receipt: Receipt) -> Iterator[Entity]:
    """Yields what the root refers to, and what that refers to."""
    yield _licence(receipt.citation.licence or NO_LICENCE)
    yield from map(_person, receipt.citation.authors)
    yield from _software(receipt)
    yield from map(_file, receipt.files)
    for work in receipt.works:
        yield from _work(work)
        yield from map(_file, work.files)
        for artefact in work.artefacts:
            yield from _artefact(work, artefact)
    for data in receipt.data:
        yield _data_file(data)
        yield _licence(data.licence)
    yield from _verdict_counts(receipt)


def _artefact(work: CheckedWork, artefact: CheckedArtefact) -> Iterator[Entity]:
    """Yields an artefact as a folder, as the action that made it, and its files."""
    spec = artefact.reported.spec
    yield {
        "@id": f"{artefact.folder}/",
        "@type": "Dataset",
        "name": f"{artefact.name}: {spec.title}",
        "description": f"{spec.source}. {_counted(artefact)}",
        "hasPart": _references(file.path for file in artefact.results),
        "isBasedOn": {"@id": _work_id(work)},
    }
    yield {
        "@id": _action_id(artefact),
        "@type": "CreateAction",
        "name": f"dpfair reproduce {artefact.name}",
        "instrument": {"@id": SOFTWARE},
        "object": _references([artefact.spec_file.path, *map(_data_id, artefact.data)]),
        "result": _references([f"{artefact.folder}/"]),
    }
    yield _file(artefact.spec_file, f"The spec of {artefact.name}: its runs and its layout.")
    yield from map(_file, artefact.results)


def _counted(artefact: CheckedArtefact) -> str:
    """The number of cells and claims of an artefact with each verdict, in words."""
    verdicts = artefact.reported
    cells = [f"{count} {verdict}" for verdict, count in sorted(verdicts.cell_counts.items())]
    claims = [f"{claim.part.id} {claim.full_verdict}" for claim in verdicts.claims]
    return (
        f"Published numbers: {', '.join(cells) or 'none'}. Claims: {', '.join(claims) or 'none'}."
    )


def _file(file: CommittedFile, description: str = "") -> Entity:
    """A file of the crate, with its digest and media type."""
    return {
        "@id": quote(file.path),
        "@type": "File",
        "name": file.path,
        "description": description or _in_words(file.name),
        "contentSize": str(file.size),
        "sha256": file.sha256,
        "encodingFormat": _media_type(file.name),
    }


def _data_file(data: DataFile) -> Entity:
    """A data file, which is not in the crate."""
    return {
        "@id": _data_id(data),
        "@type": "File",
        "name": data.path,
        "description": data.note,
        "localPath": f"data/{data.path}",
        "contentSize": str(data.size),
        "sha256": data.sha256,
        "encodingFormat": _media_type(data.path),
        "contentUrl": list(data.urls),
        "license": {"@id": _licence_id(data.licence)},
    }


def _media_type(name: str) -> str:
    """The media type of a file with a name; empty if it is not known."""
    return MEDIA_TYPES.get(name.rpartition(".")[2], "")


def _in_words(name: str) -> str:
    """What a file with a name contains; empty if it is not known."""
    beginnings = (words for start, words in BEGINNINGS.items() if name.startswith(start))
    return WORDS.get(name) or next(beginnings, "")


def _licence(words: str) -> Entity:
    """A licence in words, which the format demands as an entity of its own."""
    description = NO_PERMISSION if words == NO_LICENCE else f"The terms of use: {words}."
    return {
        "@id": _licence_id(words),
        "@type": "CreativeWork",
        "name": words or "licence not known",
        "description": description,
    }


def _work(work: CheckedWork) -> Iterator[Entity]:
    """Yields a paper and its authors."""
    if work.reference is None:
        yield {"@id": _work_id(work), "@type": "ScholarlyArticle", "name": work.citation}
        return
    yield {
        "@id": _work_id(work),
        "@type": "ScholarlyArticle",
        "name": work.reference.title,
        "author": _references(map(_person_id, work.reference.authors)),
        "datePublished": work.reference.year,
        "alternateName": work.key,
    }
    yield from map(_person, work.reference.authors)


def _person(author: Author) -> Entity:
    """An author; one without given names is an organisation."""
    kind = "Person" if author.given else "Organization"
    return {"@id": _person_id(author), "@type": kind, "name": author.name}


def _software(receipt: Receipt) -> Iterator[Entity]:
    """Yields dpfair and the libraries with which the committed runs were made.

    The format demands an address of a SoftwareApplication; without one, dpfair is a CreativeWork.
    """
    address = receipt.citation.address
    yield {
        "@id": SOFTWARE,
        "@type": "SoftwareApplication" if address else "CreativeWork",
        "name": "dpfair",
        "url": address,
        "version": receipt.version,
        "softwareRequirements": _references(map(_library_address, receipt.libraries)),
    }
    for name, version in receipt.libraries.items():
        yield {
            "@id": _library_address(name),
            "@type": "SoftwareApplication",
            "name": name,
            "url": _library_address(name),
            "version": version,
        }


def _library_address(name: str) -> str:
    """The public address of a library, which is also its id."""
    return PYTHON if name == "Python" else f"https://pypi.org/project/{name}/"


def _verdict_counts(receipt: Receipt) -> Iterator[Entity]:
    """Yields the number of published numbers and of claims with each verdict."""
    for subject, by_verdict in (("published numbers", receipt.cells), ("claims", receipt.claims)):
        for verdict, count in by_verdict.items():
            name = f"{subject}: {verdict}"
            yield {"@id": _local(name), "@type": "PropertyValue", "name": name, "value": count}


def _references(names: Iterable[str]) -> list[Entity]:
    """References to entities; a path is written as a URI."""
    return [{"@id": name if _is_address(name) else quote(name)} for name in names]


def _is_address(name: str) -> bool:
    """Whether a name is an id or an address already, and no path."""
    return name.startswith(("#", "http://", "https://"))


def _has_address(work: CheckedWork) -> bool:
    """Whether a paper can be cited, which needs an address."""
    return bool(work.reference and work.reference.address)


def _work_id(work: CheckedWork) -> str:
    """The id of a paper: its address, or a local name."""
    address = work.reference.address if work.reference else ""
    return address or _local(f"paper {work.key}")


def _person_id(author: Author) -> str:
    """The id of an author: equal names are one author."""
    return _local(f"author {author.name}")


def _action_id(artefact: CheckedArtefact) -> str:
    """The id of the action that makes an artefact."""
    return _local(f"reproduce {artefact.name}")


def _data_id(data: DataFile) -> str:
    """The id of a data file, which is no path, since the crate does not have the file."""
    return _local(f"data {data.path}")


def _licence_id(words: str) -> str:
    """The id of a licence: its public address if we know one."""
    return LICENCES.get(words) or _local(f"licence {words or 'not known'}")


def _local(words: str) -> str:
    """The id of an entity that is not a file, from words."""
    return f"#{re.sub(r'[^a-z0-9./]+', '-', words.lower()).strip('-')}"
