"""The numbers and verdicts of a paper from its journals, and the pages that are made from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dpfair_cli.contracts.writing import write_text
from dpfair_cli.paths import paper_folder
from dpfair_cli.reporting import chapter_pages, check_page
from dpfair_cli.reproduction.artefact import RunOptions
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.running.pool import map_in_order
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.references import Numbers

PICTURES = ("figure.png", "difference.png")


class PaperNumbers:
    """The numbers and verdicts of a paper; each artefact is read when first needed."""

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
            found = self.options.artefact(f"{self.paper}/{artefact}")
            cells = self.content.cells_of(found.spec)
            self._numbers[artefact] = Numbers(found.spec, found.finished.rows(), cells)
        return self._numbers[artefact]

    def verdicts(self, artefact: str) -> Verdicts:
        """The verdicts on an artefact of the paper, given its name such as table8.1."""
        if artefact not in self._verdicts:
            found = self.options.artefact(f"{self.paper}/{artefact}")
            self._verdicts[artefact] = found.judgement.decide(self.content, found.judgement.rule())
        return self._verdicts[artefact]

    def pictures(self, artefact: str) -> Sequence[str]:
        """The names of the picture files of an artefact, given its name such as figure8.1."""
        place = Path(self.options.out) / self.paper / artefact
        return [name for name in PICTURES if (place / name).is_file()]


def write_pages(decided: Mapping[str, Verdicts], options: RunOptions) -> list[Path]:
    """Writes the pages of each paper whose artefacts all have verdicts; returns their paths.

    `decided` maps names of artefacts, such as xu2021/table8.1, to verdicts.

    Raises:
        DpfairError: a page refers to a number that no journal holds.
    """
    written = []
    for template, text in _texts(decided, options):
        page = options.out / template.parent.name / template.name
        page.parent.mkdir(parents=True, exist_ok=True)
        write_text(page, text)
        written.append(page)
    return written


def require_pages(decided: Mapping[str, Verdicts], options: RunOptions) -> None:
    """Renders the pages that `write_pages` would write, without writing them.

    Raises:
        DpfairError: a page refers to a number that no journal holds.
    """
    _texts(decided, options)


def _texts(decided: Mapping[str, Verdicts], options: RunOptions) -> list[tuple[Path, str]]:
    """The templates of the pages of papers whose artefacts all have verdicts, with their texts."""
    pages: list[tuple[Path, PaperNumbers]] = []
    for paper, source in _whole_papers(decided, options):
        templates = check_page.sources(paper_folder(paper))
        pages += [(template, source) for template in templates]
    jobs = options.workers.jobs
    texts = map_in_order(lambda page: chapter_pages.text(*page), pages, jobs=jobs)
    return [(template, text) for (template, _), text in zip(pages, texts, strict=True)]


def _whole_papers(
    decided: Mapping[str, Verdicts], options: RunOptions
) -> Iterator[tuple[str, PaperNumbers]]:
    """Yields each paper whose artefacts all have verdicts, with its numbers."""
    for paper in dict.fromkeys(name.split("/")[0] for name in decided):
        of_paper = artefacts(paper)
        if decided.keys() >= {*of_paper}:
            own = {name.split("/")[1]: decided[name] for name in of_paper}
            yield paper, PaperNumbers(paper, options, own)
