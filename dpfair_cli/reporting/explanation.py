"""The explanation of one published cell: numbers, runs, variants, deviation, claims and files."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import markup, shown
from dpfair_cli.reporting.shown import look_of, look_of_cell
from dpfair_cli.reporting.text_writer import INDENT, TextForm, labelled, padded
from dpfair_cli.verdicts.cells.judged import JudgedCell, setting_of
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.predicates import Predicate
from dpfair_cli.verdicts.deviations.deviation import DeviationKind
from dpfair_cli.verdicts.means import as_list, fits
from dpfair_cli.verdicts.wording import format_number

WIDEST = 100  # width of a text that is not written to a terminal
KINDS = {
    DeviationKind.VARIANT: "another variant of the method agrees",
    DeviationKind.DATA: "the data are not the paper's own",
    DeviationKind.IMPOSSIBLE: "the stated method cannot give the published value",
    DeviationKind.HYPOTHESIS: "an idea that our runs support and no run can settle",
    DeviationKind.OPEN: "the cause is not known",
}
DEVIATION_LABELS = {  # label -> field of a deviation
    "covers": "scope",
    "cause": "cause",
    "measured": "findings",
    "not settled": "unsettled",
    "variant": "variant",
    "not run": "not_run",
    "proof": "proof",
}
RULES = {
    CellVerdict.MISSING: "no run of ours has this cell",
    CellVerdict.NOT_RUN: "no run of ours has this cell, and a deviation gives the reason",
    CellVerdict.NOT_COMPARED: "the data are a replica, or the score is a time on another machine",
    CellVerdict.RECORD_COUNT: "a number of records, which is true by construction",
}


@dataclass(frozen=True, eq=False)
class CellExplanation:
    """A published cell with the facts behind its verdict.

    Attributes:
        spec: the spec of the artefact.
        cell: the cell.
        scores: label of a variant -> seed -> score of the run.
        claims: the claims about the cell.
        files: the files with more information, by description.
    """

    spec: Spec
    cell: JudgedCell
    scores: Mapping[str, Mapping[int, float]]
    claims: tuple[JudgedClaim, ...]
    files: Mapping[str, str]

    @property
    def command(self) -> str:
        """The command that makes the runs of the cell again."""
        kind = "plot" if self.spec.layout.picture else "table"
        return f"dpfair {kind} {self.spec.artefact} --fresh"

    @property
    def rule(self) -> str:
        """The reason for the verdict on the cell, in words."""
        default = self.cell.default
        return RULES.get(self.cell.verdict) or (default.decision.reason if default else "")

    @property
    def chosen_by(self) -> str:
        """The reason why the spec chose the default variant; empty if the spec gives no reason."""
        default = self.cell.default
        method = self.spec.methods_by_label.get(default.label) if default else None
        return method.chosen_by if method else ""


def explain(
    cell: JudgedCell,
    spec: Spec,
    runs: pd.DataFrame,
    claims: Sequence[JudgedClaim],
    files: Mapping[str, str],
) -> CellExplanation:
    """The explanation of a published cell, from the runs and claims of its artefact."""
    scores = {}
    for variant in cell.variants:
        # the rows that were averaged, and not those that look like them
        own = runs.loc[list(variant.rows)]
        pairs = zip(own["seed"], own[cell.published.metric], strict=True)
        scores[variant.label] = {int(seed): float(score) for seed, score in pairs}
    about = tuple(claim for claim in claims if _is_about(claim, cell))
    return CellExplanation(spec, cell, scores, about, files)


def _is_about(claim: JudgedClaim, cell: JudgedCell) -> bool:
    """Whether a predicate of a claim is about a cell or one of its variants."""
    return any(_includes(predicate, cell) for predicate in claim.part.predicates)


def _includes(predicate: Predicate, cell: JudgedCell) -> bool:
    own, statement = cell.published, predicate.statement
    methods = {own.method, *(variant.label for variant in cell.variants)}
    is_named = predicate.metric == own.metric and not methods.isdisjoint(statement.methods)
    datasets = [*as_list(predicate.where.get("dataset", own.dataset)), statement.across]
    return is_named and own.dataset in datasets and fits(predicate.where, setting_of(cell))


def text(found: CellExplanation, form: TextForm) -> str:
    """The explanation of a published cell as text, in lines of the width of the form."""
    columns, indent = form.width or WIDEST, 2 * INDENT
    written = markup.render(
        "explanation.txt.j2",
        found=found,
        cell=found.cell,
        shown=shown,
        paint=form.paint,
        fact=labelled,
        wrapped=partial(labelled, columns=columns),
        paragraph=partial(
            textwrap.fill, width=columns, initial_indent=indent, subsequent_indent=indent
        ),
        runs=_run_lines(found, columns),
        variants=_variant_lines(found, form),
        kinds=KINDS,
        labels=DEVIATION_LABELS,
    )
    return "\n".join(line.rstrip() for line in written.splitlines()) + "\n"


def _run_lines(found: CellExplanation, columns: int) -> list[str]:
    """Lines with the scores of the runs of a cell's default variant by seed, several per line."""
    if not found.cell.default:
        return []
    scores = found.scores[found.cell.default.label]
    digits = max(len(str(seed)) for seed in scores)
    runs = [f"{seed:>{digits}}: {score:.4f}" for seed, score in sorted(scores.items())]
    size = max(map(len, runs))
    each = max(1, (columns - len(INDENT)) // (size + 3))
    # columns of equal width, as many as fit
    padded_runs = [run.ljust(size) for run in runs]
    starts = range(0, len(runs), each)
    return [INDENT + "   ".join(padded_runs[k : k + each]) for k in starts]


def _variant_lines(found: CellExplanation, form: TextForm) -> list[str]:
    """Lines with mean, difference and verdict of each variant of a cell, the default first."""
    table, tones = [["", "ours", "difference", "verdict"]], [""]
    for one in found.cell.variants:
        numbers = [shown.ours(one), shown.difference(one)]
        table.append([one.name or "default", *numbers, str(one.verdict)])
        tones.append(look_of(one.verdict, "").tone)
    return _with_painted_end(table, tones, form) if found.cell.variants else []


def _with_painted_end(
    table: Sequence[Sequence[str]], tones: Sequence[str], form: TextForm
) -> list[str]:
    """The rows as indented lines, the numbers at the right and the last text in colour."""
    return [
        INDENT + "  ".join([*texts, form.paint(last.rstrip(), tone)])
        for (*texts, last), tone in zip(padded(table, right=(1, 2)), tones, strict=True)
    ]


def candidate_lines(
    cells: Sequence[JudgedCell], options: Sequence[str], form: TextForm
) -> list[str]:
    """A line for each published cell, beginning with the command options that select the cell."""
    table, tones = [["options", "ours", "published", "verdict"]], [""]
    for words, cell in zip(options, cells, strict=True):
        ours = shown.short(cell.default) if cell.default else ""
        table.append([words, ours, shown.short_published(cell), cell.full_verdict])
        tones.append(look_of_cell(cell).tone)
    return _with_painted_end(table, tones, form)


def distinguishing(cells: Sequence[JudgedCell], spec: Spec) -> list[dict[str, str]]:
    """For each cell, the properties that distinguish it from the other cells, such as "method"."""
    names = [_names(cell, spec) for cell in cells]
    keys = dict.fromkeys(chain.from_iterable(names))
    told: list[dict[str, str]] = [{} for _ in cells]
    for key in keys:
        values = [one.get(key, "") for one in names]
        for own, value in zip(told, values, strict=True):
            own |= {key: value} if value and len(set(values)) > 1 else {}
    return told


def _names(cell: JudgedCell, spec: Spec) -> dict[str, str]:
    own = cell.published
    words = {"dataset": own.dataset, "method": own.method}
    words |= {name: format_number(value) for name, value in cell.parameters.items()}
    return words | {"metric": spec.labels.get(own.metric, own.metric)}
