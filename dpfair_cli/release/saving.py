"""The one door through which a model leaves: its noise, what its file may say, and the file.

A model file is a function of what mechanisms released and of public facts alone: no score, no count
and no hash of the data, no path. Fits to neighbouring data that release the same give the same
bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.errors import naming
from dpfair_cli.contracts.guarantees import FitGuarantee
from dpfair_cli.contracts.results import Result
from dpfair_cli.mechanisms.secure import SecureGenerator

FORMAT = 4


@dataclass(frozen=True)
class Origin:
    """The public facts about the training of a model."""

    dataset: str
    """The name of the data source."""

    options: Mapping[str, Any]
    """Its options, without those that are files."""

    algorithm: str
    """The name of the algorithm."""

    params: Mapping[str, Any]
    """Every parameter of the algorithm."""

    versions: Mapping[str, int]
    """The versions of the data source, the study and the algorithm."""

    columns: tuple[str, ...]
    """The names of the features."""

    guarantee: FitGuarantee
    """What is guaranteed of the fit."""

    replica: bool = False
    """Whether the data are a synthetic stand-in, of which nothing is private."""

    table: Mapping[str, Any] = field(default_factory=dict)
    """How `dpfair predict` reads a user's table; empty for other data."""


def release_generator(seed: int | None, named_by: Mapping[str, Any]) -> np.random.Generator:
    """The random generator of a fit that is released.

    Its numbers are from the operating system, or from a known seed. The seed is hashed together
    with everything that identifies the fit, data included, so that no two fits share noise.
    """
    if seed is None:
        return SecureGenerator()
    names = json.dumps({"seed": seed, **named_by}, sort_keys=True)
    return np.random.default_rng(int.from_bytes(hashlib.sha256(names.encode()).digest()))


def content(model: Result, origin: Origin) -> str:
    """The text of a model file as JSON.

    Raises:
        DpfairError: the model is no linear rule, graph, network or table of vectors, and the format
            cannot hold it.
    """
    chosen = {"options": as_json(origin.options), "params": as_json(origin.params)}
    facts = {**vars(origin), **chosen, "guarantee": origin.guarantee.in_words()}
    if not origin.table:
        del facts["table"]
    return json.dumps({"format": FORMAT, **facts, "model": model.saved()}, indent=2) + "\n"


def write(path: Path, model: Result, origin: Origin) -> None:
    """Writes a model to a file.

    Raises:
        DpfairError: the format cannot hold the model.
    """
    text = content(model, origin)
    with naming(path):
        path.write_text(text, encoding="utf-8")
