"""The file dpfair.yaml in the working folder: facts about your own table that are typed once.

    file: people.csv
    label: hired
    protected: sex
    positive: yes
    domain: people.yaml

`domain`, `train`, `sweep` and `audit` use these values for this file; options of the command win.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from yaml import YAMLError

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import read_yaml_texts

NAME = "dpfair.yaml"
KEYS = ("file", "label", "protected", "positive", "domain")
BARE = re.compile(r":\s*(>=?\s*\S+)")  # a comparison, which YAML reads as a text only in quotes


def read(folder: Path) -> dict[str, str]:
    """The values of dpfair.yaml in a folder, as texts; empty if there is no such file.

    Raises:
        DpfairError: the file is not a mapping, a key is unknown, `file` is missing, or a value is
            not a text or a number.
    """
    path = folder / NAME
    if not path.is_file():
        return {}
    # every value stays the text that was written, so that `positive: yes` is not true
    content, *others = [*_documents(path), None]
    if not isinstance(content, Mapping) or others != [None]:
        raise DpfairError(f"{path} must have lines `key: value` with the keys {', '.join(KEYS)}")
    for key, value in content.items():
        if key not in KEYS:
            raise DpfairError(f"{path}: unknown key {key!r}: {nearest(str(key), KEYS)}")
        if not (isinstance(value, str) and value):
            raise DpfairError(f"{path}: {key} must be a text or a number, got {value!r}")
    if "file" not in content:  # the other values are about this file
        raise DpfairError(f"{path}: give a value for file, the path of your table")
    return dict(content)


def _documents(path: Path) -> list[Any]:
    """The documents of a YAML file; the error for a comparison without quotes says what to do."""
    try:
        return read_yaml_texts(str(path))
    except DpfairError as error:
        text = path.read_text(encoding="utf-8") if isinstance(error.__cause__, YAMLError) else ""
        bare = BARE.search(text)
        if bare:
            raise DpfairError(f"{path}: put {bare[1]} in quotes: '{bare[1]}'") from error
        raise


def completed(given: Mapping[str, str], dataset: str, folder: Path) -> dict[str, str]:
    """The options in `given`, completed from dpfair.yaml if its `file` is the file `dataset`."""
    written = read(folder)
    if not written or not _is_same(folder / written.pop("file"), folder / dataset):
        return dict(given)
    return written | dict(given)  # options win


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)
