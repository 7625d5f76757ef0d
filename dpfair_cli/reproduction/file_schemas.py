"""JSON Schemas of the YAML files of a paper, made of the annotations with which they are read.

An editor with a language server for YAML checks a file whose first line names its schema:

    # yaml-language-server: $schema=../schema/claims.schema.json

`dpfair new schemas` writes the schemas, with the methods, data sets, tasks and layouts that are
installed. The commands check more than a schema can say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpfair_cli import catalog, reanalysis
from dpfair_cli.catalog.registry import Declarations
from dpfair_cli.contracts.declarations import Declaration
from dpfair_cli.contracts.json_schema import (
    DIALECT,
    Schema,
    described,
    mapping,
    one_or_more,
    record,
    schema_of,
)
from dpfair_cli.contracts.json_text import as_text
from dpfair_cli.contracts.specs import PrintedShape
from dpfair_cli.contracts.writing import write_text
from dpfair_cli.running import spec, spec_entries
from dpfair_cli.running.spec import REANALYSIS_KEYS
from dpfair_cli.verdicts.claims.claim import Claim, ClaimPart
from dpfair_cli.verdicts.claims.predicates import KINDS, Predicate, is_flat
from dpfair_cli.verdicts.deviations.deviation import KEYS, REQUIRED_KEYS, Deviation

FOLDER = "experiments/schema"
FILLED_IN = ("claim", "tested_parts")  # fields of a part of a claim that are not in claims.yaml
DECIDED_BY = ("holds", "theorem", "not_testable", "undecided")
TYPES: Mapping[Any, str] = {str: "string", int: "integer", list: "array", dict: "object"}
TEXT: Schema = {"type": "string"}
NAMES: Schema = {"type": "array", "items": TEXT}
MAPPINGS: Schema = {"type": "object", "additionalProperties": {"type": "object"}}
TASK_KEYS: Mapping[str, Schema] = {
    "variants": MAPPINGS,
    "chosen_by": TEXT,
    spec_entries.CHOSEN_BY_CELLS: NAMES,
}
DATA_KEYS: Mapping[str, Schema] = {"variant": TEXT, "methods": NAMES}
FIT_KEYS: Mapping[str, Schema] = {  # of an entry of `algorithms`
    "method": TEXT,
    "published": TEXT,
    "datasets": NAMES,
    "per_dataset": MAPPINGS,
    "variants": MAPPINGS,
    "chosen_by": TEXT,
    spec_entries.CHOSEN_BY_CELLS: NAMES,
    "seeds": {"type": "integer", "minimum": 0},
    "quick": {"type": "object"},
}


@dataclass(frozen=True)
class FileSchema:
    """The schema of one kind of file."""

    file: str
    """The name of the schema's file."""

    make: Callable[[], Schema]
    """`make()` is the schema, without its dialect and title."""

    title: str
    """What the schema is about."""

    @property
    def text(self) -> str:
        """The schema as JSON."""
        return as_text({"$schema": DIALECT, "title": self.title, **self.make()})


def write(project: Path) -> list[Path]:
    """Writes all schemas into the folder of a project; returns the paths."""
    folder = project / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for one in SCHEMAS:
        write_text(folder / one.file, one.text)
    return [folder / one.file for one in SCHEMAS]


def of_claims() -> Schema:
    """The schema of claims.yaml: each entry has `parts`, or the keys of a part directly."""
    claim = record(Claim)["properties"]
    part = record(ClaimPart, without=FILLED_IN)["properties"]
    predicate = one_or_more({"$ref": "#/definitions/predicate"})
    for key in ("holds", "counts"):
        part[key] = described(predicate, part[key]["description"])
    whole = {key: schema for key, schema in part.items() if key != "part"}
    decided: Schema = {"oneOf": [{"required": [key]} for key in DECIDED_BY]}
    parts: Schema = {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/part"}}
    predicates: Schema = {"type": "array", "items": {"$ref": "#/definitions/predicate"}}
    either = mapping({"either": predicates}, ["either"])
    return {
        "type": ["array", "null"],
        "items": {
            "if": {"required": ["parts"]},
            "then": mapping({**claim, "parts": parts}, ["id", "quote", "place", "parts"]),
            "else": {
                **mapping({**claim, **whole}, ["id", "quote", "place", "artefact"]),
                **decided,
            },
        },
        "definitions": {
            "part": {**mapping(part, ["artefact"]), **decided},
            "predicate": {"anyOf": [*map(_of_predicate, KINDS), either]},
        },
    }


def _of_predicate(kind: str) -> Schema:
    """The schema of a predicate with a statement of a kind, such as "trend"."""
    statement = record(KINDS[kind])
    own = statement["properties"] if is_flat(kind) else {kind: statement}
    shared = record(Predicate, without=["statement"])["properties"]
    return mapping({**own, **shared}, [kind, "metric"])


def of_deviations() -> Schema:
    """The schema of deviations.yaml; a key without a fixed meaning is a column of a cell."""
    own = record(Deviation)["properties"]
    required = [
        {
            "if": {"properties": {"kind": {"const": str(kind)}}, "required": ["kind"]},
            "then": {"required": list(keys)},
        }
        for kind, keys in REQUIRED_KEYS.items()
    ]
    scalar: Schema = {"type": ["string", "number", "boolean"]}
    return {
        "type": ["array", "null"],
        "items": {
            "type": "object",
            "properties": {key: own[key] for key in sorted(KEYS)},
            "required": ["kind", "cause"],
            "anyOf": [{"required": ["artefact"]}, {"required": ["claim"]}],
            "allOf": required,
            "additionalProperties": one_or_more(scalar),
        },
    }


def of_specs() -> Schema:
    """The schema of a spec, with exactly one key that names a layout."""
    layouts = {name: record(catalog.layout(name)) for name in catalog.layouts.names}
    shared = Definitions()
    keys = {key: _plain(kind) for key, kind in spec.TOP_KEYS.items()} | {
        "task": _named_or_whole(_installed(catalog.studies, TASK_KEYS, shared)),
        "datasets": _list_of(_installed(catalog.data_sources, DATA_KEYS, shared)),
        "algorithms": _list_of(_installed(catalog.algorithms, FIT_KEYS, shared)),
        "reanalysis": _reanalysis(shared),
        "per_dataset": MAPPINGS,
        "variants": MAPPINGS,
        "labels": {"type": "object", "additionalProperties": TEXT},
        "printed": record(PrintedShape),
        "seeds": {"type": "integer", "minimum": 1},
        "published_runs": {"type": "integer", "minimum": 1},
    }
    quick = {key: {"$ref": f"#/properties/{key}"} for key in spec.QUICK_KEYS}
    return {
        **mapping({**keys, "quick": mapping(quick), **layouts}),
        "oneOf": [{"required": [name]} for name in layouts],
        "anyOf": [{"required": list(needed)} for needed in (spec.NEEDED_KEYS, REANALYSIS_KEYS)],
        "definitions": shared.schemas,
    }


class Definitions:
    """Schemas of parameters that a document has once, and that others refer to."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def reference(self, name: str, schema: Schema) -> Schema:
        """A reference to the schema of a parameter; equal schemas of a name are one definition."""
        number = 1
        key = name
        while self.schemas.setdefault(key, schema) != schema:
            number += 1
            key = f"{name}-{number}"
        return {"$ref": f"#/definitions/{key}"}


def _plain(kind: Any) -> Schema:
    """The schema of a key whose type in Python is one type, or one of several."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    names = [TYPES[one] for one in kinds]
    return {"type": names[0] if len(names) == 1 else names}


def _named_or_whole(entry: Schema) -> Schema:
    """The schema of an entry, for which its name alone may stand."""
    return {"anyOf": [entry["properties"]["name"], entry]}


def _list_of(entry: Schema) -> Schema:
    return {"type": "array", "minItems": 1, "items": _named_or_whole(entry)}


def _reanalysis(shared: Definitions) -> Schema:
    """The schema of the comparisons of printed values, with the rules that judge them."""
    pairs = _entry("comparison", reanalysis.PAIRINGS, {"variant": TEXT}, shared)
    rules = _entry("rule", reanalysis.RULES, {"method": TEXT}, shared)
    keys = {"comparisons": _list_of(pairs), "rules": _list_of(rules), "counted": NAMES}
    return mapping(keys, ["comparisons", "rules"])


def _installed(
    registry: Declarations[Any], keys: Mapping[str, Schema], shared: Definitions
) -> Schema:
    """The schema of an entry that names an installed method, data set or task."""
    declared = {name: registry.find(name) for name in registry.names}
    return _entry(registry.noun, declared, keys, shared)


def _entry(
    noun: str,
    declared: Mapping[str, Declaration],
    keys: Mapping[str, Schema],
    shared: Definitions,
) -> Schema:
    """The schema of a mapping with a name and with parameters of the declaration of this name.

    A list of values of a parameter is an axis. A name that is not installed here may have any
    parameters.
    """
    known = []
    for name, declaration in declared.items():
        own = {
            key: shared.reference(key, one_or_more(schema_of(parameter.annotation)))
            for key, parameter in declaration.parameters.items()
        }
        allowed = {"propertyNames": {"enum": ["name", *keys, *own]}, "properties": own}
        condition = {"properties": {"name": {"const": name}}, "required": ["name"]}
        known.append({"if": condition, "then": allowed})
    names: Schema = {"anyOf": [{"enum": list(declared)}, TEXT]}
    return {
        "type": "object",
        "properties": {"name": described(names, f"a {noun}"), **keys},
        "required": ["name"],
        "allOf": known,
    }


SCHEMAS = (
    FileSchema("spec.schema.json", of_specs, "A spec of dpfair: a table or figure of a paper"),
    FileSchema("claims.schema.json", of_claims, "claims.yaml of dpfair: sentences of a paper"),
    FileSchema("deviations.schema.json", of_deviations, "deviations.yaml of dpfair: explanations"),
)
