"""Reads CITATION.cff: the authors and licence of a project, and the papers that it cites.

A reference belongs to the paper whose key is its `abbreviation`, such as xu2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import read_yaml

FILE = "CITATION.cff"


@dataclass(frozen=True)
class Author:
    """An author of a paper."""

    given: str  # the given names; empty for an organisation
    family: str  # the family name, or the name of an organisation

    @property
    def name(self) -> str:
        """The whole name."""
        return f"{self.given} {self.family}".strip()


@dataclass(frozen=True)
class CitedWork:
    """A paper that a project cites."""

    title: str
    authors: tuple[Author, ...]
    year: str
    address: str  # the address of the paper, with its DOI if it has one; empty if neither is known


@dataclass(frozen=True)
class Citation:
    """What CITATION.cff says of a project."""

    title: str = ""  # the name of the project; empty if there is no CITATION.cff
    authors: tuple[Author, ...] = ()  # the authors of the project
    licence: str = ""  # the licence of the project, an SPDX name; empty without a licence
    address: str = ""  # the public address of the project; empty without an address
    references: Mapping[str, CitedWork] = field(default_factory=dict)  # key of a paper -> the paper


def read_citation(file: Path) -> Citation:
    """The content of a file CITATION.cff; an empty Citation if there is no file.

    Raises:
        DpfairError: the file is not YAML, or a reference lacks its title.
    """
    if not file.is_file():
        return Citation()
    content = read_yaml(file)
    try:
        return Citation(
            title=content["title"],
            authors=_authors(content),
            licence=str(content.get("license", "")),
            address=str(content.get("repository-code", content.get("url", ""))),
            references={
                entry["abbreviation"]: _reference(entry)
                for entry in content.get("references", [])
                if "abbreviation" in entry
            },
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise DpfairError(f"{FILE} must have a title and references with titles") from error


def _reference(entry: Mapping[str, Any]) -> CitedWork:
    """A cited paper; its DOI is an address that stays, and comes before other addresses."""
    doi = entry.get("doi", "")
    address = f"https://doi.org/{doi}" if doi else str(entry.get("url", ""))
    return CitedWork(entry["title"], _authors(entry), str(entry.get("year", "")), address)


def _authors(entry: Mapping[str, Any]) -> tuple[Author, ...]:
    """The authors of a project or of a paper; an organisation has a `name` alone."""
    return tuple(
        Author(one.get("given-names", ""), one.get("family-names", one.get("name", "")))
        for one in entry.get("authors", [])
    )
