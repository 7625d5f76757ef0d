"""The domain of generated records in a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpfair_cli.kinds.records import Domain


def saved_domain(domain: Domain) -> dict[str, Any]:
    """The fields of a domain that the decoding of generated records needs, as JSON."""
    return {
        "attributes": {name: list(places) for name, places in domain.attributes.items()},
        "columns": list(domain.columns),
        "groups": list(domain.groups),
        "values": {name: list(values) for name, values in domain.values.items()},
    }


def restored_domain(saved: Mapping[str, Any]) -> Domain:
    """The domain of generated records that a model file holds."""
    attributes = {name: tuple(places) for name, places in saved["attributes"].items()}
    values = {name: tuple(map(_value, known)) for name, known in saved["values"].items()}
    return Domain(tuple(saved["columns"]), attributes, tuple(saved["groups"]), values=values)


def _value(saved: Any) -> Any:
    """A level of a column, or the two ends of a bin, from the JSON of a model file."""
    return saved if isinstance(saved, str) else tuple(saved)
