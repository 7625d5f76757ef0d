"""JSON Schema of an annotation: the values that `conversion.py` accepts, for editors.

The forms of annotations are those of `conversion.py`. The dialect is draft 7, which the language
servers of editors read for YAML. A schema accepts every value that the converter accepts; some
conditions, such as a multiple of a unit or a text of ranges, are checked by the converter alone.
"""

from __future__ import annotations

import ast
import collections.abc as abc
import inspect
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from dpfair_cli.contracts.conversion import ONE_OR_MORE, field_types
from dpfair_cli.contracts.parameters import Above, AtLeast, AtMost, Below, Between

Schema = dict[str, Any]

DIALECT = "http://json-schema.org/draft-07/schema#"
NUMBER: Schema = {"anyOf": [{"type": "number"}, {"const": "inf"}]}
RANGE: Schema = {"type": "string", "description": "a range of numbers, such as 0.01..10"}
PLAIN: Mapping[Any, Schema] = {
    float: NUMBER,
    int: {"type": "integer"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    Any: {},
}


def schema_of(annotation: Any) -> Schema:
    """The schema of the values that an annotation allows; empty if the values are not checked."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(argument) for argument in arguments]}
    if origin is Annotated:
        return _annotated(schema_of(arguments[0]), arguments)
    if origin is tuple:
        return _tuple(arguments)
    if origin is abc.Mapping:
        return {"type": "object", "additionalProperties": schema_of(arguments[-1])}
    if is_dataclass(annotation):
        return record(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {"enum": [member.value for member in annotation]}
    return PLAIN.get(annotation, {})


def record(form: Any, *, without: Sequence[str] = ()) -> Schema:
    """The schema of a mapping with the fields of a dataclass, except the fields `without`.

    The description of a field is its docstring.
    """
    words, types = field_words(form), field_types(form)
    shown = [field for field in fields(form) if field.name not in without]
    required = [
        field.name
        for field in shown
        if field.default is MISSING and field.default_factory is MISSING
    ]
    properties = {
        field.name: described(schema_of(types[field.name]), words.get(field.name, ""))
        for field in shown
    }
    return mapping(properties, required)


def mapping(properties: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """The schema of a mapping that has no other keys than these."""
    found: Schema = {"type": "object", "properties": dict(properties)}
    if required:
        found["required"] = list(required)
    return found | {"additionalProperties": False}


def described(schema: Schema, words: str) -> Schema:
    """A schema with a description, which editors show; unchanged without words."""
    return {"description": words, **schema} if words else schema


def one_or_more(schema: Schema) -> Schema:
    """The schema of a value, or of a list of such values."""
    return {"anyOf": [schema, {"type": "array", "items": schema}]}


def _annotated(inner: Schema, arguments: tuple[Any, ...]) -> Schema:
    """The schema of a value in ranges, or of one value in place of a list."""
    if ONE_OR_MORE in arguments:
        return {"anyOf": [inner["items"], inner]}
    bounds: Schema = {}
    for allowed in arguments[1:]:
        bounds |= _bounds(allowed)
    return {"allOf": [inner, bounds]} if bounds else inner


def _bounds(allowed: Any) -> Schema:
    """The keywords of a range; empty if JSON Schema cannot express the condition."""
    match allowed:
        case Above(low):
            return {"exclusiveMinimum": low}
        case AtLeast(low):
            return {"minimum": low}
        case AtMost(high):
            return {"maximum": high}
        case Below(high) if math.isfinite(high):
            return {"exclusiveMaximum": high}
        case Between(low, high):
            return {"exclusiveMinimum": low, "exclusiveMaximum": high}
    return {}


def _tuple(arguments: tuple[Any, ...]) -> Schema:
    """The schema of a list of fixed length, or of any length."""
    if arguments[-1] is not ...:
        items = [schema_of(argument) for argument in arguments]
        length = {"minItems": len(items), "maxItems": len(items)}
        return {"type": "array", "items": items, **length}
    inner = schema_of(arguments[0])
    if arguments[0] is str:
        return {"type": "array", "items": inner}
    is_number = arguments[0] in (float, int) or get_origin(arguments[0]) is Annotated
    ranges = [RANGE] if is_number else []
    return {"anyOf": [*one_or_more(inner)["anyOf"], *ranges]}


@cache
def field_words(form: type) -> dict[str, str]:
    """The docstring below each field of a dataclass and of its bases, as one line.

    Empty where the source of the class is not there.
    """
    found: dict[str, str] = {}
    for one in reversed(form.__mro__):
        if is_dataclass(one):
            found |= _own_words(one)
    return found


def _own_words(form: type) -> dict[str, str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(form)))
    except OSError:
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
