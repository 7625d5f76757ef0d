"""Algorithms, data sets and tasks of other packages are found by their entry points, as if they
were ours.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import yaml

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.release import guarantee
from dpfair_cli.running.spec import parse
from tests.code_lock import lock
from tests.commands.invoking import dpfair, mistake, works
from tests.diff.toy_project import SPEC

EXAMPLE = Path(__file__).parents[2] / "examples" / "uci1996"
METHOD = '''"""Everybody gets a one.

Source: nobody.
Differs: nothing to differ from.
"""
import numpy as np
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.constant import ConstantClassifier


@checked
def fit(records: Records, *, label: int = 1, rng: np.random.Generator) -> ConstantClassifier:
    """Everybody gets the label."""
    return ConstantClassifier(label)


ALGORITHM = Algorithm(fit, version=3, source="nobody")
'''
GUARANTEE = """Guarantee(
    released="the label",
    neighbours=Neighbours.REPLACE_ONE,
    public="the number of records",
    status=Status.AS_PUBLISHED,
)"""
NOISY = f'''"""A rule whose weights are noisy means.

Source: nobody.
Differs: nothing to differ from.
"""
import numpy as np
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.batches import subsample
from dpfair_cli.models.regression.linear import LinearClassifier


@checked
def fit(
    records: Records, *, epsilon: Epsilon = 1.0, share: float = 1.0, rng: np.random.Generator
) -> LinearClassifier:
    """The rule."""
    X = records.X[subsample(len(records), size=len(records), rng=rng).rows]
    d = X.shape[1]
    noise = rng.laplace(scale=share * d / (epsilon * len(records)), size=d)
    return LinearClassifier(X.mean(axis=0) + noise, 0.0)


ALGORITHM = Algorithm(fit, version=1, source="nobody", guarantee={GUARANTEE})
'''
DATASET = '''"""Two groups, half of each with a one."""
from pathlib import Path
import numpy as np
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.kinds.records import Records


def load(folder: Path, *, records: int = 40) -> Records:
    """The records."""
    from dpfair_cli.datasets import separation
    return separation.load(folder)


DATASET = DataSource(load=load, note="made up")
'''


def forget_modules():
    """Makes the catalog look again for what other packages declare."""
    for registry in (catalog.algorithms, catalog.data_sources, catalog.studies):
        vars(registry).pop("modules", None)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a package with entry points on the path, as pip would: `install(group, name, module,
    text)`.
    """
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    points: dict[str, list[str]] = {}

    def add(group, name, module, text):
        (site / f"{module}.py").write_text(text)
        points.setdefault(group, []).append(f"{name} = {module}")
        info = site / "other-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
        lines = [line for group, names in points.items() for line in (f"[dpfair.{group}]", *names)]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        forget_modules()

    yield add
    forget_modules()
    for module in ("others_ones", "others_records", "others_broken", "others_bare"):
        sys.modules.pop(module, None)


def test_a_method_of_another_package_is_a_method(install):
    install("algorithms", "ones", "others_ones", METHOD)
    assert "ones" in catalog.algorithms.names
    assert catalog.algorithm("ones").version == 3
    assert catalog.algorithm("ones").complete({}) == {"label": 1}
    assert matching.can_score(catalog.study("classification"), catalog.algorithm("ones"))
    assert guarantee.tests(catalog.algorithm("ones")) == "those of others_ones"
    assert "Source: nobody." in works("info", "ones").stdout


def test_an_audit_follows_the_noise_of_a_registered_method(install):
    install("algorithms", "noisy_means", "others_ones", NOISY)
    text = works("audit", "noisy_means", "adult", "--neighbours", 20).stdout
    assert "not refuted: nothing that was tried" in text
    result = dpfair("audit", "noisy_means", "adult", "--neighbours", 20, "--set", "share=0.1")
    assert result.exit_code == 1, result.output
    assert "refuted: neighbours cost epsilon" in result.stdout


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('source="nobody"', "", "ones: ALGORITHM needs a source: write Algorithm(fit, source="),
        (
            "label: int = 1",
            "label: int = 1, epsilon: float = 1.0",
            (
                "ones: fit takes epsilon, so ALGORITHM must have a privacy guarantee: write "
                "guarantee=Guarantee("
            ),
        ),
        (
            'source="nobody"',
            f'source="nobody", guarantee={GUARANTEE}',
            "ones: ALGORITHM has a guarantee, so fit must have a keyword-only argument `epsilon`",
        ),
        (
            "rng: np.random.Generator",
            "chance: int = 0",
            "ones: the function fit must have a keyword-only argument `rng`",
        ),
    ],
)
def test_an_incomplete_method_is_refused_in_a_spec(install, old, new, why):
    install("algorithms", "ones", "others_ones", METHOD.replace(old, new))
    with pytest.raises(DpfairError, match=re.escape(why)):
        parse(SPEC | {"algorithms": [{"name": "ones"}]}, "toy2020/table1")


def test_it_runs_in_a_spec_and_its_version_is_in_the_row(install, tmp_path, monkeypatch):
    install("algorithms", "ones", "others_ones", METHOD)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "experiments" / "toy2020"
    folder.mkdir(parents=True)
    algorithms = [{"name": "ones", "label": [0, 1]}]
    table = {"rows": ["label"], "values": ["accuracy"]}
    (folder / "table1.yaml").write_text(
        yaml.safe_dump(SPEC | {"algorithms": algorithms, "seeds": 1, "table": table})
    )
    works("table", "toy2020/table1", "--quick", "--jobs", "1", "--out", "out")
    ones, zeros = map(
        json.loads, (Path("out") / "toy2020" / "table1" / "runs.jsonl").read_text().splitlines()
    )
    assert np.isclose(
        ones["scores"]["accuracy"] + zeros["scores"]["accuracy"], 1
    )  # whoever is no one is a zero
    assert ones["versions"]["algorithm"] == 3


BARE = '''
class Bare:
    reads_group = False
    {body}

@checked
def fit(records: Records, *, rng: np.random.Generator){returned}:
    """Nothing."""
    return Bare()


ALGORITHM = Algorithm(fit, version=1)
'''
PREDICTS = "def predict(self, data): return np.ones(len(data))"


@pytest.mark.parametrize(
    ("body", "returned", "why"),
    [
        (
            PREDICTS,
            " -> Bare",
            "the task classification cannot score the algorithm bare: the result of its fit lacks "
            "`described`, `saved`, `state`: derive it from dpfair_cli.contracts.results.NotSaved",
        ),
        ("", " -> Bare", "the result of its fit lacks `described`, `predict`, `saved`, `state`"),
        (PREDICTS, "", "the function fit of bare must have an annotation of its return value"),
    ],
    ids=["no base", "no predict", "no annotation"],
)
def test_a_method_whose_result_is_none_says_what_it_lacks(install, body, returned, why):
    header = METHOD.partition("@checked")[0]
    install(
        "algorithms",
        "bare",
        "others_bare",
        header + BARE.format(body=body or "pass", returned=returned),
    )
    with pytest.raises(DpfairError) as refused:
        parse(SPEC | {"algorithms": ["bare"]}, "toy2020/table1")
    assert str(refused.value).endswith(why)


def test_the_lock_is_about_our_own_code(install):
    install("algorithms", "ones", "others_ones", METHOD)
    assert "algorithms/ones" not in lock.roots()


def test_a_name_has_one_owner(install):
    install("algorithms", "pflr", "others_ones", METHOD)
    message = "other declares the method 'pflr', but this name already belongs to"
    with pytest.raises(DpfairError, match=message):
        _ = catalog.algorithms.names
    assert message in mistake("info", "pflr")


def test_a_module_that_cannot_be_imported_is_one_line(install):
    install("algorithms", "broken", "others_broken", "import nowhere\n")
    assert mistake("info", "broken") == (
        "the method broken (others_broken) cannot be imported: No module named 'nowhere'"
    )


def test_data_sets_are_found_too(install):
    install("datasets", "two_groups", "others_records", DATASET)
    assert catalog.data_source("two_groups").note == "made up"
    assert matching.can_split(catalog.study("classification"), catalog.data_source("two_groups"))


@pytest.mark.parametrize("module", ["naive_bayes", "nearest_neighbours", "decision_tree"])
def test_the_methods_of_the_example_fit_and_predict(module, monkeypatch):
    from importlib import import_module

    from dpfair_cli.kinds.records import Domain, Records

    monkeypatch.syspath_prepend(str(EXAMPLE))
    rng = np.random.default_rng(0)
    X = rng.random((200, 3))
    domain = Domain(("a", "b", "c"), {"a": (0,), "b": (1,), "c": (2,)}, ("f", "m"))
    people = Records(X, (X[:, 0] > 0.5).astype(int), rng.integers(2, size=200), domain)
    found = import_module(f"adult_methods.{module}").ALGORITHM.fit(people, rng=rng)
    predicted = found.predict(people)
    assert set(predicted) <= {0.0, 1.0}
    assert (predicted == people.y).mean() > 0.9


def test_the_example_is_checked_where_its_package_is_installed(tmp_path, monkeypatch):
    """As docs/new-paper.md ends: its cells and claims come out, or its deviations say why not."""
    info = tmp_path / "site" / "adult_methods-1.0.dist-info"
    info.mkdir(parents=True)
    points = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [
        line
        for group, names in points.items()
        for line in (f"[{group}]", *(f"{name} = {module}" for name, module in names.items()))
    ]
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: adult-methods\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for folder in (EXAMPLE, tmp_path / "site"):
        monkeypatch.syspath_prepend(str(folder))
    shutil.copytree(EXAMPLE / "results", tmp_path / "results")
    monkeypatch.chdir(EXAMPLE)
    forget_modules()
    try:
        text = works("check", "--all", "--out", tmp_path / "results").stdout
    finally:
        forget_modules()
    assert "uci1996/table1: " in text
    assert "missing" not in text
    page = (Path(__file__).parents[2] / "docs" / "new-paper.md").read_text()
    summary = text[text.index("uci1996/table1: ") : text.index("report: ")]
    assert "".join(f"    {line}\n" for line in summary.splitlines()) in page
