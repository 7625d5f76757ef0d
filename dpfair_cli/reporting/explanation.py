"""The explanation of one published cell: numbers, runs, variants, deviation, claims and files."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from dpfair_cli.contracts.errors import DpfairError, meaning, nearest
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import markup, shown
from dpfair_cli.reporting.shown import look_of, look_of_cell
from dpfair_cli.reporting.text_writer import INDENT, TextForm, labelled, padded
from dpfair_cli.verdicts.cells.comparison import LEVEL, CellVerdict
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.predicates import Predicate
from dpfair_cli.verdicts.means import as_list, fits, is_equal
from dpfair_cli.verdicts.wording import format_number, label

WIDEST = 100  # width of a text that is not written to a terminal
RULES = {
    CellVerdict.OTHER_PROTOCOL: "no verdict follows from runs by another protocol",
    CellVerdict.EQUAL_DIGITS: "our mean of the authors' files is the published value, to 1e-8",
    CellVerdict.OTHER_DIGITS: "our mean of the authors' files is another value, by more than 1e-8",
    CellVerdict.MISSING: "no run of ours has this cell",
    CellVerdict.NOT_RUN: "no run of ours has this cell, and a deviation gives the reason",
    CellVerdict.NOT_COMPARED: "the data are a replica, or the score is a time on another machine",
    CellVerdict.RECORD_COUNT: "a number of records, which is true by construction",
}
# why a cell is undecided that one test alone would decide
HELD_BACK = "at the stricter level that allows for all cells of the paper"
OTHER_NAMES = {"demographic_parity_difference": ("RD", "risk difference")}  # in papers


@dataclass(frozen=True)
class CellQuery:
    """The names by which a user selects cells; an empty name fits every cell."""

    method: str = ""  # the published name, or the name of the algorithm or of a variant
    dataset: str = ""
    metric: str = ""  # the name of the score, or its label in tables, such as RD
    parameters: Mapping[str, Any] = field(default_factory=dict)  # such as {"epsilon": 1}


def find_cells(cells: Sequence[JudgedCell], spec: Spec, query: CellQuery) -> list[JudgedCell]:
    """The judged cells of an artefact that fit a query.

    Raises:
        DpfairError: no cell fits; the message names the first condition that no cell fulfils and
            the known names.
    """
    if not cells:
        raise DpfairError(f"{spec.artefact} has no published cells: name another artefact")
    named = {"method": query.method, "data set": query.dataset, "score": query.metric}
    wanted = {noun: word for noun, word in named.items() if word} | dict(query.parameters)
    found, said = list(cells), ""
    for noun, word in wanted.items():
        names = {cell: _names_of(cell, spec).get(noun, []) for cell in found}
        fitting = [cell for cell in found if any(map(partial(_means, word), names[cell]))]
        if not fitting:
            raise DpfairError(_refusal(noun, word, names, f"{spec.artefact} has no", said))
        found, said = fitting, f"{said} of {noun} {_word(word)}"
    return found


def setting_of(cell: JudgedCell) -> dict[str, Any]:
    """The parameters of a cell: those that the paper names, then the others of the default runs."""
    settings = dict(cell.experiment.settings) if cell.experiment else {}
    return settings | dict(cell.parameters)


def _names_of(cell: JudgedCell, spec: Spec) -> dict[str, list[Any]]:
    """The names and values by which a user finds a cell; messages print the first of each."""
    own, algorithm = cell.published, [cell.experiment.algorithm] if cell.experiment else []
    return {
        "method": [own.method, *algorithm, *(one.label for one in cell.variants)],
        "data set": [own.dataset],
        "score": [label(own.metric, spec), own.metric, *OTHER_NAMES.get(own.metric, ())],
        **{name: [value] for name, value in setting_of(cell).items()},
    }


def _means(word: Any, name: Any) -> bool:
    """Whether a word of a user is a name; capital letters, and "_" for a space, do not matter."""
    return is_equal(*map(_plain, (word, name)))


def _plain(name: Any) -> Any:
    return name.casefold().replace("_", " ") if isinstance(name, str) else name


def _refusal(
    noun: str, wanted: Any, names: Mapping[JudgedCell, Sequence[Any]], lacks: str, said: str
) -> str:
    """The reason why no cell fulfils a condition of a query, with the known names, in one line.

    `names` are the accepted names or values of each cell, and `said` are the conditions that the
    cells fulfil, in words.
    """
    values = list(dict.fromkeys(chain.from_iterable(names.values())))
    if not values:
        known = set(chain.from_iterable(map(setting_of, names)))
        return f"{lacks} parameter {noun!r}{said}: {nearest(noun, known)}"
    why = f"{lacks} published cell{said} with {noun} {_word(wanted)}"
    if isinstance(wanted, str):
        printed = dict.fromkeys(str(*own[:1]) for own in names.values())
        return f"{why}: {meaning(wanted, map(str, values)) or nearest(wanted, printed)}"
    return f"{why}: there are: {', '.join(map(format_number, values))}"


def _word(value: Any) -> str:
    return repr(value) if isinstance(value, str) else format_number(value)


@dataclass(frozen=True, eq=False)
class CellExplanation:
    """A published cell with the facts behind its verdict.

    Attributes:
        spec: the spec of the artefact.
        cell: the cell.
        claims: the claims about the cell.
        files: the files with more information, by description.
    """

    spec: Spec
    cell: JudgedCell
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
        if self.cell.verdict in RULES:
            return RULES[self.cell.verdict]
        decision = self.cell.default.decision if self.cell.default else None
        if decision is None:
            return ""
        alone = min(decision.comparison.p_equivalent, decision.comparison.p_different)
        if self.cell.verdict is CellVerdict.UNDECIDED and alone <= LEVEL:
            return f"{decision.reason} {HELD_BACK}"
        return decision.reason

    @property
    def chosen_by(self) -> str:
        """The reason why the spec chose the default variant; empty if the spec gives no reason."""
        default = self.cell.default
        method = self.spec.methods_by_label.get(default.label) if default else None
        return method.chosen_by if method else ""


def explain(
    cell: JudgedCell, spec: Spec, claims: Sequence[JudgedClaim], files: Mapping[str, str]
) -> CellExplanation:
    """The explanation of a published cell; `claims` are those of its artefact."""
    about = tuple(claim for claim in claims if _is_about(claim, cell))
    return CellExplanation(spec, cell, about, files)


def _is_about(claim: JudgedClaim, cell: JudgedCell) -> bool:
    """Whether a predicate of a claim is about a cell or one of its variants."""
    return any(_includes(predicate, cell) for predicate in claim.part.predicates)


def _includes(predicate: Predicate, cell: JudgedCell) -> bool:
    own, statement = cell.published, predicate.statement
    methods = {own.method, *(variant.label for variant in cell.variants)}
    is_named = predicate.metric == own.metric and not methods.isdisjoint(statement.methods)
    datasets = as_list(predicate.where.get("dataset", own.dataset))
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
        whole=partial(textwrap.fill, width=columns),
        paragraph=partial(
            textwrap.fill, width=columns, initial_indent=indent, subsequent_indent=indent
        ),
        runs=_run_lines(found, columns),
        variants=_variant_lines(found, form),
    )
    return "\n".join(line.rstrip() for line in written.splitlines()) + "\n"


def _run_lines(found: CellExplanation, columns: int) -> list[str]:
    """Lines with the scores of the runs of a cell's default variant by seed, several per line."""
    if not found.cell.default:
        return []
    scores = found.cell.default.scores
    digits = max(len(str(seed)) for seed in scores)
    runs = [f"{seed:>{digits}}: {score:.4f}" for seed, score in scores.items()]
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
    """The rows as indented lines, the numbers at the right and the last text in colour.

    If they are wider than the terminal, the numbers of a row stand below its first text.
    """
    rows = padded(table, right=(1, 2))
    if form.width and len(INDENT + "  ".join(rows[0])) > form.width:
        for texts in rows:
            texts[0] = f"{texts[0].rstrip()}\n{2 * INDENT}"
    return [
        INDENT + "  ".join([*texts, form.paint(last.rstrip(), tone)])
        for (*texts, last), tone in zip(rows, tones, strict=True)
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
