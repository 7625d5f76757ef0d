"""The mistakes that jsonschema finds in a value by one of our schemas."""

from __future__ import annotations

import json
from functools import cache

from jsonschema import Draft7Validator


def mistake(value, schema):
    """The messages, those of the branches of a choice included; empty without a mistake."""
    return "; ".join(messages(validator(json.dumps(schema)).iter_errors(value)))


@cache
def validator(text):
    """The validator by a schema; the schema itself is checked once, which takes half a second."""
    schema = json.loads(text)
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def messages(errors):
    for error in errors:
        yield f"{error.json_path}: {error.message}"
        yield from messages(error.context)
