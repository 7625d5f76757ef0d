"""The mistakes that jsonschema finds in a value by one of our schemas."""

from __future__ import annotations

from jsonschema import Draft7Validator


def mistake(value, schema):
    """The messages, those of the branches of a choice included; empty without a mistake."""
    Draft7Validator.check_schema(schema)
    return "; ".join(messages(Draft7Validator(schema).iter_errors(value)))


def messages(errors):
    for error in errors:
        yield f"{error.json_path}: {error.message}"
        yield from messages(error.context)
