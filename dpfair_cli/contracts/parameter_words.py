"""The meaning and the allowed values of parameters, in words.

The meaning of a parameter stands in the section `Args:` of the docstring of its function, as in
`rounds: The number of rounds of the game.`, or, for a field of a dataclass argument, in the
docstring below the field.

The parameters in SHARED mean the same everywhere and need no line. The allowed values follow from
the annotation.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from textwrap import dedent
from typing import Annotated, Any, Literal, get_args, get_origin

from dpfair_cli.contracts.parameters import (
    REQUIRED,
    Above,
    AtLeast,
    AtMost,
    Below,
    Between,
    MultipleOf,
    Parameter,
    parameters,
)

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
KINDS = {float: "a number", int: "a whole number", str: "text", bool: "true or false"}
SECTION = re.compile(r"^Args:\n((?: +.*\n?)+)", re.MULTILINE)
ENTRY = re.compile(r"^    (\w+): (.*(?:\n     +.*)*)", re.MULTILINE)


def meanings(function: Callable[..., Any]) -> dict[str, str]:
    """The meaning of each parameter of a function; empty where none is written down."""
    written = SHARED | _section(inspect.getdoc(function) or "")
    fields: dict[str, str] = {}
    for argument in inspect.signature(function).parameters.values():
        if argument.name in {one.group for one in parameters(function).values()}:
            fields |= _field_docstrings(argument.default.__class__)
    return {
        name: (fields if one.group else written).get(name, "")
        for name, one in parameters(function).items()
    }


def _section(docstring: str) -> dict[str, str]:
    """The entries of the section `Args:` of a docstring, each as one line."""
    section = SECTION.search(docstring)
    found = ENTRY.findall(section[1]) if section else []
    return {name: " ".join(words.split()) for name, words in found}


def _field_docstrings(form: type[Any]) -> dict[str, str]:
    """The docstring below each field of a dataclass, by the name of the field."""
    (definition,) = ast.parse(dedent(inspect.getsource(form))).body
    return dict(_documented(getattr(definition, "body", [])))


def _documented(statements: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yields (field, docstring) for the fields among the statements of a class."""
    for field, docstring in pairwise(statements):
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
        limits = [words for one in ranges if (words := _limit(one))]
        return " ".join([allowed_values(kind), " and ".join(limits)]).strip()
    if origin is tuple:
        return f"a list, each {allowed_values(arguments[0])}"
    return KINDS.get(annotation, "")


def _limit(one: Any) -> str:
    """The limit that a range sets, such as "above 0"; empty for a mark that is no range."""
    match one:
        case Above(low):
            return f"above {low:g}"
        case AtLeast(low):
            return f"of at least {low:g}"
        case AtMost(high):
            return f"at most {high:g}"
        case Between(low, high):
            return f"between {low:g} and {high:g}"
        case Below(high):
            return "finite" if math.isinf(high) else f"below {high:g}"
        case MultipleOf(unit):
            return f"that is a multiple of {unit}"
    return ""


def default_in_words(parameter: Parameter) -> str:
    """The default of a parameter; "(must be given)" for a parameter without one."""
    return "(must be given)" if parameter.default is REQUIRED else repr(parameter.default)
