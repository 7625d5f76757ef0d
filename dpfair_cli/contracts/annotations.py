"""What an annotation of a parameter allows, in words and as JSON Schema.

`dpfair info` prints the words, and editors read the schemas. The forms of annotations are those of
`conversion.py`. A schema accepts every value that the converter accepts; some conditions, such as a
multiple of a unit or a text of ranges, are checked by the converter alone.

The meaning of a parameter stands in the section `Args:` of the docstring of its function, as in
`rounds: The number of rounds of the game.`, or, for a field of a dataclass argument, in the
docstring below the field. The parameters in SHARED mean the same everywhere and need no line.
"""

from __future__ import annotations

import ast
import collections.abc as abc
import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from dpfair_cli.contracts.conversion import ONE_OR_MORE, field_types, needed_fields
from dpfair_cli.contracts.parameters import (
    Above,
    AtLeast,
    AtMost,
    Below,
    Between,
    MultipleOf,
    parameters,
)

JsonSchema = dict[str, Any]

# draft 7, which the language servers of editors read for YAML
DIALECT = "http://json-schema.org/draft-07/schema#"
RANGE: JsonSchema = {"type": "string", "description": "a range of numbers, such as 0.01..10"}
PLAIN: Mapping[Any, JsonSchema] = {
    float: {"anyOf": [{"type": "number"}, {"const": "inf"}]},  # JSON has no infinity
    int: {"type": "integer"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
}
WORDS = {float: "a number", int: "a whole number", str: "text", bool: "true or false"}
SHARED = {
    "epsilon": "The privacy loss of the whole fit; inf means no privacy.",
    "delta": "The failure probability of the guarantee of the whole fit.",
    "encoding": "How columns become features.",
    "file": "The path of your file.",
    "label": "The label column.",
    "protected": "The column that defines the groups.",
    "positive": "The favourable value of the label column.",
    "domain": "The path of the YAML file with public ranges and levels.",
    "records": "The number of records that are drawn.",
    "test_fraction": "The share of the records on which the scores are computed.",
    "train_size": "The number of records that are used for training.",
}
SECTION = re.compile(r"^Args:\n((?: +.*\n?)+)", re.MULTILINE)
ENTRY = re.compile(r"^    (\w+): (.*(?:\n     +.*)*)", re.MULTILINE)


def meanings(function: Callable[..., Any]) -> dict[str, str]:
    """The meaning of each parameter of a function; empty where none is written down."""
    section = SECTION.search(inspect.getdoc(function) or "")
    entries = ENTRY.findall(section[1]) if section else []
    written = SHARED | {name: " ".join(words.split()) for name, words in entries}
    arguments, found = inspect.signature(function).parameters, {}
    for name, one in parameters(function).items():
        # a field of a dataclass has its docstring only, also if its name is one of SHARED
        own = field_words(arguments[one.group].default.__class__) if one.group else written
        found[name] = own.get(name, "")
    return found


@cache
def field_words(form: Any) -> dict[str, str]:
    """The docstring below each field of a dataclass and of its bases, as one line.

    Empty where the source of the class is not there.
    """
    found: dict[str, str] = {}
    for one in reversed(form.__mro__):
        if is_dataclass(one):
            found |= dict(_own_words(one))
    return found


def _own_words(form: Any) -> Iterator[tuple[str, str]]:
    """Yields (field, words) for the fields that a class itself declares.

    The words stand in the section `Attributes:` of its docstring, or in the docstring below the
    field; the latter only where the source of the class is there.
    """
    section = inspect.cleandoc(form.__doc__ or "").partition("Attributes:\n")[2]
    yield from ((name, " ".join(words.split())) for name, words in ENTRY.findall(section))
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(form))).body
    except OSError:
        return
    for field, docstring in pairwise(getattr(definition, "body", ())):
        match field, docstring:
            case (
                ast.AnnAssign(target=ast.Name(name)),
                ast.Expr(value=ast.Constant(value=str(words))),
            ):
                yield name, " ".join(words.split())


def allowed_values(annotation: Any) -> str:
    """The values that an annotation allows, such as "a number above 0" or "box, ball"."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return f"one of {', '.join(map(repr, arguments))}"
    if origin is Annotated:
        kind, *ranges = arguments
        limits = filter(None, (_limit(one)[0] for one in ranges))
        return " ".join([allowed_values(kind), " and ".join(limits)]).strip()
    if origin is tuple:
        return f"a list, each {allowed_values(arguments[0])}"
    return WORDS.get(annotation, "")


def _limit(one: Any) -> tuple[str, JsonSchema]:
    """The limit that a range sets, in words and as keywords of JSON Schema.

    Both are empty for a mark that is no range. A condition that JSON Schema cannot express has no
    keywords.
    """
    match one:
        case Above(low):
            return f"above {low:g}", {"exclusiveMinimum": low}
        case AtLeast(low):
            return f"of at least {low:g}", {"minimum": low}
        case AtMost(high):
            return f"at most {high:g}", {"maximum": high}
        case Between(low, high):
            ends = {"exclusiveMinimum": low, "exclusiveMaximum": high}
            return f"between {low:g} and {high:g}", ends
        case Below(high) if math.isfinite(high):
            return f"below {high:g}", {"exclusiveMaximum": high}
        case Below():
            return "finite", {}
        case MultipleOf(unit):
            return f"that is a multiple of {unit}", {}
    return "", {}


def schema_of(annotation: Any) -> JsonSchema:
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
        return record_schema(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {"enum": [member.value for member in annotation]}
    return PLAIN.get(annotation, {})


def record_schema(form: Any, *, without: Sequence[str] = ()) -> JsonSchema:
    """The schema of a mapping with the fields of a dataclass, except the fields `without`.

    The description of a field is its docstring.
    """
    words, types = field_words(form), field_types(form)
    names = [field.name for field in fields(form) if field.name not in without]
    properties = {name: described(schema_of(types[name]), words.get(name, "")) for name in names}
    return mapping_schema(properties, [name for name in needed_fields(form) if name in names])


def mapping_schema(
    properties: Mapping[str, JsonSchema], required: Sequence[str] = ()
) -> JsonSchema:
    """The schema of a mapping that has no other keys than these."""
    needed = {"required": list(required)} if required else {}
    schema = {"type": "object", "properties": dict(properties), **needed}
    return schema | {"additionalProperties": False}


def described(schema: JsonSchema, words: str) -> JsonSchema:
    """A schema with a description, which editors show; unchanged without words."""
    return {"description": words, **schema} if words else schema


def one_or_more(schema: JsonSchema) -> JsonSchema:
    """The schema of a value, or of a list of such values."""
    return {"anyOf": [schema, {"type": "array", "items": schema}]}


def _annotated(inner: JsonSchema, arguments: tuple[Any, ...]) -> JsonSchema:
    """The schema of a value in ranges, or of one value in place of a list."""
    if ONE_OR_MORE in arguments:
        return {"anyOf": [inner["items"], inner]}
    bounds: JsonSchema = {}
    for allowed in arguments[1:]:
        bounds |= _limit(allowed)[1]
    return {"allOf": [inner, bounds]} if bounds else inner


def _tuple(arguments: tuple[Any, ...]) -> JsonSchema:
    """The schema of a list of fixed length, or of any length."""
    if arguments[-1] is not ...:
        items = [schema_of(argument) for argument in arguments]
        length = {"minItems": len(items), "maxItems": len(items)}
        return {"type": "array", "items": items, **length}
    inner = schema_of(arguments[0])
    # one text is no list of texts, since a name that was meant as a list would be split
    if arguments[0] is str:
        return {"type": "array", "items": inner}
    is_number = arguments[0] in (float, int) or get_origin(arguments[0]) is Annotated
    ranges = [RANGE] if is_number else []
    return {"anyOf": [*one_or_more(inner)["anyOf"], *ranges]}
