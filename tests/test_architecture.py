"""The design as tests: who may import whom, where noise may be drawn, and how long a function may
be.
"""

import ast
import statistics
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import dpfair_cli

PACKAGE = Path(dpfair_cli.__file__).parent
ROOMS = {  # a room or top-level module -> the rooms it may import; the order is from the bottom up
    "paths": set(),
    "contracts": set(),
    "provenance": {"contracts"},
    "kinds": {"contracts"},
    "mechanisms": {"contracts"},
    "models": {"contracts", "kinds", "mechanisms"},
    "metrics": {"contracts"},
    "algorithms": {"contracts", "kinds", "mechanisms", "models"},
    "formats": {"contracts", "kinds", "models"},
    "datasets": {"paths", "contracts", "kinds", "models", "formats"},
    "tasks": {"contracts", "kinds", "mechanisms", "models", "metrics", "algorithms"},
    "catalog": {"contracts", "kinds"},
    "data_access": {"paths", "contracts", "kinds", "formats"},
    "verdicts": {"contracts"},
    "running": {"paths", "contracts", "provenance", "kinds", "catalog", "data_access"},
    "referee": {"contracts", "verdicts"},
    "reporting": {"contracts", "verdicts", "referee"},
    "error_rates": {"paths", "contracts", "verdicts", "reporting"},
    "release": {
        "contracts",
        "provenance",
        "kinds",
        "mechanisms",
        "models",
        "metrics",
        "formats",
        "catalog",
        "data_access",
        "running",
    },
    "auditing": {"contracts", "kinds", "mechanisms", "catalog", "data_access", "release"},
    "reproduction": {
        "paths",
        "contracts",
        "kinds",
        "mechanisms",
        "formats",
        "catalog",
        "data_access",
        "verdicts",
        "referee",
        "running",
        "reporting",
        "auditing",
        "release",
    },
    "forensics": {
        "paths",
        "contracts",
        "mechanisms",
        "verdicts",
        "running",
        "reporting",
        "reproduction",
    },
    "diff": {
        "paths",
        "contracts",
        "catalog",
        "data_access",
        "verdicts",
        "running",
        "reporting",
        "reproduction",
    },
    "receipts": {
        "paths",
        "contracts",
        "provenance",
        "catalog",
        "data_access",
        "verdicts",
        "running",
        "reporting",
    },
    "estimator": {"contracts", "kinds", "mechanisms", "models", "formats", "catalog", "release"},
    "commands": None,  # everything
    "__main__": {"commands"},
}
# what may be drawn outside mechanisms/; its bit_generator is asked for its state, to go on from
# there
GENERATOR_METHODS = {"permutation", "permuted", "integers", "choice", "spawn", "bit_generator"}


@cache
def sources():
    """The syntax tree of every file of the package."""
    return {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


def unit(name):
    """dpfair_cli.models.regression.linear -> models."""
    return name.partition(".")[2].partition(".")[0]


def module_name(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


def imports(tree):
    """Dotted names that a file imports, at any depth; `from a import b` gives a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def internal(tree):
    return [name for name in imports(tree) if name.startswith("dpfair_cli.")]


def nodes(kind, inside=lambda path: True):
    return [
        (path, node)
        for path, tree in sources().items()
        if inside(path)
        for node in ast.walk(tree)
        if isinstance(node, kind)
    ]


def place(path, node):
    return f"{path.relative_to(PACKAGE)}:{node.lineno}"


def dotted(node):
    """The text a.b.c of an attribute chain."""
    return ast.unparse(node)


def outside(*folders):
    return lambda path: not {unit(module_name(path))} & set(folders)


def test_every_module_has_a_room():
    assert {unit(module_name(path)) for path in sources()} - {""} == set(ROOMS)


def test_rooms_import_downwards_only():
    order = list(ROOMS)
    for room, below in ROOMS.items():
        assert all(order.index(other) < order.index(room) for other in below or ()), room


def test_a_module_imports_only_what_its_room_may():
    for path, tree in sources().items():
        own = unit(module_name(path))
        imported = {unit(name) for name in internal(tree)} - {own, ""}
        if own and ROOMS[own] is not None:
            assert imported <= ROOMS[own], path


def test_the_package_itself_imports_provenance_only():
    assert {unit(name) for name in internal(sources()[PACKAGE / "__init__.py"])} <= {"provenance"}


def test_imports_have_no_cycle():
    names = {module_name(path) for path in sources()}
    graph = {module_name(path): {n if n in names else n.rpartition(".")[0] for n in internal(tree)}
             for path, tree in sources().items()}  # fmt: skip
    assert list(TopologicalSorter(graph).static_order())


def test_algorithms_mechanisms_and_metrics_know_no_files():
    for path, tree in sources().items():
        if unit(module_name(path)) in {"algorithms", "mechanisms", "models", "metrics"}:
            roots = {name.split(".")[0] for name in imports(tree)}
            of_files = {"yaml", "json", "os", "pathlib", "click", "io"}
            if path.name == "secure.py":
                of_files.remove("os")  # for `register_at_fork`, which reads no file
            assert not roots & of_files, path


def test_no_file_is_named_after_nothing():
    vague = {"utils", "util", "helpers", "helper", "common", "base", "misc", "core"}
    names = {path.stem for path in sources()} | {path.parent.name for path in sources()}
    assert not names & vague


def test_nobody_uses_the_global_generator():
    allowed = {"Generator", "default_rng", "SeedSequence", "BitGenerator"}
    for path, node in nodes(ast.Attribute):
        if dotted(node.value) in {"np.random", "numpy.random"}:
            assert node.attr in allowed, place(path, node)
    for tree in sources().values():
        assert not [
            n for n in imports(tree) if n.split(".")[0] == "random" or n.startswith("numpy.random.")
        ]


def test_generators_are_not_born_where_they_are_used():
    for path, node in nodes(
        ast.Attribute, lambda path: not outside("algorithms", "mechanisms", "models")(path)
    ):
        assert node.attr != "default_rng", place(path, node)


@cache
def kinds_of_data():
    return {node.name for _, node in nodes(ast.ClassDef, lambda path: not outside("kinds")(path))}


def takes_data(function):
    """Whether an argument is a kind of data, or numbers that may be of such."""
    annotations = [
        arg.annotation
        for arg in ast.walk(function.args)
        if isinstance(arg, ast.arg) and arg.annotation
    ]
    words = {
        node.id for hint in annotations for node in ast.walk(hint) if isinstance(node, ast.Name)
    }
    return bool(
        words & {"Floats", "Ints", "Pixels", "NDArray", "ArrayLike", "Any", *kinds_of_data()}
    )


def test_noise_is_drawn_in_mechanisms_only():
    """A function that takes no data has nothing to add noise to: it may draw records, networks and
    starting points.
    """
    for path, function in nodes((ast.FunctionDef, ast.Lambda), outside("mechanisms")):
        for node in ast.walk(function) if takes_data(function) else ():
            if (
                isinstance(node, ast.Attribute)
                and dotted(node.value).endswith("rng")
                and node.attr != "default_rng"
            ):
                assert node.attr in GENERATOR_METHODS, f"{place(path, node)}: {dotted(node)}"


def test_only_commands_talk_to_the_user():
    for path, node in nodes(ast.Call, outside("commands")):
        assert dotted(node.func) != "print", place(path, node)
    for path, tree in sources().items():
        if unit(module_name(path)) != "commands":
            assert "click" not in {name.split(".")[0] for name in imports(tree)}, path


def body_lines(function):
    """Lines of a function without its signature and docstring."""
    start = (
        function.body[1:]
        if ast.get_docstring(function) and len(function.body) > 1
        else function.body
    )
    return function.end_lineno - start[0].lineno + 1


def test_functions_are_short():
    functions = nodes((ast.FunctionDef, ast.AsyncFunctionDef))
    lengths = {place(path, node): body_lines(node) for path, node in functions}
    assert {name: lines for name, lines in lengths.items() if lines > 50} == {}
    assert statistics.median(lengths.values()) <= 8


def test_every_file_says_its_idea_in_its_first_line():
    for path, tree in sources().items():
        first = (ast.get_docstring(tree) or "").split("\n")[0]
        assert first.endswith((".", ":")), path


def test_commands_load_nothing_but_click_before_they_run():
    names = [module_name(path) for path in sources() if unit(module_name(path)) == "commands"]
    code = (
        f"import sys, importlib; old = set(sys.modules); [importlib.import_module(n) for n in "
        f"{names}]; "
        "print(*sorted({n.split('.')[0] for n in set(sys.modules) - old} - "
        "set(sys.stdlib_module_names)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == {"click", "dpfair_cli"}


def test_a_file_is_written_whole_by_the_module_writing():
    """A journal and the summary of a workflow grow at the end; os.devnull is no file.

    A lock is on a file that must not be replaced.
    """
    for path, node in nodes(ast.Call):
        function = node.func
        if not isinstance(function, ast.Attribute) or path.name == "writing.py":
            continue
        opened = function.attr == "open" and any(
            isinstance(mode, ast.Constant) and str(mode.value)[:1] in "wax" for mode in node.args
        )
        if function.attr in {"write_text", "write_bytes"} or opened:
            others = ("running/journal.py", "running/folder_lock.py", "commands/check.py")
            appends = str(path).endswith(others)
            nowhere = "devnull" in ast.unparse(node)
            assert appends or nowhere, place(path, node)
