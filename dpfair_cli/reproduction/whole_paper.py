"""What needs the whole paper: the rule of its verdicts, its recorded deviations, and its pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from dpfair_cli.contracts.files import write_text
from dpfair_cli.paths import paper_folder, results_file
from dpfair_cli.reporting import chapter_pages, check_page
from dpfair_cli.reporting.chapter_pages import PageFunctions
from dpfair_cli.reproduction.artefact import Artefact, artefact_named
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.running.pool import map_in_order
from dpfair_cli.verdicts.cells.judging import at_levels
from dpfair_cli.verdicts.deviations.coverage import record
from dpfair_cli.verdicts.deviations.deviation import write_recorded
from dpfair_cli.verdicts.paper_rule import FILE, PaperRule, read_rule, rule_of, write_rule
from dpfair_cli.verdicts.references import Numbers
from dpfair_cli.verdicts.verdicts import Verdicts

PICTURES = ("figure.png", "difference.png")


def page_functions(
    paper: str, options: RunOptions, decided: Mapping[str, Verdicts] = MappingProxyType({})
) -> PageFunctions:
    """What the templates of the pages of a paper can call; an artefact is read when first needed.

    `decided` has verdicts that are known already, by the name of the artefact such as
    xu2021/table8.1.
    """
    reading = options.reading  # one for all, which keeps the artefacts that it has read

    def verdicts_of(name: str) -> Verdicts:
        known = decided.get(f"{paper}/{name}")
        return known or artefact_named(f"{paper}/{name}", reading).verdicts()

    def pictures_of(name: str) -> Sequence[str]:
        place = options.out / paper / name
        return [picture for picture in PICTURES if (place / picture).is_file()]

    def numbers_of(name: str) -> Numbers:
        return artefact_named(f"{paper}/{name}", reading).numbers()

    names = [name.removeprefix(f"{paper}/") for name in artefacts(paper)]
    return PageFunctions(paper, cache(numbers_of), cache(verdicts_of), pictures_of, names)


def write_pages(decided: Mapping[str, Verdicts], options: RunOptions) -> None:
    """Writes the pages of each paper whose artefacts all have verdicts.

    `decided` maps names of artefacts, such as xu2021/table8.1, to verdicts.

    Raises:
        DpfairError: a page refers to a number that no journal holds.
    """
    for template, text in page_texts(decided, options).items():
        page = options.out / template.parent.name / template.name
        page.parent.mkdir(parents=True, exist_ok=True)
        write_text(page, text)


def page_texts(decided: Mapping[str, Verdicts], options: RunOptions) -> dict[Path, str]:
    """The texts of the pages that `write_pages` writes, by the path of the template of a page.

    Raises:
        DpfairError: a page refers to a number that no journal holds.
    """
    pages: list[tuple[Path, PageFunctions]] = []
    for paper, _ in _whole_papers(decided):
        # shared by the pages, which refer to the same artefacts
        functions = page_functions(paper, options, decided)
        pages += [(template, functions) for template in check_page.sources(paper_folder(paper))]
    jobs = options.workers.jobs
    texts = map_in_order(lambda page: chapter_pages.text(*page), pages, jobs=jobs)
    return {template: text for (template, _), text in zip(pages, texts, strict=True)}


def derive_rules(chosen: Sequence[Artefact]) -> dict[str, PaperRule]:
    """The rule of each paper of which all artefacts are given, by the key of the paper."""
    rules = {}
    for paper, own in _with_runs(chosen):
        rules[paper] = rule_of([one.judged for one in own])
    return rules


def write_rules(chosen: Sequence[Artefact]) -> set[str]:
    """Writes rule.json of each paper of which all artefacts are given.

    Returns the papers whose rule has changed, so that verdicts by the earlier rule are not valid.
    """
    changed = set()
    for paper, rule in derive_rules(chosen).items():
        out = chosen[0].options.out
        # the verdicts of its artefacts are then made again
        if rule != read_rule(results_file(out, f"{paper}/{FILE}")):
            changed.add(paper)
        write_rule(rule, out / paper / FILE)
    return changed


def record_deviations(chosen: Sequence[Artefact]) -> list[str]:
    """Writes covered.json of each paper of which all artefacts are given; returns the paths."""
    written = []
    for paper, own in _with_runs(chosen):
        options = own[0].options
        levels = read_rule(options.out / paper / FILE).levels
        recorded: dict[str, dict[str, float]] = {}
        for one in own:
            # a deviation covers what differs at the levels of the paper
            cells = [at_levels(cell, levels) for cell in one.judged.cells]
            found = record(cells, options.paper(paper).deviations_of(one.spec.name))
            for name, means in found.items():
                # one deviation may cover cells of several artefacts
                recorded.setdefault(name, {}).update(means)
        written.append(str(write_recorded(recorded, paper_folder(paper))))
        del options.papers[paper]  # which has the values recorded before
    return written


def _with_runs(chosen: Sequence[Artefact]) -> Iterator[tuple[str, list[Artefact]]]:
    """Yields each paper of which all artefacts are given, with those that have finished runs."""
    by_name = {one.spec.artefact: one for one in chosen}
    for paper, names in _whole_papers(by_name):
        own = [by_name[name] for name in names if by_name[name].runs.number]
        if own and not own[0].options.quick:  # verdicts of quick runs do not count
            yield paper, own


def _whole_papers(given: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields each paper all of whose artefacts are among the given names, with these names."""
    chosen = set(given)
    for paper in dict.fromkeys(name.split("/")[0] for name in given):
        names = artefacts(paper)  # the levels of a paper follow from all of its cells
        if chosen.issuperset(names):
            yield paper, names
