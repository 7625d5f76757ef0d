"""Model files: the random numbers of a released fit, the public content, and its restoring.

A model file depends only on the outputs of mechanisms and on public facts. The file contains no
score, no count or hash of the data, and no path. If fits on neighbouring data have equal releases,
the files are equal to the byte.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.errors import DpfairError, how_to_install
from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.guarantees import FitGuarantee
from dpfair_cli.contracts.results import Classifier, RecordGenerator, Result
from dpfair_cli.contracts.training_context import CPU
from dpfair_cli.mechanisms.secure import SecureGenerator

FORMAT = 4
CHECKSUM = "crc32"  # the last key of a model file
# errors of a file that is no model, or damaged
UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    DpfairError,
)


@dataclass(frozen=True)
class Origin:
    """The public facts about the training of a model.

    Attributes:
        options: the options of the data source, without options that are files.
        params: every parameter of the algorithm.
        versions: the versions of the data source, the study and the algorithm.
        columns: the names of the features.
        replica: whether the data are a synthetic replica, which contains nothing private.
        table: the description by which `dpfair predict` reads a user's table; empty for other data.
        device: the device on which a network was trained; a file names it unless it is the
            processor.
    """

    dataset: str
    options: Mapping[str, Any]
    algorithm: str
    params: Mapping[str, Any]
    versions: Mapping[str, int]
    columns: tuple[str, ...]
    guarantee: FitGuarantee
    replica: bool = False
    table: Mapping[str, Any] = field(default_factory=dict)
    device: str = CPU.name


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


def load(path: Path | str) -> Classifier:
    """The classifier in a file that `dpfair train --save` wrote.

    The classifier decides about records with the columns that the file names.

    Raises:
        DpfairError: the file is damaged or is not a classifier of this format, or the classifier
            is a network and torch is not installed.
    """
    model: Any = {}
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        # said last: a file of another kind or version has its own message
        intact = is_intact(content)
        model = content["model"] if content["format"] == FORMAT else {}
        restored: Classifier = catalog.models.module(model["form"]).restore(model)
    except ImportError as error:
        raise DpfairError(f"networks for images need torch: {how_to_install(['torch'])}") from error
    except UNREADABLE as error:
        if isinstance(model, dict) and "edges" in model:
            raise DpfairError(
                f"the model in {path} must be a classifier, got a graph: train a method that makes "
                "decisions"
            ) from error
        raise DpfairError(
            f"{path} must be a dpfair model of format {FORMAT}: train the model again if an "
            "older version of dpfair wrote the file"
        ) from error
    with blaming(path):
        if not intact:
            raise ValueError("the checksum is of another content")
    return restored


@contextmanager
def blaming(path: Path | str) -> Iterator[None]:
    """A context in which an error of a restored model says that its file is damaged.

    Raises:
        DpfairError: the file has another content than the one that was written.
    """
    try:
        yield
    except UNREADABLE as error:
        raise DpfairError(
            f"{path} is damaged, it was changed after it was written: restore the file, or train "
            "and save the model again"
        ) from error


def load_generator(path: Path | str) -> RecordGenerator:
    """The generator of records in a file that `dpfair train --save` wrote; errors as `load`."""
    model: object = load(path)
    if not isinstance(model, RecordGenerator):
        raise DpfairError(
            f"the model in {path} must be a generator of records, but it makes none: train a "
            "method that generates records, such as dp_marginal_records"
        )
    return model


def saved_guarantee(path: Path | str) -> dict[str, str]:
    """The parts of the privacy guarantee in a model file that can be loaded, by name."""
    found: dict[str, str] = json.loads(Path(path).read_text(encoding="utf-8"))["guarantee"]
    return found


def saved_table(path: Path | str) -> dict[str, Any]:
    """The description of a user's table in a model file that can be loaded; empty without one."""
    found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8")).get("table", {})
    return found
