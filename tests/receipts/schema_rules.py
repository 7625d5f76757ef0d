"""Draft 7 of JSON Schema, as far as our schemas use it: the first mistake in a value."""

from __future__ import annotations

from itertools import chain

TYPES = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
NO_RULES = {"$schema", "title", "description", "definitions", "then", "else"}


def mistake(value, schema, whole):
    """The first rule that a value breaks, with its place; empty if it breaks none."""
    if "$ref" in schema:
        target = whole
        for key in schema["$ref"].removeprefix("#/").split("/"):
            target = target[key]
        return mistake(value, target, whole)
    found = (
        RULES[key](value, rule, schema, whole)
        for key, rule in schema.items()
        if key not in NO_RULES
    )
    return next(filter(None, found), "")


def is_type(value, names, schema, whole):
    kinds = [names] if isinstance(names, str) else names
    fits = any(
        isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
        for kind in kinds
    )
    return "" if fits else f"{value!r} is no {names}"


def properties(value, rules, schema, whole):
    if not isinstance(value, dict):
        return ""
    found = ((key, mistake(value[key], rule, whole)) for key, rule in rules.items() if key in value)
    return next((f"{key}: {why}" for key, why in found if why), "")


def additional(value, rule, schema, whole):
    if not isinstance(value, dict):
        return ""
    others = [key for key in value if key not in schema.get("properties", {})]
    if rule is False:
        return f"unknown key {others[0]}" if others else ""
    return next(filter(None, (mistake(value[key], rule, whole) for key in others)), "")


def names(value, rule, schema, whole):
    keys = value if isinstance(value, dict) else ()
    return next(filter(None, (mistake(key, rule, whole) for key in keys)), "")


def required(value, keys, schema, whole):
    missing = [key for key in keys if isinstance(value, dict) and key not in value]
    return f"missing {missing[0]}" if missing else ""


def items(value, rule, schema, whole):
    if not isinstance(value, list):
        return ""
    rules = rule if isinstance(rule, list) else [rule] * len(value)
    pairs = zip(value, rules, strict=False)
    return next(filter(None, (mistake(one, each, whole) for one, each in pairs)), "")


def matching(value, rules, whole):
    return [not mistake(value, rule, whole) for rule in rules]


def any_of(value, rules, schema, whole):
    whys = [mistake(value, rule, whole) for rule in rules]
    return "" if "" in whys else f"none of: {'; '.join(whys)}"


def one_of(value, rules, schema, whole):
    return "" if sum(matching(value, rules, whole)) == 1 else "not exactly one"


def all_of(value, rules, schema, whole):
    return next(filter(None, (mistake(value, rule, whole) for rule in rules)), "")


def condition(value, rule, schema, whole):
    branch = "else" if mistake(value, rule, whole) else "then"
    return mistake(value, schema.get(branch, {}), whole)


def compared(fits, words):
    def rule(value, bound, schema, whole):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return f"{value} must be {words} {bound}" if is_number and not fits(value, bound) else ""

    return rule


def length(fits):
    def rule(value, bound, schema, whole):
        wrong = isinstance(value, list) and not fits(len(value), bound)
        return "wrong length" if wrong else ""

    return rule


RULES = {
    "type": is_type,
    "enum": lambda value, rule, schema, whole: "" if value in rule else f"{value!r} not in {rule}",
    "const": lambda value, rule, schema, whole: "" if value == rule else f"{value!r} not {rule!r}",
    "properties": properties,
    "additionalProperties": additional,
    "propertyNames": names,
    "required": required,
    "items": items,
    "minItems": length(int.__ge__),
    "maxItems": length(int.__le__),
    "minimum": compared(lambda value, bound: value >= bound, "at least"),
    "maximum": compared(lambda value, bound: value <= bound, "at most"),
    "exclusiveMinimum": compared(lambda value, bound: value > bound, "above"),
    "exclusiveMaximum": compared(lambda value, bound: value < bound, "below"),
    "anyOf": any_of,
    "oneOf": one_of,
    "allOf": all_of,
    "if": condition,
}


def keywords(schema):
    """All keywords of a schema and of the schemas in it."""
    if isinstance(schema, list):
        return set(chain.from_iterable(map(keywords, schema)))
    if not isinstance(schema, dict):
        return set()
    named = {"properties", "definitions"}
    found = set(schema)
    for key, value in schema.items():
        inner = list(value.values()) if key in named else value
        found |= keywords(inner) if key not in {"enum", "const", "required"} else set()
    return found
