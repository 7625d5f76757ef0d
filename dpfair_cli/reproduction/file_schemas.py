"""JSON Schemas of the YAML files of a paper, made of the annotations with which they are read.

An editor with a language server for YAML checks a file whose first line names its schema:

    # yaml-language-server: $schema=../schema/claims.schema.json

`dpfair new schemas` writes the schemas, with the methods, data sets, tasks and layouts that are
installed. The commands check more than a schema can say.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpfair_cli import catalog, reanalysis
from dpfair_cli.catalog import Registry
from dpfair_cli.contracts.annotations import (
    DIALECT,
    JsonSchema,
    described,
    mapping_schema,
    one_or_more,
    record_schema,
    schema_of,
)
from dpfair_cli.contracts.declarations import Declaration
from dpfair_cli.contracts.files import as_text, write_text
from dpfair_cli.contracts.specs import PrintedShape
from dpfair_cli.running import spec, spec_entries
from dpfair_cli.running.spec import REANALYSIS_KEYS
from dpfair_cli.verdicts.claims.claim import Claim, ClaimPart
from dpfair_cli.verdicts.claims.predicates import KINDS, Predicate, is_flat
from dpfair_cli.verdicts.deviations.deviation import KEYS, REQUIRED_KEYS, Deviation

FOLDER = "experiments/schema"
FILLED_IN = ("claim", "tested_parts")  # fields of a part of a claim that are not in claims.yaml
DECIDED_BY = ("holds", "theorem", "not_testable", "undecided")
TYPES: Mapping[Any, str] = {str: "string", int: "integer", list: "array", dict: "object"}
TEXT: JsonSchema = {"type": "string"}
NAMES: JsonSchema = {"type": "array", "items": TEXT}
MAPPINGS: JsonSchema = {"type": "object", "additionalProperties": {"type": "object"}}
TASK_KEYS: Mapping[str, JsonSchema] = {
    "variants": MAPPINGS,
    "chosen_by": TEXT,
    spec_entries.CHOSEN_BY_CELLS: NAMES,
}
DATA_KEYS: Mapping[str, JsonSchema] = {"variant": TEXT, "methods": NAMES}
FIT_KEYS: Mapping[str, JsonSchema] = {  # of an entry of `algorithms`
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


def texts() -> dict[str, str]:
    """The schemas as JSON, by the names of their files."""
    makers = {
        "spec": (of_specs, "A spec of dpfair: a table or figure of a paper"),
        "claims": (of_claims, "claims.yaml of dpfair: sentences of a paper"),
        "deviations": (of_deviations, "deviations.yaml of dpfair: explanations"),
    }
    return {
        f"{name}.schema.json": as_text({"$schema": DIALECT, "title": title, **make()})
        for name, (make, title) in makers.items()
    }


def write(project: Path) -> list[Path]:
    """Writes all schemas into the folder of a project; returns the paths."""
    folder = project / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    found = texts()
    for name, text in found.items():
        write_text(folder / name, text)
    return [folder / name for name in found]


def of_claims() -> JsonSchema:
    """The schema of claims.yaml: each entry has `parts`, or the keys of a part directly."""
    claim = record_schema(Claim)["properties"]
    part = record_schema(ClaimPart, without=FILLED_IN)["properties"]
    predicate = one_or_more({"$ref": "#/definitions/predicate"})
    for key in ("holds", "counts"):
        part[key] = described(predicate, part[key]["description"])
    whole = {key: schema for key, schema in part.items() if key != "part"}
    decided: JsonSchema = {"oneOf": [{"required": [key]} for key in DECIDED_BY]}
    parts: JsonSchema = {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/part"}}
    predicates: JsonSchema = {"type": "array", "items": {"$ref": "#/definitions/predicate"}}
    either = mapping_schema({"either": predicates}, ["either"])
    return {
        "type": ["array", "null"],
        "items": {
            "if": {"required": ["parts"]},
            "then": mapping_schema({**claim, "parts": parts}, ["id", "quote", "place", "parts"]),
            "else": {
                **mapping_schema({**claim, **whole}, ["id", "quote", "place", "artefact"]),
                **decided,
            },
        },
        "definitions": {
            "part": {**mapping_schema(part, ["artefact"]), **decided},
            "predicate": {"anyOf": [*map(_of_predicate, KINDS), either]},
        },
    }


def _of_predicate(kind: str) -> JsonSchema:
    """The schema of a predicate with a statement of a kind, such as "trend"."""
    statement = record_schema(KINDS[kind])
    own = statement["properties"] if is_flat(kind) else {kind: statement}
    shared = record_schema(Predicate, without=["statement"])["properties"]
    return mapping_schema({**own, **shared}, [kind, "metric"])


def of_deviations() -> JsonSchema:
    """The schema of deviations.yaml; a key without a fixed meaning is a column of a cell."""
    own = record_schema(Deviation)["properties"]
    required = [
        {
            "if": {"properties": {"kind": {"const": str(kind)}}, "required": ["kind"]},
            "then": {"required": list(keys)},
        }
        for kind, keys in REQUIRED_KEYS.items()
    ]
    scalar: JsonSchema = {"type": ["string", "number", "boolean"]}
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


def of_specs() -> JsonSchema:
    """The schema of a spec, with exactly one key that names a layout."""
    layouts = {name: record_schema(catalog.layout(name)) for name in catalog.layouts.names}
    keys = {key: _plain(kind) for key, kind in spec.TOP_KEYS.items()} | {
        "task": _named_or_whole(_installed(catalog.studies, TASK_KEYS)),
        "datasets": _list_of(_installed(catalog.data_sources, DATA_KEYS)),
        "algorithms": _list_of(_installed(catalog.algorithms, FIT_KEYS)),
        "reanalysis": _reanalysis(),
        "per_dataset": MAPPINGS,
        "variants": MAPPINGS,
        "labels": {"type": "object", "additionalProperties": TEXT},
        "printed": record_schema(PrintedShape),
        "seeds": {"type": "integer", "minimum": 1},
        "published_runs": {"type": "integer", "minimum": 1},
    }
    quick = {key: {"$ref": f"#/properties/{key}"} for key in spec.QUICK_KEYS}
    return {
        **mapping_schema({**keys, "quick": mapping_schema(quick), **layouts}),
        "oneOf": [{"required": [name]} for name in layouts],
        "anyOf": [{"required": list(needed)} for needed in (spec.NEEDED_KEYS, REANALYSIS_KEYS)],
    }


def _plain(kind: Any) -> JsonSchema:
    """The schema of a key whose type in Python is one type, or one of several."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    names = [TYPES[one] for one in kinds]
    return {"type": names[0] if len(names) == 1 else names}


def _named_or_whole(entry: JsonSchema) -> JsonSchema:
    """The schema of an entry, for which its name alone may stand."""
    return {"anyOf": [entry["properties"]["name"], entry]}


def _list_of(entry: JsonSchema) -> JsonSchema:
    """The schema of a list of such entries."""
    return {"type": "array", "minItems": 1, "items": _named_or_whole(entry)}


def _reanalysis() -> JsonSchema:
    """The schema of the comparisons of printed values, with the rules that judge them."""
    pairs = _entry("comparison", reanalysis.DATASET, {"variant": TEXT})
    rules = _entry("rule", reanalysis.ALGORITHM, {"method": TEXT})
    keys = {"comparisons": _list_of(pairs), "rules": _list_of(rules), "counted": NAMES}
    return mapping_schema(keys, ["comparisons", "rules"])


def _installed(registry: Registry[Any], keys: Mapping[str, JsonSchema]) -> JsonSchema:
    """The schema of an entry that names an installed method, data set or task."""
    declared = {name: registry.find(name) for name in registry.names}
    return _entry(registry.noun, declared, keys)


def _entry(
    noun: str,
    declared: Mapping[str, Declaration],
    keys: Mapping[str, JsonSchema],
) -> JsonSchema:
    """The schema of a mapping with a name and with parameters of the declaration of this name.

    A list of values of a parameter is an axis. A name that is not installed here may have any
    parameters.
    """
    known = []
    for name, declaration in declared.items():
        parameters = declaration.parameters.items()
        own = {key: one_or_more(schema_of(one.annotation)) for key, one in parameters}
        allowed = {"propertyNames": {"enum": ["name", *keys, *own]}, "properties": own}
        condition = {"properties": {"name": {"const": name}}, "required": ["name"]}
        known.append({"if": condition, "then": allowed})
    # the names are proposed by an editor, and a name of another package is no mistake
    names: JsonSchema = {"anyOf": [{"enum": list(declared)}, TEXT]}
    return {
        "type": "object",
        "properties": {"name": described(names, f"a {noun}"), **keys},
        "required": ["name"],
        "allOf": known,
    }
