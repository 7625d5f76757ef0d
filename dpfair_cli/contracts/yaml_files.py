"""Reading of YAML files: specs, claims, deviations, domain files and causal graphs.

A key that occurs twice in a mapping is refused, because YAML would silently keep the last value.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from dpfair_cli.contracts.errors import DpfairError

TOO_DEEP = "has lists or mappings inside each other, too deep to be read: write it flatter"
MERGE = "tag:yaml.org,2002:merge"  # `<<`, which may stand several times
FASTEST: Any = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # ten times faster where PyYAML was built with libyaml


class _Twice(yaml.MarkedYAMLError):
    """The error for a key that occurs twice in a mapping of a YAML file."""


class _Once:
    """A mixin for PyYAML's loaders that refuses a key which occurs twice in a mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        lines: dict[Any, int] = {}
        for key in (key for key, _ in node.value if key.tag != MERGE):
            value = self.construct_object(key, deep=True)  # type: ignore[attr-defined]
            if not isinstance(value, Hashable):
                break  # PyYAML refuses it
            if value in lines:
                why = f"{value!r} stands twice, first in line {lines[value]}"
                raise _Twice(problem=why, problem_mark=key.start_mark)
            lines[value] = key.start_mark.line + 1
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)  # type: ignore[misc]
        return mapping


class _Loader(_Once, FASTEST):  # type: ignore[misc]
    """PyYAML's safe loader with the check for repeated keys."""


class _TextLoader(_Once, yaml.BaseLoader):
    """A loader of YAML files that reads every scalar as text."""


def read(file: Path) -> Any:
    """The parsed content of a YAML file.

    Equal texts share one object, which therefore must not be changed.

    Raises:
        DpfairError: the file is not YAML, or a key occurs twice in a mapping.
        OSError: the file cannot be read.
    """
    try:
        return _parsed(file.read_text(encoding="utf-8"))
    except _Twice as error:
        raise DpfairError(_told(file.name, error)) from error
    except RecursionError:
        raise DpfairError(f"{file.name} {TOO_DEEP}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DpfairError(
            f"{file.name} must be valid YAML: {' '.join(str(error).split())}"
        ) from error


def read_texts(file: str) -> list[Any]:
    """The parsed documents of a user's YAML file, every scalar as text.

    Raises:
        DpfairError: the file cannot be read, is not YAML, or a key occurs twice in a mapping.
    """
    try:
        return list(
            yaml.load_all(Path(file).expanduser().read_text(encoding="utf-8"), Loader=_TextLoader)
        )
    except _Twice as error:
        raise DpfairError(_told(file, error)) from error
    except RecursionError:
        raise DpfairError(f"{file} {TOO_DEEP}") from None
    except FileNotFoundError:
        raise DpfairError(f"{file} does not exist: check the path") from None
    except IsADirectoryError:
        raise DpfairError(f"{file} is a folder: give the path of a file in it") from None
    except UnicodeDecodeError as error:
        raise DpfairError(
            f"{file} must be text in the encoding UTF-8: save the file in UTF-8"
        ) from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise DpfairError(f"{file} cannot be read: {' '.join(str(error).split())}") from error


def _told(file: str, error: _Twice) -> str:
    line = error.problem_mark.line + 1 if error.problem_mark else 0
    return f"{file}, line {line}: the key {error.problem}"


@lru_cache(maxsize=256)
def _parsed(text: str) -> Any:
    """The content of the YAML text `text`.

    The result is cached, since every artefact of a paper reads the same files.
    """
    return yaml.load(text, Loader=_Loader)  # a safe loader
