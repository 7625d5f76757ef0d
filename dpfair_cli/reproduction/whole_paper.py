"""Compares all artefacts of a paper at once, for what needs the whole paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from dpfair_cli.paths import paper_folder, results_file
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.verdicts.cells.judging import at_levels
from dpfair_cli.verdicts.deviations.recorded import record, write_recorded
from dpfair_cli.verdicts.paper_rule import FILE, PaperRule, read_rule, rule_of, write_rule


def derive_rules(chosen: Sequence[Artefact]) -> dict[str, PaperRule]:
    """The rule of each paper of which all artefacts are given, by the key of the paper."""
    rules = {}
    for paper, own in _whole_papers(chosen):
        content = own[0].options.paper(paper)
        found = [one.judgement.tested(content) for one in own]
        cells = [(one.spec, one.cells) for one in found]
        rules[paper] = rule_of(cells, chain.from_iterable(one.claims for one in found))
    return rules


def write_rules(chosen: Sequence[Artefact]) -> set[str]:
    """Writes rule.json of each paper of which all artefacts are given.

    Returns the papers whose rule has changed, so that verdicts by the earlier rule are not valid.
    """
    changed = set()
    for paper, rule in derive_rules(chosen).items():
        out = next(one.options.out for one in chosen if one.spec.paper == paper)
        if rule != read_rule(results_file(out, f"{paper}/{FILE}")):
            changed.add(paper)
        write_rule(rule, out / paper / FILE)
    return changed


def record_deviations(chosen: Sequence[Artefact]) -> list[str]:
    """Writes covered.json of each paper of which all artefacts are given; returns the paths."""
    written = []
    for paper, own in _whole_papers(chosen):
        place = paper_folder(paper)
        content = own[0].options.paper(paper)
        levels = read_rule(own[0].options.out / paper / FILE).levels
        recorded: dict[str, dict[str, float]] = {}
        for one in own:
            cells = [at_levels(cell, levels) for cell in one.judgement.tested(content).cells]
            found = record(cells, content.deviations_of(one.spec.name))
            for name, means in found.items():
                recorded.setdefault(name, {}).update(means)
        written.append(str(write_recorded(recorded, place)))
        own[0].options.shared.named.pop(paper)  # which has the values recorded before
    return written


def _whole_papers(chosen: Sequence[Artefact]) -> Iterator[tuple[str, list[Artefact]]]:
    """Yields each paper of which all artefacts are given, with those that have finished runs."""
    by_name = {one.spec.artefact: one for one in chosen}
    for paper in dict.fromkeys(one.spec.paper for one in chosen):
        names = artefacts(paper)
        if by_name.keys() >= {*names}:
            own = [by_name[name] for name in names if by_name[name].finished.number]
            if own and not own[0].options.quick:
                yield paper, own
