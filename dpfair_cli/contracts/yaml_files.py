"""A YAML file of an experiment -> what it says: specs, claims and deviations are read here and nowhere else.

A key that stands twice in a mapping is refused: YAML itself would let the last one win in silence.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from dpfair_cli.contracts.errors import DpfairError

MERGE = "tag:yaml.org,2002:merge"  # `<<`, which may stand several times
FASTEST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster where PyYAML was built with libyaml


class _Twice(yaml.MarkedYAMLError):
    """A key that a mapping has twice."""


class _Loader(FASTEST):  # type: ignore[misc]
    """PyYAML's safe loader, which refuses a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        lines: dict[Any, int] = {}
        for key in (key for key, _ in node.value if key.tag != MERGE):
            value = self.construct_object(key, deep=True)
            if not isinstance(value, Hashable):
                break  # PyYAML refuses it
            if value in lines:
                why = f"{value!r} stands twice, first in line {lines[value]}"
                raise _Twice(problem=why, problem_mark=key.start_mark)
            lines[value] = key.start_mark.line + 1
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def read(file: Path) -> Any:
    """What a file says; it is shared by all who read the same text, so nobody may change it.

    Raises:
        DpfairError: the file is not YAML, or a key stands twice: one line with the file, the line and the key.
        OSError: it cannot be read.
    """
    try:
        return _parsed(file.read_text(encoding="utf-8"))
    except _Twice as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise DpfairError(f"{file.name}, line {line}: the key {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DpfairError(f"{file.name} is not YAML: {' '.join(str(error).split())}") from error


@lru_cache(maxsize=256)
def _parsed(text: str) -> Any:
    """What a text says; a paper's deviations are asked for by each of its artefacts."""
    return yaml.load(text, Loader=_Loader)  # a safe loader
