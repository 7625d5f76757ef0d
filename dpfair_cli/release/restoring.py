"""Restores models from the files that `saving.py` writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError, how_to_install
from dpfair_cli.contracts.results import Classifier, RecordGenerator
from dpfair_cli.release.saving import FORMAT, is_intact

# errors of a file that is no model, or damaged
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError, DpfairError)


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
    if not intact:
        raise DpfairError(
            f"{path} is damaged, it was changed after it was written: restore the file, or train "
            "and save the model again"
        )
    return restored


def load_generator(path: Path | str) -> RecordGenerator:
    """The generator of records in a file that `dpfair train --save` wrote; errors as `load`."""
    model: object = load(path)
    if not isinstance(model, RecordGenerator):
        raise DpfairError(
            f"the model in {path} must be a generator of records, got a {type(model).__name__}: "
            "train a method that generates records"
        )
    return model


def saved_guarantee(path: Path | str) -> dict[str, str]:
    """The parts of the privacy guarantee in a model file that can be loaded, by name."""
    found: dict[str, str] = json.loads(Path(path).read_text(encoding="utf-8"))["guarantee"]
    return found
