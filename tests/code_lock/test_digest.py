"""An edit that can change a result changes the digests of what refers to it; others change none."""

import ast
import re
import shutil
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest

import dpfair_cli
from dpfair_cli import catalog, papers
from tests.code_lock import digest, names
from tests.code_lock.digest import digests
from tests.code_lock.lock import DESCRIPTIVE

PACKAGE = Path(dpfair_cli.__file__).parent


def digests_of(package, *stems):
    """Digests by the stems of algorithms, tasks and data sets; of all without stems."""
    modules, experiments = {}, package.parent / "experiments"
    for registry in (catalog.algorithms, catalog.studies, catalog.data_sources):
        attribute = registry.record.attribute
        for path in (package / registry.folder).rglob("[!_]*.py"):
            parts = path.relative_to(package.parent).with_suffix("").parts
            modules[path.stem] = ".".join(parts), attribute
        for path in experiments.glob(f"*/{papers.FOLDERS[registry.folder]}/*.py"):
            parts = path.relative_to(experiments).with_suffix("").parts
            modules[path.stem] = ".".join(("dpfair_cli.papers", *parts)), attribute
    found = digests(package, [modules[stem] for stem in stems or modules], descriptive=DESCRIPTIVE)
    return {stem: found[modules[stem]] for stem in stems or modules}


@pytest.fixture(scope="module", autouse=True)
def _parsed_once():
    """Files with equal contents are parsed once for all tests."""
    parse, texts = names.Module, {}

    def parsed(path, package):
        key = path.read_bytes(), package
        if key not in texts:
            texts[key] = parse(path, package)
        return texts[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(names, "Module", parsed)
        yield


@pytest.fixture(scope="module")
def committed():
    return digests_of(PACKAGE)


def copied(folder):
    """A copy of the package in a folder, to be edited, and of the code of the papers beside it."""
    ignored = shutil.ignore_patterns("__pycache__", "*.j2", "commands")
    only_code = shutil.ignore_patterns("__pycache__", "tests", "schema", "*.[!p]*")
    shutil.copytree(papers.FOLDER, folder / "experiments", ignore=only_code)
    return Path(shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=ignored))


@pytest.fixture
def package(tmp_path):
    """A copy of the package for one test."""
    return copied(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A copy of the package that each test leaves as it was."""
    return copied(tmp_path_factory.mktemp("shared"))


def edit(package, stem, old, new):
    """Replaces the one `old` in the one file of that stem that holds it, in any folder.

    Returns the file and its text before the edit.
    """
    places = [
        path
        for path in package.parent.rglob(f"{stem}.py")
        if old in path.read_text(encoding="utf-8")
    ]
    assert len(places) == 1, f"{old!r} is in {len(places)} files {stem}.py: update this test"
    text = places[0].read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {stem}.py: update the test"
    places[0].write_text(text.replace(old, new), encoding="utf-8")
    return places[0], text


SEMANTIC = [  # file, old, new, who must notice, who must not
    # metrics
    ("classification", "counts[:, 1, 1]).sum() /", "counts[:, 1, 1]).mean() /",
     "classification in_sample", "pflr"),
    ("classification", "rates.max() - rates.min()", "rates.max() + rates.min()", "classification",
     "guarantee adult"),
    ("classification", "rates = part / whole", "rates = part * whole", "classification",
     "pc"),
    ("groups", "groups, weights=values,", "groups, weights=values**2,",
     "private_training training_curves", "dpsgd"),
    ("graphs", "tpr=hits / true if true", "tpr=hits / found if true", "causal_graph",
     "pc classification"),
    ("fairness_functions", "np.abs(values).mean(axis=0)", "values.mean(axis=0)", "private_gap",
     "output_perturbation"),
    # tasks
    ("classification", "test_fraction: Fraction = 0.2,", "test_fraction: Fraction = 0.25,",
     "classification", "pflr"),
    ("classification", "round(test_fraction * n)", "round(test_fraction * n) + 1",
     "private_gap", "guarantee"),
    ("classification", '    "selection_rate",\n', "", "classification", "private_training"),
    ("causal_discovery", "_truth(model, case.truth)", "_truth(case.truth, model)", "causal_graph",
     "pc"),
    ("causal_discovery", "GraphSplit(ObservationsSplit):", "GraphSplit:", "causal_discovery",
     "classification"),
    ("fairness_frontier", '"0.01..0.2 by 0.01"', '"0.01..0.2 by 0.02"', "fairness_frontier",
     "in_sample"),
    ("private_training", "@cache\ndef epsilons", "def epsilons", "private_training training_curves",
     "dpsgd"),
    # models
    ("quadratic", "SMALLEST_EIGENVALUE = 1e-8", "SMALLEST_EIGENVALUE = 1e-9", "pflr pflr_star",
     "adult"),
    ("quadratic", "np.where(rows == columns, 1, 2)", "np.where(rows != columns, 1, 2)", "pflr",
     "logistic_regression"),
    ("quadratic", "@once_per_records\ndef logistic", "def logistic", "pflr", "logistic_regression"),
    ("quadratic", "(square + square.T) / 2)", "square)", "pflr functional_mechanism", "dpsgd"),
    ("linear", "+ self.intercept > 0", "+ self.intercept >= 0", "pflr dpsgd", "pc"),
    ("linear", "intercept: float = 0.0", "intercept: float = 0.5", "pflr dpsgd", "pc"),
    ("perturbation", '"drift" else offset', '"shift" else offset', "pflr", "logistic_regression"),
    ("descent", "np.maximum(norms, bound)", "np.maximum(bound, norms)", "dpsgd dpsgd_f", "pflr"),
    ("independence", "xlogy(counts, counts)", "xlogy(counts, 2 * counts)", "lap_mech",
     "pc classification"),
    ("records_g2", "xlogy(counts, counts)", "xlogy(counts, 2 * counts)", "pc", "lap_mech"),
    ("independence", "FULL_CORRELATION = 1 - 1e-7", "FULL_CORRELATION = 1 - 1e-6", "pc", "pflr"),
    ("cnn", "torch.set_num_threads(1)", "torch.set_num_threads(2)", "dpsgd sgd", "pflr"),
    ("cnn", "\nkeep_freed_memory()\n", "\n", "dpsgd sgd", "pflr"),
    # encoding and contracts
    ("encoding", 'Literal["one_hot", "ordinal",', 'Literal["one_hot", "rank", "ordinal",',
     "adult dutch", "pflr"),
    ("encoding", "attribute.levels[1:]", "attribute.levels[:-1]", "adult dutch_unbalanced",
     "mnist pflr"),
    ("records", "self.y[rows], self.protected[rows], self.domain",
     "self.protected[rows], self.y[rows], self.domain",
     "classification pflr", "pc alarm"),
    # data sets
    ("adult", "Numeric(17, 90, bins=((17, 25)", "Numeric(18, 90, bins=((17, 25)",
     "adult adult_race", "dutch pflr"),
    ("adult", '.str.rstrip(".")', "", "adult adult_race", "dutch"),
    ("dutch_unbalanced", "SEED = 0", "SEED = 1", "dutch_unbalanced", "dutch"),
    ("mnist_unbalanced", "KEPT, ALL = 8, 500, 5_851", "KEPT, ALL = 8, 501, 5_851",
     "mnist_unbalanced", "mnist"),
    # mechanisms
    ("noise", "laplace(scale=scale, size", "laplace(scale=2 * scale, size", "pflr",
     "dpsgd logistic_regression"),
    ("laplace", 'release("laplace", value, noisy,', 'release("laplace", noisy, value,', "pflr",
     "dpsgd"),
    ("budget", "if not epsilon > 0:", "if not epsilon >= 0:", "pflr priv_pc", "pc adult"),
    ("exponential", "choose(scores, 2 * sensitivity", "choose(scores, sensitivity", "priv_pc",
     "pc pflr"),
    ("objective", 'Literal["published", "tight"]', 'Literal["tight", "published"]', "pflr",
     "dpsgd"),
    ("objective", "return 2.0 * d", "return 2.0 * d + 1", "pflr", "dpsgd"),
    ("renyi", "range(2, 65)", "range(2, 64)", "dpsgd", "pflr"),
    # algorithms
    ("pflr", "epsilon: Epsilon = 1.0,", "epsilon: Epsilon = 2.0,", "pflr", "pflr_star"),
    ("pflr", "term: functional.FairnessTerm", "fair: functional.FairnessTerm", "pflr", "pflr_star"),
    ("pflr", "fair.objective(noisy, d)", "fair.objective(query, d)", "pflr", "pflr_star"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("stem", "old", "new", "moved", "stay"), SEMANTIC, ids=range(len(SEMANTIC))
)
def test_an_edit_moves_what_reaches_it_and_nothing_else(
    shared, committed, stem, old, new, moved, stay
):
    path, text = edit(shared, stem, old, new)
    found = digests_of(shared, *moved.split(), *stay.split())
    path.write_text(text, encoding="utf-8")
    assert {name for name in found if found[name] != committed[name]} == set(moved.split())


COSMETIC = [  # file, old, new
    ("pflr", "# release", "# the release, in which one record counts for little"),
    ("pflr", '"""PFLR', '"""The method PFLR'),
    ("pflr", "The objective is the truncated logistic loss plus the fairness term", "The weights."),
    ("pflr", "    delta_1 = fair.l1(d)\n",
     "    delta_1 = fair.l1(d)\n\n    # how far it moves\n\n"),
    ("pflr", "laplace(query, l1_sensitivity=delta_1, epsilon=epsilon, rng=rng)",
     "laplace(\n        query,\n        l1_sensitivity=(delta_1),\n        epsilon=epsilon,\n"
     "        rng=rng,\n    )"),
    ("pflr", "    ridge = perturbation.regularisation * sqrt(2) * delta_1 / epsilon\n"
     "    return LinearClassifier(fair.objective(noisy, d).with_ridge(ridge).minimiser())",
     "    size = perturbation.regularisation * sqrt(2) * delta_1 / epsilon\n"
     "    return LinearClassifier(fair.objective(noisy, d).with_ridge(size).minimiser())"),
    ("pflr", "from math import sqrt\n", "from math import sqrt as root\nfrom math import sqrt\n"),
    ("dutch_unbalanced", "30_000, 10_000)", "30000, 10_000)"),
    ("dutch_unbalanced", '"Dutch census 2001, 30,000', '"The Dutch census 2001, 30,000'),
    ("dutch_unbalanced", "0.4021}", "0.4022}"),
    ("adult", 'f"{COPY}/adult.data"', 'f"{COPY}/adult.old"'),
    ("classification", 'title="Accuracy and', 'title="The accuracy and'),
    ("pflr", "version=1", "version=2"),
    ("declarations", "    unpublished: str = \"\"\n",
     "    unpublished: str = \"\"\n    licence: str = \"\"\n"),
    ("linear", "The decision on each record as a probability, 0.0 or 1.0, (n,).", "0.0 or 1.0."),
    ("laplace", "import numpy as np\n", "import numpy\nimport numpy as np\n"),
    ("gaussian", "half, shift = 1 / (2 * noise_multiplier), epsilon * noise_multiplier\n"
     "    first = scipy.special.ndtr(half - shift)\n"
     "    # the logarithm, because exp(epsilon) overflows\n"
     "    log_second = epsilon + scipy.special.log_ndtr(-half - shift)",
     "a, b = 1 / (2 * noise_multiplier), epsilon * noise_multiplier\n"
     "    first = scipy.special.ndtr(a - b)\n"
     "    log_second = epsilon + scipy.special.log_ndtr(-a - b)"),
    ("gaussian", "lambda multiplier: gaussian_delta(epsilon, multiplier)",
     "lambda s: gaussian_delta(epsilon, s)"),
    ("gaussian", "def gaussian_delta(epsilon: float, noise_multiplier: float)",
     "def gaussian_delta(epsilon: float, noise_multiplier: float,)"),
    ("descent", "def clipping_weights(norms: Floats, bound: float | Floats) -> Floats:",
     "def clipping_weights(\n    norms: Floats,  # (b,)\n    bound: float | Floats,\n) -> Floats:"),
    ("renyi", "_divergence(order, sampling_rate, noise_multiplier) for order in orders",
     "_divergence(alpha, sampling_rate, noise_multiplier) for alpha in orders"),
    ("renyi", "def _divergence(order: float, q: float, s: float) -> float:\n    if q == 1:",
     "def _divergence(order: float, q: float, s: float) -> float:\n"
     "    'A number.'\n    if (q == 1):"),
    ("independence", "except np.linalg.LinAlgError:  # one of them is singular\n",
     "except np.linalg.LinAlgError:\n"),
    ("outside_values",
     "def as_number(text: str) -> float:\n"
     "    \"\"\"The number that Python's `float` reads from a text; "
     "NaN if the text is not a number.\"\"\"\n    try:\n        return float(text)",
     "def as_number(word: str) -> float:\n    try:\n        return float(word)"),
    ("classification",
     "from dpfair_cli.metrics import classification as metrics\n\nSCORES = (\n    \"accuracy\",\n",
     "import dpfair_cli.metrics.classification as metrics\n\nSCORES = (\"accuracy\",\n"),
]  # fmt: skip

WITNESSES = ("pflr", "pdfc", "dp_oracle_learner", "dpsgd_f", "priv_pc_star", "private_gap",
             "training_curves",
             "guarantee", "fairness_frontier", "causal_graph", "adult_race", "alarm",
             "csv_variables",
             "dutch_unbalanced")  # fmt: skip


def assert_nothing_moved(package, committed):
    found = digests_of(package, *WITNESSES)
    assert found == {stem: committed[stem] for stem in WITNESSES}


def test_the_look_of_code_does_not_count(package, committed):
    for stem, old, new in COSMETIC:
        edit(package, stem, old, new)
    assert_nothing_moved(package, committed)


RENAMED = [  # private and public functions, classes, constants
    "_divergence", "_quadrature", "_fairness_move", "_inverse", "_words", "_states",
    "l1_fair_objective",
    "minimise_with_penalty", "require_epsilon", "once_per_records", "gaussian_delta",
    "sample_groups", "Quadratic",
    "LinearClassifier", "DpfairError", "NetworkSample", "KnownGraphSplit", "SMALLEST_EIGENVALUE",
    "FULL_CORRELATION",
    "INTEGER_ORDERS",
]  # fmt: skip
MOVED = [
    "fair_game",
    "edge_scores",
    "logistic",
    "binary_records",
    "training_noise",
    "bayesian_network",
    "quadratic",
]


def replace_in_all(package, pattern, new):
    """Replaces a pattern in every file; returns how many files had it."""
    count = 0
    for path in package.parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        changed = re.sub(pattern, new, text)
        path.write_text(changed, encoding="utf-8")
        count += changed != text
    return count


def test_the_name_of_a_definition_does_not_count(package, committed):
    everything = "".join(path.read_text(encoding="utf-8") for path in package.parent.rglob("*.py"))
    for word in RENAMED:
        assert re.search(rf"\b{word}\b", everything), f"{word} is gone: update this test"
    replace_in_all(package, rf"\b({'|'.join(RENAMED)})\b", r"\1_by_another_name")
    assert_nothing_moved(package, committed)


def test_the_name_and_the_folder_of_a_module_do_not_count(package, committed):
    for stem in MOVED:
        (path,) = package.parent.rglob(f"{stem}.py")
        folder = path.parent / "deeper"
        folder.mkdir(exist_ok=True)
        path.rename(folder / f"{stem}_moved.py")
        old = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        parent = old.removesuffix(f".{stem}")
        assert replace_in_all(
            package, rf"\b{re.escape(old)}\b", f"{parent}.deeper.{stem}_moved"
        ) + replace_in_all(
            package,
            rf"from {re.escape(parent)} import {stem}(?: as (\w+))?\n",
            lambda found, stem=stem, parent=parent: (
                f"from {parent}.deeper import {stem}_moved as {found[1] or stem}\n"
            ),
        )
    assert_nothing_moved(package, committed)


def test_the_alias_of_an_import_does_not_count(package, committed):
    assert replace_in_all(package, r"\bnp\b", "numerics") > 50
    assert replace_in_all(package, r"import Floats\b", "import Floats as F, Floats")
    assert_nothing_moved(package, committed)


def test_neither_layout_nor_comments_nor_docstrings_nor_order_count(package, committed):
    for path in package.parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
                node.body[0] = ast.Pass()
        imports = [node for node in tree.body[1:] if isinstance(node, ast.Import | ast.ImportFrom)]
        # the order of effects counts
        effects = [node for node in tree.body[1:] if isinstance(node, ast.Expr)]
        definitions = [
            node for node in tree.body[1:] if node not in imports and node not in effects
        ]
        reordered = ast.Module([*imports[::-1], *definitions[::-1], *effects], [])
        path.write_text(ast.unparse(reordered), encoding="utf-8")
    assert digests_of(package) == committed


def test_modules_and_definitions_are_handled_once(committed, monkeypatch):
    module, form = Mock(wraps=names.Module), Mock(wraps=digest._form)
    monkeypatch.setattr(names, "Module", module)
    monkeypatch.setattr(digest, "_form", form)
    assert len(digests_of(PACKAGE)) == len(committed) > 60
    assert set(Counter(call.args[0] for call in module.call_args_list).values()) == {1}
    assert set(Counter(call.args[1] for call in form.call_args_list).values()) == {1}


# what toy packages show better than the package itself


@pytest.fixture
def toy(tmp_path):
    """A function that writes the modules of a package `toy` and gives the digest of a.root."""

    def digest(**modules):
        folder = tmp_path / "toy"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in ({"__init__": ""} | modules).items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        return digests(folder, [("toy.a", "root")])["toy.a", "root"]

    return digest


SAME = {
    "a member of a module and the name itself": (
        {"a": "from toy import b\ndef root(): return b.f(1)", "b": "def f(x): return x"},
        {"a": "from toy.b import f as g\ndef root(): return g(1)", "b": "def f(x): return x"},
    ),
    "an import inside a function": (
        {"a": "from toy.b import f\ndef root(): return f(1)", "b": "def f(x): return x"},
        {"a": "def root():\n  import toy.b\n  return toy.b.f(1)", "b": "def f(x): return x"},
    ),
    "a relative import": (
        {"a": "from toy.b import f\ndef root(): return f(1)", "b": "def f(x): return x"},
        {"a": "from .b import f\ndef root(): return f(1)", "b": "def f(x): return x"},
    ),
    "a module that passes a name on": (
        {"a": "from toy.b import f\ndef root(): return f(1)", "b": "def f(x): return x"},
        {"a": "from toy.c import g\ndef root(): return g(1)", "b": "def f(x): return x",
         "c": "from toy.b import f as g"},
    ),
    "a positional parameter said by its new name": (
        {"a": "def f(x, y): return x - y\ndef root(): return f(1, y=2)"},
        {"a": "def f(u, v): return u - v\ndef root(): return f(1, v=2)"},
    ),
    "functions that call each other": (
        {"a": "def root(n): return n and odd(n - 1)\ndef odd(n): return not n or root(n - 1)"},
        {"a": "def uneven(k): return not k or root(k - 1)\n"
         "def root(k): return k and uneven(k - 1)"},
    ),
    "an outer local of an inner function": (
        {"a": "def root():\n  x = 0\n  def f():\n    nonlocal x\n    x += 1\n  return f, x"},
        {"a": "def root():\n  y = 0\n  def g():\n    nonlocal y\n    y += 1\n  return g, y"},
    ),
    "an import for the type checker": (
        {"a": "from toy.b import T\ndef root(x: T): return x", "b": "class T: pass"},
        {"a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  from toy.b import T\n"
         "def root(x: T): return x",
         "b": "class T: pass"},
    ),
}  # fmt: skip
DIFFERENT = {
    "a local and a global": (
        {"a": "x = 1\ndef root():\n  x = 2\n  return x"},
        {"a": "x = 1\ndef root():\n  y = 2\n  return x"},
    ),
    "two swapped parameters whose names are said": (
        {"a": "def f(x, y): return x - y\ndef root(): return f(x=1, y=2)"},
        {"a": "def f(y, x): return y - x\ndef root(): return f(x=1, y=2)"},
    ),
    "a value found by its name in a module": (
        {"a": "from toy import b\ndef root(name): return getattr(b, name)", "b": "f = 1\ng = 2"},
        {"a": "from toy import b\ndef root(name): return getattr(b, name)", "b": "g = 1\nf = 2"},
    ),
    "a statement that binds nothing": (
        {"a": "import numpy as np\nnp.seterr(all='raise')\ndef root(): return 1"},
        {"a": "import numpy as np\nnp.seterr(all='warn')\ndef root(): return 1"},
    ),
    "one in the folder's __init__": (
        {"a": "def root(): return 1", "__init__": "import os\nos.environ['A'] = '1'"},
        {"a": "def root(): return 1", "__init__": "import os\nos.environ['A'] = '2'"},
    ),
    "two names of one assignment": (
        {"a": "one, root = 1, 2"},
        {"a": "root, one = 1, 2"},
    ),
    "a name that is assigned twice": (
        {"a": "root = 1\nroot += 1"},
        {"a": "root = 1\nroot += 2"},
    ),
    "a name under a condition": (
        {"a": "import sys\nif sys.version_info > (3, 11):\n  root = 1\nelse:\n  root = 2"},
        {"a": "import sys\nif sys.version_info > (3, 12):\n  root = 1\nelse:\n  root = 2"},
    ),
    "two constants swapped three calls away": (
        {"a": "A, B = 1, 2\ndef root(): return f()\ndef f(): return g()\ndef g(): return A"},
        {"a": "A, B = 1, 2\ndef root(): return f()\ndef f(): return g()\ndef g(): return B"},
    ),
    "nothing and None": (
        {"a": "def root(x): return {**x}"},
        {"a": "def root(x): return {None: x}"},
    ),
    "the same name of two libraries": (
        {"a": "from math import sqrt\ndef root(x): return sqrt(x)"},
        {"a": "from numpy import sqrt\ndef root(x): return sqrt(x)"},
    ),
    "the name of a class in its own method": (
        {"a": "x = 1\nclass root:\n  x = 2\n  def f(self): return x"},
        {"a": "x = 1\nclass root:\n  x = 2\n  def f(self): return self.x"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_two_ways_to_say_the_same_have_one_digest(toy, case):
    first, second = SAME[case]
    assert toy(**first) == toy(**second)


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_does_something_else_has_another_digest(toy, case):
    first, second = DIFFERENT[case]
    assert toy(**first) != toy(**second)


def test_descriptive_arguments_do_not_count(tmp_path):
    found = []
    for note in ("old", "new"):
        (tmp_path / "a.py").write_text(
            f"class Card:\n  pass\ndef root(): return Card(note={note!r}, path='x')"
        )
        root = (f"{tmp_path.name}.a", "root")
        descriptives = ({}, {"Card": ["note"]})
        found.append([digests(tmp_path, [root], descriptive=given) for given in descriptives])
    (old, old_less), (new, new_less) = found
    assert old != new
    assert old_less == new_less


def test_a_root_that_is_not_there_is_named(tmp_path):
    (tmp_path / "a.py").write_text("x = 1")
    with pytest.raises(ValueError, match="does not define the name fit"):
        digests(tmp_path, [(f"{tmp_path.name}.a", "fit")])
