"""Prints JSON on stdout: NaN becomes null, and infinity becomes the text "inf" or "-inf"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click


def echo_json(content: Any) -> None:
    """Prints mappings, lists, texts and numbers as JSON; NumPy numbers are allowed."""
    import json

    click.echo(json.dumps(plain(content), indent=2, ensure_ascii=False, allow_nan=False))


def plain(content: Any) -> Any:
    """The same content with every value converted to a type that JSON has."""
    match content:
        case Mapping():
            return {str(name): plain(value) for name, value in content.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(value) for value in content]
        case float() if math.isnan(content):
            return None
        case float():
            return content if math.isfinite(content) else str(content)
        case str():
            return str(content)
        case Path():
            return content.as_posix()
    return plain(content.item()) if hasattr(content, "item") else content
