"""Model files: the random numbers of a released fit, and the public content of the file.

A model file depends only on the outputs of mechanisms and on public facts. The file contains no
score, no count or hash of the data, and no path. If fits on neighbouring data have equal releases,
the files are equal to the byte.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.guarantees import FitGuarantee
from dpfair_cli.contracts.results import Result
from dpfair_cli.contracts.training_context import CPU
from dpfair_cli.mechanisms.secure import SecureGenerator

FORMAT = 4
CHECKSUM = "crc32"  # the last key of a model file


@dataclass(frozen=True)
class Origin:
    """The public facts about the training of a model."""

    dataset: str
    options: Mapping[str, Any]
    """The options of the data source, without options that are files."""
    algorithm: str
    params: Mapping[str, Any]
    """Every parameter of the algorithm."""
    versions: Mapping[str, int]
    """The versions of the data source, the study and the algorithm."""
    columns: tuple[str, ...]
    """The names of the features."""
    guarantee: FitGuarantee
    replica: bool = False
    """Whether the data are a synthetic replica, which contains nothing private."""
    table: Mapping[str, Any] = field(default_factory=dict)
    """The description by which `dpfair predict` reads a user's table; empty for other data."""
    device: str = CPU.name
    """The device on which a network was trained; a file names it unless it is the processor."""


def release_generator(seed: int | None, named_by: Mapping[str, Any]) -> np.random.Generator:
    """The random generator of a fit that is released.

    The random numbers come from the operating system, or from a known seed. A seed is hashed
    together with everything that identifies the fit, including the data, so that no two fits share
    noise.
    """
    if seed is None:
        return SecureGenerator()  # no seed is stored, from which the noise could be computed
    names = json.dumps({"seed": seed, **named_by}, sort_keys=True)
    return np.random.default_rng(int.from_bytes(hashlib.sha256(names.encode()).digest()))


def content(model: Result, origin: Origin) -> str:
    """The text of a model file as JSON; a DpfairError if the format cannot store the model."""
    chosen = {"options": as_json(origin.options), "params": as_json(origin.params)}
    facts = {**vars(origin), **chosen, "guarantee": origin.guarantee.in_words()}
    if not origin.table:
        del facts["table"]
    if origin.device == CPU.name:
        del facts["device"]
    facts = {"format": FORMAT, **facts, "model": model.saved()}
    return json.dumps(facts | {CHECKSUM: _checksum(facts)}, indent=2) + "\n"


def is_intact(content: Mapping[str, Any]) -> bool:
    """Whether the content of a model file ends with its checksum; older files have none."""
    facts = dict(content)
    if [*facts][-1:] == ["model"]:
        return True
    stored: str | None = facts.pop(CHECKSUM, None)
    return stored == _checksum(facts)


def _checksum(facts: Mapping[str, Any]) -> str:
    """The CRC-32 of the content of a model file without its checksum."""
    return f"{crc32(json.dumps(facts).encode()):08x}"


def write(path: Path, model: Result, origin: Origin) -> None:
    """Writes a model to a file; errors as `content`."""
    write_text(path, content(model, origin))
