"""Numbers of ours in texts: the page of a chapter or paper, and what a deviation measured.

The template is experiments/<paper>/<page>.md, and the page is results/<paper>/<page>.md. Each
number of ours is a reference in the template. A template can call:

    ours("table8.1", "PFLR", "adult", "accuracy")    our mean, or another statistic
    published("table8.1", "PFLR", "adult", "accuracy")    the published value
    difference("table8.1", "PFLR", "adult", "accuracy")   ours minus published
    table("table8.1", methods=[...], datasets=[...], metrics=[...], epsilon=[...])
    variants("table8.1", "PFLR")    number of cells with each verdict under each variant
    verdicts("table8.1")            number of cells with each verdict
    paired("table4.3", reference="PC")    undecided cells, compared as differences to one method
    answer("table8.1")              the counts of the whole page, and the section of an artefact
    whole()                         the counts and main sentences of the whole paper
    artefacts("table8.2", ...)      a section per artefact: table as printed, claims, links

A reference that matches no number is an error, so that no page shows an outdated number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reporting import check_page, markup, printed_table, shown, tables, works
from dpfair_cli.reporting.shown import count_values
from dpfair_cli.verdicts.cells.comparison import COMPARED
from dpfair_cli.verdicts.means import as_list
from dpfair_cli.verdicts.references import Numbers, Reference, Statistic
from dpfair_cli.verdicts.scoreboard import VariantCount, count_variants, paired_counts
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.wording import format_number, label

LARGE = 1000  # numbers from this one on are printed without decimals


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """The Jinja environment of templates, which refuses unknown names and access to files."""
    # a template comes with a paper, possibly of a stranger: it reaches the functions alone
    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )


def text(file: Path, functions: PageFunctions) -> str:
    """The text of the page whose template is a file experiments/<paper>/<page>.md.

    Raises:
        DpfairError: the template is malformed, or a reference matches no number; the message names
            the template.
    """
    try:
        return page(file.read_text(encoding="utf-8"), functions)
    except (DpfairError, TemplateError) as error:
        raise DpfairError(f"{file.parent.name}/{file.name}: {error}") from error


def page(template: str, functions: PageFunctions) -> str:
    """The text of a page: the template with what it calls of `functions` filled in.

    Raises:
        DpfairError: a reference matches no number.
        jinja2.TemplateError: the template is malformed or calls an unknown function.
    """
    functions = replace(functions, shown=check_page.artefacts_of(template))
    known = {name: getattr(functions, name) for name in FUNCTIONS}
    return environment().from_string(template).render(known)


@dataclass(frozen=True)
class PageFunctions:
    """The FUNCTIONS that the template of a page can call, with the numbers of one paper.

    Attributes:
        paper: the key of the paper, such as xu2021.
        numbers_of: gives the numbers of an artefact by its name within the paper.
        verdicts_of: gives the verdicts on an artefact.
        pictures_of: gives the names of the picture files of an artefact.
        artefact_names: the names of all artefacts of the paper.
        shown: the names of the artefacts that have a section on the page.
    """

    paper: str
    numbers_of: Callable[[str], Numbers]
    verdicts_of: Callable[[str], Verdicts]
    pictures_of: Callable[[str], Sequence[str]]
    artefact_names: Sequence[str] = ()
    shown: Sequence[str] = ()

    def ours(self, artefact: str, method: str, dataset: str, metric: str, **more: Any) -> str:
        """Our mean score of a method, as text; `more` selects parameters or another statistic."""
        reference = make_reference(artefact, method, dataset, metric, **more)
        return reference_text(reference, self.numbers_of(artefact))

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
        numbers = self.numbers_of(artefact)
        chosen = {"dataset": as_list(datasets)}
        chosen |= {name: as_list(values) for name, values in parameters.items()}
        chosen |= {"method": as_list(methods), "metric": as_list(metrics)}
        # what is left varies over the rows, or is the same everywhere and goes to the caption
        digits_of = self._digits(artefact, chosen, digits)
        columns = chosen.pop(across)
        rows = [name for name, values in chosen.items() if len(values) > 1]
        fixed = {name: values[0] for name, values in chosen.items() if len(values) == 1}
        lines, has_published = [], False
        for values in product(*(chosen[name] for name in rows)):
            point = fixed | dict(zip(rows, values, strict=True))
            points = [{**point, across: each} for each in columns]
            cells = [self._cell(artefact, one, digits_of[one["metric"]]) for one in points]
            has_published |= any(cell.endswith(")") for cell in cells)
            lines.append([*(_word(name, point[name], numbers) for name in rows), *cells])
        titles = [_title(name, numbers) for name in rows]
        titles += [_point(across, value, numbers) for value in columns]
        told = [_point(name, value, numbers) for name, value in fixed.items()]
        caption = ", ".join(filter(None, [f"[{artefact}]({artefact}/check.md)", *told]))
        note = ", published values in brackets" if has_published else ""
        return f"{caption}: means of our runs{note}.\n\n{markup.of_cells(titles, lines)}"

    def _digits(
        self, artefact: str, chosen: Mapping[str, Sequence[Any]], digits: int
    ) -> dict[str, int]:
        """The decimals of each score in a table: none if the score is a count.

        A score that is 0 or 1 everywhere is a count next to another count.
        """
        numbers, means = self.numbers_of(artefact), dict[str, list[float]]()
        for values in product(*chosen.values()):
            reference = make_reference(artefact, **dict(zip(chosen, values, strict=True)))
            means.setdefault(reference.metric, []).append(numbers.value(reference))
        whole = [metric for metric, own in means.items() if all(map(float.is_integer, own))]
        has_counts = tables.are_counts([*chain.from_iterable(means[metric] for metric in whole)])
        return {metric: 0 if has_counts and metric in whole else digits for metric in means}

    def _cell(self, artefact: str, point: Mapping[str, Any], digits: int) -> str:
        numbers = self.numbers_of(artefact)
        reference = make_reference(artefact, digits=digits, **point)
        ours = reference_text(reference, numbers)
        if not numbers.is_published(reference):
            return ours
        return f"{ours} ({self.published(artefact, digits=digits, **point)})"

    def picture(self, artefact: str) -> str:
        """The pictures of an artefact, as Markdown."""
        title = markup.escaped(self.numbers_of(artefact).spec.title)
        names = self.pictures_of(artefact)
        return "\n\n".join(f"![{title}]({artefact}/{name})" for name in names)

    def verdicts(self, artefact: str) -> str:
        """The number of published cells with each verdict, as a line of Markdown."""
        found = self.verdicts_of(artefact)
        counts = found.cell_counts
        cells = sorted(found.cells, key=lambda cell: cell.verdict.rank)
        ranked = dict.fromkeys(cell.full_verdict for cell in cells)
        told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ranked)
        return f"[Verdicts]({artefact}/check.md): {told or 'no published cells'}"

    def variants(self, artefact: str, *methods: str) -> str:
        """A Markdown table with the number of published cells per verdict under each variant."""
        found = self.verdicts_of(artefact)
        counts = count_variants(found.cells, found.spec)
        wanted = [one for one in counts if not methods or one.method in methods]
        missing = {*methods} - {one.method for one in wanted}
        if missing:
            raise DpfairError(
                f"{artefact} has no variants of {', '.join(sorted(missing))}: name other methods"
            )
        heading = ["method", "variant", *map(str, COMPARED), "nearest", "cells"]
        caption = (
            f"[{artefact}]({artefact}/check.md): published cells by verdict under each variant."
        )
        return f"{caption}\n\n{markup.of_cells(heading, map(_variant_line, wanted))}"

    def paired(self, *names: str, reference: str) -> str:
        """A Markdown table of undecided cells, compared as differences to the method `reference`.

        Each line is a method and a score; the cells are those of the artefacts `names` together.
        """
        judged = list(map(self.verdicts_of, names))
        heading = ["method", "score", "undecided", "same difference", "other difference"]
        lines = []
        for one in paired_counts(judged, reference):
            words = (markup.escaped(one.method), markup.escaped(label(one.metric, judged[0].spec)))
            lines.append([*words, *map(str, (one.undecided, one.equal, one.other))])
        return markup.of_cells(heading, lines)

    def answer(self, artefact: str) -> str:
        """The counts of all artefacts of the page as a bar, and the section of a first one."""
        counts = works.summary(list(map(self.verdicts_of, self.shown)))
        # at the top of the page, so that its heading is just below the title of the page
        return f"{counts}\n\n{self._section(artefact, level=2)}"

    def whole(self) -> str:
        """The main sentences and the counts of the whole paper, whatever page has its artefacts."""
        return works.summary(list(map(self.verdicts_of, self.artefact_names)))

    def artefacts(self, *names: str) -> str:
        """A section for each artefact: title, verdicts, table, claims, links and pictures."""
        return "\n\n".join(self._section(name) for name in names)

    def _section(self, artefact: str, *, level: int = 3) -> str:
        """The section of an artefact, whose heading has this level."""
        decided = self.verdicts_of(artefact)
        spec = decided.spec
        text = markup.render(
            "section.md.j2",
            heading="#" * level,
            artefact=artefact,
            spec=spec,
            decided=decided,
            sentences=shown.describe_tables(decided),
            counts=self.verdicts(artefact),
            printed=printed_table.make(decided.cells, spec, decided.authors),
            count_values=count_values,
            check=f"{artefact}/check.md",
            experiments=f"../../experiments/{self.paper}",
            pictures=self.picture(artefact),
        )
        return text.rstrip("\n")


# what a template can call: the public methods
FUNCTIONS = [name for name, own in vars(PageFunctions).items() if callable(own) and name[0] != "_"]


def _title(name: str, numbers: Numbers) -> str:
    """The heading of a table's column that holds data sets, methods or values of a parameter."""
    words = {"dataset": "data", "method": "method", "metric": "score"}
    return words.get(name) or label(name, numbers.spec)


def _word(name: str, value: Any, numbers: Numbers) -> str:
    """The text in a table for a data set, a method or a value of the parameter `name`."""
    if isinstance(value, str):
        return markup.escaped(
            label(value, numbers.spec) if name in ("dataset", "metric") else value
        )
    return format_number(value)


def _variant_line(count: VariantCount) -> list[str]:
    """The texts of the line of one variant, without the reason for the default one."""
    method, variant, _, *numbers = count.texts
    return [markup.escaped(method), markup.escaped(variant), *numbers]


def _point(name: str, value: Any, numbers: Numbers) -> str:
    """A value in a heading or a caption, as text; a number follows the name of its parameter."""
    word = _word(name, value, numbers)
    return word if isinstance(value, str) else f"{label(name, numbers.spec)} {word}"


def number_text(value: float, digits: int) -> str:
    """A number with `digits` decimals; numbers from 1,000 on have no decimals."""
    places = 0 if abs(value) >= LARGE else digits
    # rounded before it is written, so that a small negative number has no minus
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


def measured_text(
    items: Sequence[Sequence[Reference]], artefact: str, numbers: Mapping[str, Numbers]
) -> str:
    """Our mean at each reference of a deviation, with the published value, as one line.

    Words that all references of an item share are written once, before a colon. The artefact is
    named if it differs from `artefact`. `numbers` are those of each artefact, by name.

    Raises:
        DpfairError: a reference matches no number.
    """
    return ". ".join(_item_text(item, artefact, numbers) for item in items)


def _item_text(item: Sequence[Reference], artefact: str, numbers: Mapping[str, Numbers]) -> str:
    words = [_words(reference, artefact, numbers[reference.artefact]) for reference in item]
    # what all points share is said once, before the colon
    alike = set.intersection(*[set(each.items()) for each in words])
    shared = {key for key, _ in alike}
    values = [_with_published(each, numbers[each.artefact]) for each in item]
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
