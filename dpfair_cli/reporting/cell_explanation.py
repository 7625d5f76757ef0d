"""The explanation of one published cell: numbers, runs, variants, deviation, claims and files."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.cell_columns import difference, interval, published, signed
from dpfair_cli.reporting.check_text import Paint, reason
from dpfair_cli.reporting.looks import look_of, look_of_cell, tone_of_claim
from dpfair_cli.verdicts.cells.finding import setting_of
from dpfair_cli.verdicts.cells.judged import JudgedCell, JudgedVariant
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.predicate import Predicate
from dpfair_cli.verdicts.deviations.deviation import Deviation, DeviationKind
from dpfair_cli.verdicts.means import as_list, is_equal
from dpfair_cli.verdicts.wording import format_mean, format_number

INDENT = "  "
LABEL = 21  # width of a label with the space after the label
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
    """A published cell with the facts behind its verdict."""

    spec: Spec
    """The spec of the artefact."""

    cell: JudgedCell
    """The cell."""

    scores: Mapping[str, Mapping[int, float]]
    """Label of a variant -> seed -> score of the run."""

    claims: tuple[JudgedClaim, ...]
    """The claims about the cell."""

    files: Mapping[str, str]
    """The files with more information, by description."""

    command: str
    """The command that makes the runs of the cell."""

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
    rows: pd.DataFrame,
    claims: Sequence[JudgedClaim],
    files: Mapping[str, str],
) -> CellExplanation:
    """The explanation of a published cell, from the runs (`rows`) and claims of its artefact."""
    scores = {}
    for variant in cell.variants:
        runs = rows.loc[list(variant.rows)]
        pairs = zip(runs["seed"], runs[cell.published.metric], strict=True)
        scores[variant.label] = {int(seed): float(score) for seed, score in pairs}
    about = tuple(claim for claim in claims if _looks_at(claim, cell))
    command = f"dpfair {'plot' if spec.layout.picture else 'table'} {spec.artefact}"
    return CellExplanation(spec, cell, scores, about, files, command)


def _looks_at(claim: JudgedClaim, cell: JudgedCell) -> bool:
    """Whether a predicate of a claim is about a cell or one of its variants."""
    return any(_includes(predicate, cell) for predicate in claim.part.predicates)


def _includes(predicate: Predicate, cell: JudgedCell) -> bool:
    own = cell.published
    methods = {own.method, *(variant.label for variant in cell.variants)}
    is_named = predicate.metric == own.metric and not methods.isdisjoint(predicate.methods)
    setting = setting_of(cell)
    datasets = [*as_list(predicate.where.get("dataset", own.dataset)), *predicate.other_datasets]
    fits = all(
        any(is_equal(setting[name], value) for value in as_list(values))
        for name, values in predicate.where.items()
        if name in setting
    )
    return is_named and own.dataset in datasets and fits


def text(found: CellExplanation, *, width: int, paint: Paint) -> str:
    """The explanation of a published cell as text.

    `width` is the width of the terminal, or 0 without a terminal; `paint` colours texts.
    """
    columns = width or WIDEST
    lines = [f"{found.spec.artefact}: {found.cell.description}"]
    lines += [f"{found.spec.title} ({found.spec.source})", ""]
    lines += _number_lines(found, columns, paint)
    for title, part in (
        ("runs of the default variant, by seed", _run_lines(found, columns)),
        ("variants", _variant_lines(found, columns, paint)),
        ("deviation", list(_deviation_lines(found.cell.deviation, columns))),
        ("claims about this cell", list(_claim_lines(found, columns, paint))),
        ("files", [_labelled(name, file) for name, file in found.files.items()]),
        ("makes the runs again", [f"{INDENT}{found.command} --fresh"]),
    ):
        lines += ["", title, *part] if part else []
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _number_lines(found: CellExplanation, columns: int, paint: Paint) -> list[str]:
    """Lines with the published value of a cell, our value, the difference and the verdict."""
    cell = found.cell
    own = cell.published
    printed = f'printed as "{own.printed}"' if own.printed else ""
    told = "; ".join(filter(None, [printed, own.place]))
    runs = f"{published(cell)}, {cell.sample.runs} runs"
    lines = [_labelled("published", f"{runs} ({told})" if told else runs)]
    if cell.default:
        ours = cell.default.ours
        runs = f"{ours.runs} run{'s' * (ours.runs != 1)}"
        lines.append(_labelled("ours", f"{format_mean(ours.mean, ours.std)}, {runs}"))
        lines.append(_labelled("difference", difference(cell)))
        lines.append(_labelled("90 % interval", f"± {interval(cell)}"))
    first, *rest = _wrapped("verdict", f"{cell.full_verdict}: {found.rule}", columns)
    verdict = paint(cell.full_verdict, look_of_cell(cell).tone)
    lines += [first.replace(cell.full_verdict, verdict, 1), *rest]
    why = reason(cell) if not cell.deviation else ""
    return [*lines, *(_wrapped("note", why, columns) if why else [])]


def _run_lines(found: CellExplanation, columns: int) -> list[str]:
    """Lines with the scores of the runs of a cell's default variant by seed, several per line."""
    if not found.cell.default:
        return []
    scores = found.scores[found.cell.default.label]
    digits = max(len(str(seed)) for seed in scores)
    runs = [f"{seed:>{digits}}: {score:.4f}" for seed, score in sorted(scores.items())]
    size = max(map(len, runs))
    each = max(1, (columns - len(INDENT)) // (size + 3))
    return [
        INDENT + "   ".join(run.ljust(size) for run in runs[k : k + each])
        for k in range(0, len(runs), each)
    ]


def _variant_lines(found: CellExplanation, columns: int, paint: Paint) -> list[str]:
    """Lines with mean, difference and verdict of each variant of a cell, the default first."""
    variants = found.cell.variants
    rows = [("", "ours", "difference", "verdict"), *map(_variant_row, variants)]
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row, variant in zip(rows, (None, *variants), strict=True):
        name, ours, gap, verdict = row
        tone = look_of(variant.verdict, "").tone if variant else ""
        start = f"{INDENT}{name:<{sizes[0]}}  {ours:>{sizes[1]}}  {gap:>{sizes[2]}}"
        lines.append(f"{start}  {paint(verdict, tone)}")
    if not variants:
        return []
    return [
        *lines,
        *(_wrapped("default chosen by", found.chosen_by, columns) if found.chosen_by else []),
    ]


def _variant_row(variant: JudgedVariant) -> tuple[str, str, str, str]:
    ours = variant.ours
    return (
        variant.name or "default",
        format_mean(ours.mean, ours.std),
        signed(variant.comparison.signed),
        str(variant.verdict),
    )


def _deviation_lines(deviation: Deviation | None, columns: int) -> Iterator[str]:
    """Yields lines with the deviation that explains a cell, and with its evidence."""
    if deviation:
        kind = f"{deviation.kind}: {KINDS[deviation.kind]}"
        parts = {"id": deviation.id, "kind": kind, "covers": deviation.scope}
        parts |= {"cause": deviation.cause, "measured": deviation.findings}
        parts |= {"not settled": deviation.unsettled}
        parts |= {"variant": deviation.variant, "not run": deviation.not_run}
        parts |= {"proof": deviation.proof}
        for name, words in parts.items():
            if words:
                yield from _wrapped(name, words, columns)


def _claim_lines(found: CellExplanation, columns: int, paint: Paint) -> Iterator[str]:
    """Yields lines with the verdict of each claim of the paper about a cell."""
    for claim in found.claims:
        yield f"{INDENT}{claim.part.id}: {paint(claim.full_verdict, tone_of_claim(claim))}"
        words = claim.part.claim.claim
        yield from textwrap.wrap(
            words, columns, initial_indent=2 * INDENT, subsequent_indent=2 * INDENT
        )


def _labelled(name: str, words: str) -> str:
    """A line of an explanation: the label `name`, and a text."""
    return f"{INDENT}{name:<{LABEL}}{words}"


def _wrapped(name: str, words: str, columns: int) -> list[str]:
    """Lines with the label `name` and a text, which is wrapped next to the label."""
    parts = textwrap.wrap(words, max(20, columns - len(INDENT) - LABEL)) or [""]
    return [_labelled(name, parts[0]), *(_labelled("", part) for part in parts[1:])]


def as_json(found: CellExplanation) -> dict[str, Any]:
    """The explanation of a published cell as mappings and lists for JSON."""
    cell, deviation = found.cell, found.cell.deviation
    return {
        "artefact": found.spec.artefact,
        "cell": cell.description,
        "dataset": cell.published.dataset,
        "method": cell.published.method,
        "metric": cell.published.metric,
        "parameters": cell.parameters,
        "published": {
            "mean": cell.sample.mean,
            "std": cell.sample.std,
            "runs": cell.sample.runs,
            "printed": cell.published.printed,
            "place": cell.published.place,
            "line": cell.published.line,
        },
        "verdict": cell.verdict,
        "rule": found.rule,
        "would decide": cell.remedy,
        "hint": cell.hint,
        "variants": [_variant_json(one, found) for one in cell.variants],
        "deviation": _deviation_json(deviation) if deviation else None,
        "claims": [
            {"id": one.part.id, "claim": one.part.claim.claim, "verdict": one.full_verdict}
            for one in found.claims
        ],
        "files": found.files,
        "command": f"{found.command} --fresh",
    }


def _variant_json(variant: JudgedVariant, found: CellExplanation) -> dict[str, Any]:
    is_default = variant is found.cell.default
    return {
        "variant": variant.name or "default",
        "label": variant.label,
        "is default": is_default,
        "chosen by": found.chosen_by if is_default else "",
        "mean": variant.ours.mean,
        "std": variant.ours.std,
        "runs": variant.ours.runs,
        "difference": variant.comparison.signed,
        "half width": variant.comparison.half_width,
        "verdict": variant.verdict,
        "scores by seed": found.scores[variant.label],
    }


def _deviation_json(deviation: Deviation) -> dict[str, Any]:
    return {
        "id": deviation.id,
        "kind": deviation.kind,
        "covers": deviation.scope,
        "cause": deviation.cause,
        "measured": deviation.findings,
        "unsettled": deviation.unsettled,
        "evidence": deviation.evidence,
    }


def candidate_lines(cells: Sequence[JudgedCell], options: Sequence[str], paint: Paint) -> list[str]:
    """A line for each published cell, beginning with the command options that select the cell."""
    rows = [
        (words, f"{cell.default.ours.mean:.4f}" if cell.default else "", f"{cell.sample.mean:.4f}")
        for words, cell in zip(options, cells, strict=True)
    ]
    heading = ("options", "ours", "published")
    sizes = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    verdicts = ["verdict", *(paint(one.full_verdict, look_of_cell(one).tone) for one in cells)]
    return [
        f"{INDENT}{row[0]:<{sizes[0]}}  {row[1]:>{sizes[1]}}  {row[2]:>{sizes[2]}}  {verdict}"
        for row, verdict in zip([heading, *rows], verdicts, strict=True)
    ]


def distinguishing(cells: Sequence[JudgedCell], spec: Spec) -> list[dict[str, str]]:
    """For each cell, the properties that distinguish it from the other cells, such as "method"."""
    names = [_names(cell, spec) for cell in cells]
    keys = dict.fromkeys(key for one in names for key in one)
    told = [key for key in keys if len({one.get(key, "") for one in names}) > 1]
    return [{key: one[key] for key in told if one.get(key)} for one in names]


def _names(cell: JudgedCell, spec: Spec) -> dict[str, str]:
    own = cell.published
    words = {"dataset": own.dataset, "method": own.method}
    words |= {name: format_number(value) for name, value in cell.parameters.items()}
    return words | {"metric": spec.labels.get(own.metric, own.metric)}
