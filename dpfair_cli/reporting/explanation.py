"""The explanation of one published cell: numbers, runs, variants, deviation, claims and files."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import shown
from dpfair_cli.reporting.shown import look_of, look_of_cell, tone_of_claim
from dpfair_cli.reporting.text_writer import INDENT, TextForm, labelled, padded
from dpfair_cli.verdicts.cells.judged import JudgedCell, setting_of
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.predicates import Predicate
from dpfair_cli.verdicts.deviations.deviation import Deviation, DeviationKind
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
    """The explanation of a published cell as text."""
    columns = form.width or WIDEST
    lines = [f"{found.spec.artefact}: {found.cell.description}"]
    lines += [f"{found.spec.title} ({found.spec.source})", "", *_number_lines(found, form, columns)]
    files = [labelled(name, file) for name, file in found.files.items()]
    for title, part in (
        ("runs of the default variant, by seed", _run_lines(found, columns)),
        ("variants", _variant_lines(found, form, columns)),
        ("deviation", _deviation_lines(found.cell.deviation, columns)),
        ("claims about this cell", _claim_lines(found, form, columns)),
        ("files", list(chain.from_iterable(files))),
        ("makes the runs again", [f"{INDENT}{found.command}"]),
    ):
        lines += ["", title, *part] if part else []
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _number_lines(found: CellExplanation, form: TextForm, columns: int) -> list[str]:
    """Lines with the published value of a cell, our value, the difference and the verdict."""
    cell, own, default = found.cell, found.cell.published, found.cell.default
    printed = f'printed as "{own.printed}"' if own.printed else ""
    told = "; ".join(filter(None, [printed, own.place]))
    runs = f"{shown.published(cell)}, {cell.sample.runs} runs"
    lines = labelled("published", f"{runs} ({told})" if told else runs)
    if default:
        number = default.ours.runs
        lines += labelled("ours", f"{shown.ours(default)}, {number} run{'s' * (number != 1)}")
        lines += labelled("difference", shown.difference(default))
        lines += labelled("90 % interval", f"± {shown.interval(default)}")
    verdict = cell.full_verdict
    first, *rest = labelled("verdict", f"{verdict}: {found.rule}", columns)
    painted = form.paint(verdict, look_of_cell(cell).tone)
    # painted after wrapping, because colours have no width
    lines += [first.replace(verdict, painted, 1), *rest]
    note = shown.reason(cell) if not cell.deviation else ""
    return [*lines, *(labelled("note", note, columns) if note else [])]


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


def _variant_lines(found: CellExplanation, form: TextForm, columns: int) -> list[str]:
    """Lines with mean, difference and verdict of each variant of a cell, the default first."""
    table, tones = [["", "ours", "difference", "verdict"]], [""]
    for one in found.cell.variants:
        numbers = [shown.ours(one), shown.difference(one)]
        table.append([one.name or "default", *numbers, str(one.verdict)])
        tones.append(look_of(one.verdict, "").tone)
    if not found.cell.variants:
        return []
    why = labelled("default chosen by", found.chosen_by, columns) if found.chosen_by else []
    return [*_with_painted_end(table, tones, form), *why]


def _with_painted_end(
    table: Sequence[Sequence[str]], tones: Sequence[str], form: TextForm
) -> list[str]:
    """The rows as indented lines, the numbers at the right and the last text in colour."""
    return [
        INDENT + "  ".join([*texts, form.paint(last.rstrip(), tone)])
        for (*texts, last), tone in zip(padded(table, right=(1, 2)), tones, strict=True)
    ]


def _deviation_lines(deviation: Deviation | None, columns: int) -> list[str]:
    """Lines with the deviation that explains a cell, and with its evidence."""
    if not deviation:
        return []
    parts = {
        "id": deviation.id,
        "kind": f"{deviation.kind}: {KINDS[deviation.kind]}",
        "covers": deviation.scope,
        "cause": deviation.cause,
        "measured": deviation.findings,
        "not settled": deviation.unsettled,
        "variant": deviation.variant,
        "not run": deviation.not_run,
        "proof": deviation.proof,
    }
    lines = [labelled(name, words, columns) for name, words in parts.items() if words]
    return list(chain.from_iterable(lines))


def _claim_lines(found: CellExplanation, form: TextForm, columns: int) -> list[str]:
    """Lines with the verdict of each claim of the paper about a cell."""
    lines, indent = [], 2 * INDENT
    for claim in found.claims:
        verdict = form.paint(claim.full_verdict, tone_of_claim(claim))
        lines.append(f"{INDENT}{claim.part.id}: {verdict}")
        words = claim.part.claim.claim
        lines += textwrap.wrap(words, columns, initial_indent=indent, subsequent_indent=indent)
    return lines


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
