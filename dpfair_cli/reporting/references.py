"""The text of references: a single number, and the numbers in `measured` of a deviation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpfair_cli.verdicts.references import Lookup, Numbers, Reference, Statistic
from dpfair_cli.verdicts.wording import format_number, label

LARGE = 1000  # numbers from this one on are printed without decimals


def number_text(value: float, digits: int) -> str:
    """A number with `digits` decimals; numbers from 1,000 on have no decimals."""
    places = 0 if abs(value) >= LARGE else digits
    return f"{round(value, places) + 0.0:,.{places}f}"  # + 0.0 removes the minus of a zero


def reference_text(reference: Reference, numbers: Numbers) -> str:
    """The number of an artefact that a reference selects, as text; a difference has a sign.

    Raises:
        DpfairError: the reference matches no number.
    """
    value = numbers.value(reference)
    if reference.statistic is Statistic.RUNS:
        return str(int(value))
    text = number_text(value, reference.digits)
    is_positive = reference.statistic is Statistic.DIFFERENCE and value >= 0
    return f"+{text}" if is_positive else text


def measured_text(items: Sequence[Sequence[Reference]], artefact: str, lookup: Lookup) -> str:
    """Our mean at each reference of a deviation, with the published value, as one line.

    Words that all references of an item share are written once, before a colon. The artefact is
    named if it differs from `artefact`.

    Raises:
        DpfairError: a reference matches no number.
    """
    return ". ".join(_item_text(item, artefact, lookup) for item in items)


def _item_text(item: Sequence[Reference], artefact: str, lookup: Lookup) -> str:
    words = [_words(reference, artefact, lookup(reference.artefact)) for reference in item]
    shared = {key for key in words[0] if len({each.get(key) for each in words}) == 1}
    values = [_with_published(each, lookup(each.artefact)) for each in item]
    told = [_joined(each, each.keys() - shared) for each in words]
    points = "; ".join(f"{name} {value}".strip() for name, value in zip(told, values, strict=True))
    common = _joined(words[0], shared)
    return f"{common}: {points}" if common else points


def _words(reference: Reference, artefact: str, numbers: Numbers) -> dict[str, str]:
    """The words that name the number of a reference, by part, such as method or data set."""
    spec = numbers.spec
    words = {"artefact": "" if reference.artefact == artefact else reference.artefact}
    words["metric"] = label(reference.metric, spec)
    words["dataset"] = label(reference.dataset, spec) if reference.dataset else ""
    for name, value in reference.parameters:
        words[name] = f"{label(name, spec)} {format_number(value)}"
    return words | {"method": reference.method}


def _joined(words: dict[str, str], keys: set[str]) -> str:
    return ", ".join(word for key, word in words.items() if key in keys and word)


def _with_published(reference: Reference, numbers: Numbers) -> str:
    """Our mean at a reference; any published mean and the difference follow in brackets."""
    ours = reference_text(reference, numbers)
    if not numbers.is_published(reference):
        return ours
    theirs = reference_text(replace(reference, statistic=Statistic.PUBLISHED), numbers)
    gap = reference_text(replace(reference, statistic=Statistic.DIFFERENCE), numbers)
    return f"{ours} (published {theirs}, {gap})"


def make_reference(
    artefact: str,
    method: str,
    dataset: str,
    metric: str,
    *,
    digits: int = 3,
    statistic: str = Statistic.MEAN,
    **parameters: Any,
) -> Reference:
    """A reference built from the arguments of a page template."""
    point = tuple(parameters.items())
    return Reference(artefact, dataset, method, metric, point, Statistic(statistic), digits)
