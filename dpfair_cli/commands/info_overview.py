"""The overview of one screen that `dpfair info` prints, and the methods by the data they run on."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable

WIDTH = 80
PRIVATE = "*"  # marks a method with a privacy guarantee


def methods_by_data() -> dict[str, list[str]]:
    """What methods can be run on -> the names of these methods; each method stands once."""
    from dpfair_cli import catalog

    found: dict[str, list[str]] = {where: [] for where in _kinds()}
    for name in catalog.algorithms.names:
        found.setdefault(_runs_on(name), []).append(name)
    return {where: names for where, names in found.items() if names}


def lines() -> list[str]:
    """The lines of the overview."""
    from dpfair_cli import catalog
    from dpfair_cli.running import artefact_names

    shown = [f"methods ({PRIVATE} private): `dpfair info methods`, `dpfair info METHOD`"]
    for where, names in methods_by_data().items():
        marked = [name + PRIVATE * catalog.algorithm(name).guarantee.is_private for name in names]
        shown += [f"  {where}:", *_names(marked, "    ")]
    shown += ["data sets: `dpfair info datasets`, `dpfair info DATASET`"]
    shown += _names(catalog.data_sources.names)
    shown += ["tasks (study protocols): `dpfair info tasks`, `dpfair info TASK`"]
    shown += _names(catalog.studies.names)
    counts = Counter(name.split("/")[0] for name in artefact_names.artefacts())
    shown += ["papers (tables and figures): `dpfair info artefacts`, `dpfair info PAPER`"]
    shown += _names(f"{paper} ({count})" for paper, count in counts.items())
    return shown


def _kinds() -> dict[str, type]:
    """What a method can be run on -> the type of data, in the order of the overview."""
    from dpfair_cli.kinds.causal_records import CausalRecords
    from dpfair_cli.kinds.graphs import Graph
    from dpfair_cli.kinds.images import Images
    from dpfair_cli.kinds.records import Records
    from dpfair_cli.kinds.variables import Observations

    return {
        "your table with label and groups, or images": Images,
        "your table with label and groups": Records,
        "your table of categories or numbers": Observations,
        "your table of two-valued columns with a causal graph": CausalRecords,
        "your graph": Graph,
    }


def _runs_on(algorithm: str) -> str:
    """What an algorithm can be run on; the names of its types for types of a plug-in."""
    from dpfair_cli import catalog
    from dpfair_cli.catalog import matching

    types = matching.fitted_types(catalog.algorithm(algorithm))
    known = (where for where, form in _kinds().items() if form in types)
    return next(known, " or ".join(sorted(form.__name__ for form in types)))


def _names(names: Iterable[str], indent: str = "  ") -> list[str]:
    """Names in lines of at most WIDTH columns."""
    return textwrap.wrap(
        ", ".join(names),
        width=WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
