"""Renders the page of a chapter or paper from its template.

The template is experiments/<paper>/<page>.md, and the page is results/<paper>/<page>.md. Each
number of ours is a reference in the template. A template can call:

    ours("table8.1", "PFLR", "adult", "accuracy")    our mean, or another statistic
    published("table8.1", "PFLR", "adult", "accuracy")    the published value
    difference("table8.1", "PFLR", "adult", "accuracy")   ours minus published
    table("table8.1", methods=[...], datasets=[...], metrics=[...], epsilon=[...])
    variants("table8.1", "PFLR")    number of cells with each verdict under each variant
    verdicts("table8.1")            number of cells with each verdict
    paired("table4.3", reference="PC")    undecided cells, compared as differences to one method
    artefacts("table8.1", ...)      a section per artefact: table as printed, claims, links

A reference that matches no number is an error, so that no page shows an outdated number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import Any, Protocol

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reporting import authors_columns, markdown_writer, printed_table
from dpfair_cli.reporting.check_page import deviation_link
from dpfair_cli.reporting.references import make_reference, reference_text
from dpfair_cli.verdicts.cells.verdict import COMPARED
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.means import as_list
from dpfair_cli.verdicts.references import Numbers, Statistic
from dpfair_cli.verdicts.score.pairings import paired_counts
from dpfair_cli.verdicts.score.scoreboard import VariantCount, count_variants
from dpfair_cli.verdicts.wording import format_number, label

FUNCTIONS = (
    "ours",
    "published",
    "difference",
    "table",
    "picture",
    "verdicts",
    "variants",
    "paired",
    "artefacts",
)


class Source(Protocol):
    """The source of the numbers, verdicts and pictures on the pages of one paper."""

    paper: str
    """The key of the paper, such as xu2021."""

    def numbers(self, artefact: str) -> Numbers:
        """The numbers of an artefact, given its name within the paper."""

    def verdicts(self, artefact: str) -> Verdicts:
        """The verdicts on an artefact, given its name within the paper."""

    def pictures(self, artefact: str) -> Sequence[str]:
        """The names of the picture files of an artefact, given its name within the paper."""


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """The Jinja environment of templates, which refuses unknown names and access to files."""
    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )


def text(file: Path, source: Source) -> str:
    """The text of the page whose template is a file experiments/<paper>/<page>.md.

    Raises:
        DpfairError: the template is malformed, or a reference matches no number; the message names
            the template.
    """
    try:
        return page(file.read_text(encoding="utf-8"), source)
    except (DpfairError, TemplateError) as error:
        raise DpfairError(f"{file.parent.name}/{file.name}: {error}") from error


def page(template: str, source: Source) -> str:
    """The text of a page: the template with the referenced numbers of `source` filled in.

    Raises:
        DpfairError: a reference matches no number.
        jinja2.TemplateError: the template is malformed or calls an unknown function.
    """
    functions = _Functions(source)
    known = {name: getattr(functions, name) for name in FUNCTIONS}
    return environment().from_string(template).render(known)


class _Functions:
    """The functions that the template of a page can call, with the numbers of one paper."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def ours(self, artefact: str, method: str, dataset: str, metric: str, **more: Any) -> str:
        """Our mean score of a method, as text; `more` selects parameters or another statistic."""
        reference = make_reference(artefact, method, dataset, metric, **more)
        return reference_text(reference, self.source.numbers(artefact))

    def published(self, artefact: str, method: str, dataset: str, metric: str, **more: Any) -> str:
        """The published score of a method on a data set, as text; `more` selects parameters."""
        return self.ours(artefact, method, dataset, metric, statistic=Statistic.PUBLISHED, **more)

    def difference(self, artefact: str, method: str, dataset: str, metric: str, **more: Any) -> str:
        """Our mean minus the published score of a method on a data set, as text."""
        return self.ours(artefact, method, dataset, metric, statistic=Statistic.DIFFERENCE, **more)

    def table(
        self,
        artefact: str,
        *,
        methods: Sequence[str],
        metrics: Sequence[str] | str,
        datasets: Sequence[str] | str = "",
        across: str = "metric",
        digits: int = 3,
        **parameters: Any,
    ) -> str:
        """A table of our mean scores in Markdown, each with any published value in brackets.

        `across` names the quantity that varies over the columns: "metric", "method", "dataset" or a
        parameter. Quantities with a single value are in the caption.
        """
        numbers = self.source.numbers(artefact)
        chosen = {"dataset": as_list(datasets)}
        chosen |= {name: as_list(values) for name, values in parameters.items()}
        chosen |= {"method": as_list(methods), "metric": as_list(metrics)}
        across_values = chosen.pop(across)
        rows = [name for name, values in chosen.items() if len(values) > 1]
        fixed = {name: values[0] for name, values in chosen.items() if len(values) == 1}
        titles = [_title(name, numbers) for name in rows]
        titles += [_point(across, value, numbers) for value in across_values]
        lines = []
        for values in product(*(chosen[name] for name in rows)):
            point = fixed | dict(zip(rows, values, strict=True))
            words = [_word(name, point[name], numbers) for name in rows]
            cells = [
                self._cell(artefact, {**point, across: each}, digits) for each in across_values
            ]
            lines.append(words + cells)
        told = [_point(name, value, numbers) for name, value in fixed.items()]
        caption = ", ".join(filter(None, [f"[{artefact}]({artefact}/check.md)", *told]))
        numbers_shown = chain.from_iterable(line[len(rows) :] for line in lines)
        has_published = any(cell.endswith(")") for cell in numbers_shown)
        note = ", published values in brackets" if has_published else ""
        return f"{caption}: means of our runs{note}.\n\n{markdown_writer.of_cells(titles, lines)}"

    def _cell(self, artefact: str, point: Mapping[str, Any], digits: int) -> str:
        own = {key: point[key] for key in ("method", "dataset", "metric")}
        more = {key: value for key, value in point.items() if key not in own}
        reference = make_reference(artefact, **own, digits=digits, **more)
        numbers = self.source.numbers(artefact)
        ours = reference_text(reference, numbers)
        if not numbers.is_published(reference):
            return ours
        return f"{ours} ({self.published(artefact, **own, digits=digits, **more)})"

    def picture(self, artefact: str) -> str:
        """The pictures of an artefact, as Markdown."""
        spec = self.source.numbers(artefact).spec
        images = [
            f"![{_escaped(spec.title)}]({artefact}/{name})"
            for name in self.source.pictures(artefact)
        ]
        return "\n\n".join(images)

    def verdicts(self, artefact: str) -> str:
        """The number of published cells with each verdict, as a line of Markdown."""
        counts = self.source.verdicts(artefact).cell_counts
        cells = sorted(self.source.verdicts(artefact).cells, key=lambda cell: cell.verdict.rank)
        ranked = dict.fromkeys(cell.full_verdict for cell in cells)
        told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ranked)
        return f"[Verdicts]({artefact}/check.md): {told or 'no published cells'}"

    def variants(self, artefact: str, *methods: str) -> str:
        """A Markdown table with the number of published cells per verdict under each variant."""
        numbers, verdicts = self.source.numbers(artefact), self.source.verdicts(artefact)
        counts = count_variants(verdicts.cells, numbers.spec)
        wanted = [one for one in counts if not methods or one.method in methods]
        missing = {*methods} - {one.method for one in wanted}
        if missing:
            raise DpfairError(
                f"{artefact} has no variants of {', '.join(sorted(missing))}: name other methods"
            )
        heading = ["method", "variant", *map(str, COMPARED), "nearest", "cells"]
        lines = [_variant_line(one) for one in wanted]
        caption = (
            f"[{artefact}]({artefact}/check.md): published cells by verdict under each variant."
        )
        return f"{caption}\n\n" + markdown_writer.of_cells(heading, lines)

    def paired(self, *names: str, reference: str) -> str:
        """A Markdown table of undecided cells, compared as differences to the method `reference`.

        Each line is a method and a score; the cells are those of the artefacts `names` together.
        """
        specs = [self.source.numbers(name).spec for name in names]
        judged = [self.source.verdicts(name).cells for name in names]
        heading = ["method", "score", "undecided", "same difference", "other difference"]
        lines = []
        for one in paired_counts(list(zip(specs, judged, strict=True)), reference):
            counts = (one.undecided, one.equal, one.other)
            words = (_escaped(one.method), _escaped(label(one.metric, specs[0])))
            lines.append([*words, *map(str, counts)])
        return markdown_writer.of_cells(heading, lines)

    def artefacts(self, *names: str) -> str:
        """A section for each artefact: title, verdicts, table, claims, links and pictures."""
        return "\n\n".join(self._section(name) for name in names)

    def _section(self, artefact: str) -> str:
        spec, decided = self.source.numbers(artefact).spec, self.source.verdicts(artefact)
        parts = [
            f"### {artefact}",
            f"{_escaped(spec.title)} ({_escaped(spec.source)}).",
            f"{self.verdicts(artefact)}.",
            self._published_table(artefact),
            _authors_line(artefact, decided),
            "\n".join(_claim_lines(decided)),
            self._links(artefact),
            self.picture(artefact),
        ]
        return "\n\n".join(part for part in parts if part)

    def _published_table(self, artefact: str) -> str:
        """A table of an artefact's published cells as the paper prints it; empty without cells."""
        spec, decided = self.source.numbers(artefact).spec, self.source.verdicts(artefact)
        if not decided.cells:
            return ""

        def link(deviation: Deviation) -> str:
            return f"{artefact}/check.md{deviation_link(deviation)}"

        return printed_table.markdown(
            printed_table.make(decided.cells, spec, decided.authors), link
        )

    def _links(self, artefact: str) -> str:
        spec = self.source.numbers(artefact).spec
        up = f"../../experiments/{self.source.paper}"
        files = {
            "numbers": f"{artefact}/{'figure.csv' if spec.layout.picture else 'table.md'}",
            "verdicts": f"{artefact}/check.md",
            **({} if spec.is_reanalysis else {"runs": f"{artefact}/runs.jsonl"}),
            "spec": f"{up}/{artefact}.yaml",
            "deviations": f"{up}/deviations.yaml",
        }
        links = ", ".join(f"[{name}]({file})" for name, file in files.items())
        command = "plot" if spec.layout.picture else "table"
        return f"`dpfair {command} {spec.artefact}`: {links}"


def _title(name: str, numbers: Numbers) -> str:
    """The heading of a table's column that holds data sets, methods or values of a parameter."""
    words = {"dataset": "data", "method": "method", "metric": "score"}
    return words.get(name) or label(name, numbers.spec)


def _word(name: str, value: Any, numbers: Numbers) -> str:
    """The text in a table for a data set, a method or a value of the parameter `name`."""
    if isinstance(value, str):
        return _escaped(label(value, numbers.spec) if name in ("dataset", "metric") else value)
    return format_number(value)


def _variant_line(count: VariantCount) -> list[str]:
    """The texts of the line of one variant in the table of all variants."""
    numbers = [*(count.verdicts[verdict] for verdict in COMPARED), count.nearest, count.cells]
    return [_escaped(count.method), _escaped(count.variant or "default"), *map(str, numbers)]


def _authors_line(artefact: str, decided: Verdicts) -> str:
    """A line with the verdicts on the values of the authors' program; empty without values."""
    if not decided.authors:
        return ""
    link = f"{artefact}/check.md#values-of-the-authors-program"
    return f"[Program of the authors]({link}): {authors_columns.summarise(decided.authors)}."


def _claim_lines(decided: Verdicts) -> list[str]:
    """Lines of text about the claims of an artefact, with a line for each part below its claim."""
    lines: list[str] = []
    for one in decided.claims:
        claim, part = one.part.claim, one.part
        sentence = f"- claim {claim.id}: {_escaped(claim.claim)}"
        if not part.part:
            lines.append(f"{sentence}: **{one.full_verdict}**")
            continue
        if sentence not in lines:
            lines.append(sentence)
        added = " (added by us)" if part.ours else ""
        lines.append(f'  - part "{_escaped(part.part)}"{added}: **{one.full_verdict}**')
    return lines


def _point(name: str, value: Any, numbers: Numbers) -> str:
    """A value in a heading or a caption, as text; a number follows the name of its parameter."""
    word = _word(name, value, numbers)
    return word if isinstance(value, str) else f"{label(name, numbers.spec)} {word}"


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*").replace("_", r"\_")
