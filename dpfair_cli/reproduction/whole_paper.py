"""What needs the whole paper: the rule of its verdicts, its recorded deviations, and its pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from dpfair_cli.contracts.files import write_text
from dpfair_cli.paths import paper_folder, results_file
from dpfair_cli.reporting import chapter_pages, check_page
from dpfair_cli.reporting.chapter_pages import PageFunctions
from dpfair_cli.reproduction.artefact import Artefact, artefact_named
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.running.pool import map_in_order
from dpfair_cli.verdicts.cells.judging import at_levels
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.deviations.coverage import record
from dpfair_cli.verdicts.deviations.deviation import write_recorded
from dpfair_cli.verdicts.paper_rule import FILE, PaperRule, read_rule, rule_of, write_rule
from dpfair_cli.verdicts.references import Numbers

PICTURES = ("figure.png", "difference.png")


class PaperNumbers:
    """The numbers and verdicts of a paper; each artefact is read when first needed.

    `decided` has verdicts that are known already, by the name of the artefact such as table8.1.
    """

    def __init__(
        self, paper: str, options: RunOptions, decided: Mapping[str, Verdicts] | None = None
    ) -> None:
        self.paper, self.options = paper, options.reading
        self.content = options.paper(paper)
        self._numbers: dict[str, Numbers] = {}
        self._verdicts = dict(decided or {})

    def numbers(self, artefact: str) -> Numbers:
        """The numbers of an artefact of the paper, given its name such as table8.1.

        Raises:
            DpfairError: there is no such artefact.
        """
        if artefact not in self._numbers:
            self._numbers[artefact] = self._artefact(artefact).judgement.numbers()
        return self._numbers[artefact]

    def verdicts(self, artefact: str) -> Verdicts:
        """The verdicts on an artefact of the paper, given its name such as table8.1."""
        if artefact not in self._verdicts:
            self._verdicts[artefact] = self._artefact(artefact).judgement.decide()
        return self._verdicts[artefact]

    def pictures(self, artefact: str) -> Sequence[str]:
        """The names of the picture files of an artefact, given its name such as figure8.1."""
        place = self.options.out / self.paper / artefact
        return [name for name in PICTURES if (place / name).is_file()]

    @property
    def functions(self) -> PageFunctions:
        """What the templates of the paper's pages can call."""
        return PageFunctions(self.paper, self.numbers, self.verdicts, self.pictures)

    def _artefact(self, name: str) -> Artefact:
        """The artefact of the paper with a name; it is read once."""
        return artefact_named(f"{self.paper}/{name}", self.options)


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
    for paper, names in _whole_papers(decided):
        own = {name.split("/")[1]: decided[name] for name in names}
        # shared by the pages, which refer to the same artefacts
        functions = PaperNumbers(paper, options, own).functions
        pages += [(template, functions) for template in check_page.sources(paper_folder(paper))]
    jobs = options.workers.jobs
    texts = map_in_order(lambda page: chapter_pages.text(*page), pages, jobs=jobs)
    return {template: text for (template, _), text in zip(pages, texts, strict=True)}


def derive_rules(chosen: Sequence[Artefact]) -> dict[str, PaperRule]:
    """The rule of each paper of which all artefacts are given, by the key of the paper."""
    rules = {}
    for paper, own in _with_runs(chosen):
        found = [one.judgement.tested for one in own]
        cells = [(one.spec, one.cells) for one in found]
        rules[paper] = rule_of(cells, chain.from_iterable(one.claims for one in found))
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
            cells = [at_levels(cell, levels) for cell in one.judgement.tested.cells]
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
