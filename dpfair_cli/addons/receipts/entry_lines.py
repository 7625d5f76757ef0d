"""Finds the lines of entries in YAML files, for programs that show a message at a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from dpfair_cli.contracts.files import FASTEST


def claim_lines(file: Path) -> dict[str, int]:
    """The line of each part of a claim in a file claims.yaml, by the id of the part.

    The id of a part is that of `ClaimPart.id`. A file that does not exist has no lines.
    """
    if not file.is_file():
        return {}
    tree = yaml.compose(file.read_text(encoding="utf-8"), Loader=FASTEST)
    return dict(_lines(tree)) if isinstance(tree, yaml.SequenceNode) else {}


def _lines(tree: yaml.SequenceNode) -> Iterator[tuple[str, int]]:
    """Yields the id of each part of each claim, with its line."""
    for entry in tree.value:
        claim = _text(entry, "id")
        parts = _child(entry, "parts")
        for part in parts.value if parts else [entry]:
            name = _text(part, "part")
            yield f"{claim} ({name})" if name else claim, part.start_mark.line + 1


def _child(node: yaml.Node, key: str) -> yaml.Node | None:
    """The value under a key of a mapping; None if the mapping lacks the key."""
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _text(node: yaml.Node, key: str) -> str:
    value = _child(node, key)
    return str(value.value) if value else ""
