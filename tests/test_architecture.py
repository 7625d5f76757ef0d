"""The design as tests: who may import whom, where noise may be drawn, and how long a function may
be.

import-linter would say less of the imports: its contracts list what is forbidden, where the tables
here list all that is allowed, and it does not see the code in experiments/, whose imports count as
those of a room.
"""

import ast
import re
import statistics
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import dpfair_cli
from dpfair_cli import catalog, papers

PACKAGE = Path(dpfair_cli.__file__).parent
ADDONS_FOLDER = PACKAGE / "addons"
ROOMS = {  # a room or top-level module -> the rooms it may import; the order is from the bottom up
    "paths": set(),
    "papers": {"paths"},
    "contracts": set(),
    "provenance": {"contracts"},
    "kinds": {"contracts"},
    "mechanisms": {"contracts"},
    "models": {"contracts", "kinds", "mechanisms"},
    "metrics": {"contracts"},
    # what authors of methods import from: a new file may do so in any room above
    "plugin": {"contracts", "kinds", "mechanisms", "models"},
    "algorithms": {"contracts", "kinds", "mechanisms", "models", "plugin"},
    "formats": {"contracts", "kinds", "models"},
    "datasets": {"paths", "contracts", "kinds", "models", "formats", "plugin"},
    "reanalysis": {"contracts"},
    "tasks": {"contracts", "kinds", "mechanisms", "models", "metrics", "algorithms", "plugin"},
    "catalog": {"papers", "contracts", "kinds"},
    "data_access": {"paths", "contracts", "kinds", "formats"},
    "verdicts": {"contracts"},
    "running": {
        "paths",
        "contracts",
        "provenance",
        "kinds",
        "reanalysis",
        "catalog",
        "data_access",
    },
    "reporting": {"contracts", "verdicts"},
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
        "reanalysis",
        "catalog",
        "data_access",
        "verdicts",
        "running",
        "reporting",
        "auditing",
        "release",
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
    "estimator": {"contracts", "kinds", "mechanisms", "models", "formats", "catalog", "release"},
    "commands": None,  # everything
    "__main__": {"commands"},
}
# an add-on -> the rooms it may import; its commands may import all. No room imports an add-on
ADDONS = {
    "error_rates": {"paths", "contracts", "verdicts", "reporting"},
    "foreign_audits": {"contracts", "kinds", "mechanisms", "auditing"},
    "forensics": {
        "paths",
        "contracts",
        "mechanisms",
        "verdicts",
        "running",
        "reporting",
        "reproduction",
    },
    "receipts": {
        "paths",
        "contracts",
        "provenance",
        "verdicts",
        "running",
        "reporting",
    },
    "referee": {
        "paths",
        "contracts",
        "mechanisms",
        "verdicts",
        "running",
        "reporting",
        "auditing",
        "reproduction",
    },
}
# folder of a paper -> the room of dpfair_cli that has such modules: they may import what it may,
# and the room itself. The `models` of a paper may hold a kind of data, a score or a file format.
PAPER_ROOMS = {folder: room for room, folder in papers.FOLDERS.items()}
IMPORTERS = {  # folder and name of the modules that import a module by its name
    ("catalog", "__init__.py"),
    ("commands", "__init__.py"),
    ("contracts", "declarations.py"),
    ("formats", "converted_tables.py"),
    ("foreign_audits", "foreign_code.py"),
}
# what may be drawn outside mechanisms/; its bit_generator is asked for its state, to go on from
# there
GENERATOR_METHODS = {"permutation", "permuted", "integers", "choice", "spawn", "bit_generator"}
# functions of private methods that draw what is no batch: the name of an attribute, cells of a
# fitted model, the part of the records that has a use of its own, and neighbours for an audit
DRAWN_OUTSIDE = {
    ("perturbation.py", "chosen_attribute"),
    ("column_cells.py", "cells"),
    ("dpsgd_with_flips.py", "fit"),
    ("local_records.py", "altered"),
}


@cache
def sources():
    """The syntax tree of every file of the package and of the papers."""
    of_papers = [path for room in papers.FOLDERS for path in papers.modules(room)]
    trees = {path: ast.parse(path.read_text()) for path in [*PACKAGE.rglob("*.py"), *of_papers]}
    for path, tree in trees.items():
        make_absolute(path, tree)
    return dict(sorted(trees.items()))


@cache
def walked():
    """All nodes of every file, listed once: to walk the trees takes longer than most tests."""
    return {path: list(ast.walk(tree)) for path, tree in sources().items()}


def is_of_paper(path):
    return path.is_relative_to(papers.FOLDER)


def make_absolute(path, tree):
    """Imports are absolute; those of a paper from itself are relative, and become absolute here."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            assert is_of_paper(path), "imports are absolute"
            assert node.level <= 2, "a paper imports no other paper"
            above = module_name(path).split(".")[: -node.level]
            node.module, node.level = ".".join([*above, node.module or ""]).rstrip("."), 0


def unit(name):
    """dpfair_cli.models.regression.linear -> models, and the same for the models of a paper."""
    _, room, *inside = [*name.split("."), ""]
    return PAPER_ROOMS.get(inside[1], room) if room == "papers" and inside[1:] else room


def module_name(path):
    if is_of_paper(path):
        parts = ("dpfair_cli", "papers", *path.relative_to(papers.FOLDER).parts)
    else:
        parts = path.relative_to(PACKAGE.parent).parts
    return ".".join(parts).removesuffix(".py").removesuffix(".__init__")


@cache
def imports(tree):
    """Dotted names that a file imports, at any depth; `from a import b` gives a.b."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def internal(tree):
    return [name for name in imports(tree) if name.startswith("dpfair_cli.")]


def nodes(kind, inside=lambda path: True):
    return [
        (path, node)
        for path, inner in walked().items()
        if inside(path)
        for node in inner
        if isinstance(node, kind)
    ]


def place(path, node):
    return f"{path.relative_to(PACKAGE.parent)}:{node.lineno}"


def dotted(node):
    """The text a.b.c of an attribute chain."""
    return ast.unparse(node)


def outside(*folders):
    return lambda path: not {unit(module_name(path))} & set(folders)


def test_every_module_has_a_room():
    assert {unit(module_name(path)) for path in sources()} - {"", "addons"} == set(ROOMS)


def test_rooms_import_downwards_only():
    order = list(ROOMS)
    for room, below in ROOMS.items():
        assert all(order.index(other) < order.index(room) for other in below or ()), room


def test_a_module_imports_only_what_its_room_may():
    for path, tree in sources().items():
        own = unit(module_name(path))
        imported = {unit(name) for name in internal(tree)} - {own, ""}
        imported -= {"plugin"} if is_of_paper(path) else set()
        if own and own != "addons" and ROOMS[own] is not None:
            assert imported <= ROOMS[own], path


def is_command(path):
    """Whether a file talks to the user: one of commands, or the command of an add-on."""
    in_addon = unit(module_name(path)) == "addons" and path.name.endswith("command.py")
    return in_addon or unit(module_name(path)) == "commands"


def test_every_addon_has_its_rooms():
    folders = {path.name for path in (PACKAGE / "addons").iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} == set(ADDONS)


def test_no_room_imports_an_addon_and_no_addon_another():
    """Entry points alone lead to add-ons: no import does, and no text that is imported."""
    for path, tree in sources().items():
        addon = path.relative_to(PACKAGE).parts[1] if path.is_relative_to(ADDONS_FOLDER) else ""
        texts = [
            node.value
            for node in walked()[path]
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        modules = [text for text in texts if re.fullmatch(r"[\w.]+", text)]
        for name in (*internal(tree), *modules):
            if name.startswith("dpfair_cli.addons"):
                assert name.split(".")[2:3] == [addon], path


def test_an_addon_imports_only_what_it_may():
    for path, tree in sources().items():
        if path.is_relative_to(ADDONS_FOLDER) and path.parent != ADDONS_FOLDER:
            own = path.relative_to(ADDONS_FOLDER).parts[0]
            imported = {unit(name) for name in internal(tree)} - {"addons"}
            assert is_command(path) or imported <= ADDONS[own], path


def test_every_addon_is_registered_or_a_program():
    scripts = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    named = {text for points in scripts["entry-points"].values() for text in points.values()}
    for addon in ADDONS:
        registered = any(text.startswith(f"dpfair_cli.addons.{addon}.") for text in named)
        assert registered or (ADDONS_FOLDER / addon / "__main__.py").is_file(), addon


def test_papers_are_imported_neither_by_the_package_nor_by_each_other():
    for path, tree in sources().items():
        imported = {name.split(".")[2] for name in internal(tree) if name.count(".") > 2
                    and name.startswith("dpfair_cli.papers.")}  # fmt: skip
        assert imported <= ({path.parent.parent.name} if is_of_paper(path) else set()), path


def test_the_folder_of_a_paper_has_code_in_the_named_folders_only():
    found = {path for path in papers.FOLDER.glob("*/**/*.py") if path.parent.name != "tests"}
    assert found == set(filter(is_of_paper, sources()))


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


def test_data_name_no_code():
    """No pickle, no evaluated text, no unsafe YAML, and no import but of names that are listed."""
    unpickling = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
    forbidden = {"eval", "exec", "__import__", "torch.load", "pd.read_pickle", "runpy.run_path"}
    safe = {"_Loader", "_TextLoader", "yaml.BaseLoader"}
    for tree in sources().values():
        assert not unpickling & {name.split(".")[0] for name in imports(tree)}
    for path, node in nodes(ast.Call):
        function = dotted(node.func)
        keywords = {word.arg: dotted(word.value) for word in node.keywords}
        assert function not in forbidden, place(path, node)
        assert "allow_pickle" not in keywords, place(path, node)
        if function.startswith("yaml.") and "load" in function:
            assert keywords["Loader"] in safe, place(path, node)
        if function.endswith("import_module"):
            # the names of modules are those of files, entry points, constants and of a command
            assert (path.parent.name, path.name) in IMPORTERS, place(path, node)


def test_no_file_is_named_after_nothing():
    vague = {"utils", "util", "helpers", "helper", "common", "base", "misc", "core"}
    names = {path.stem for path in sources()} | {path.parent.name for path in sources()}
    assert not names & vague


def test_nobody_uses_the_global_generator():
    allowed = {"Generator", "default_rng", "SeedSequence", "BitGenerator"}
    for path, node in nodes(ast.Attribute):
        of_random = isinstance(node.value, ast.Attribute) and node.value.attr == "random"
        if of_random and dotted(node.value) in {"np.random", "numpy.random"}:
            # the draws of another program are made again with its kind of generator
            again = path.stem.endswith("_draws") and node.attr == "RandomState"
            assert node.attr in allowed or again, place(path, node)
    for tree in sources().values():
        assert not [
            n for n in imports(tree) if n.split(".")[0] == "random" or n.startswith("numpy.random.")
        ]


def test_generators_are_not_born_where_they_are_used():
    for path, node in nodes(
        ast.Attribute, lambda path: not outside("algorithms", "mechanisms", "models")(path)
    ):
        assert node.attr != "default_rng", place(path, node)


def test_what_is_released_names_a_secure_generator():
    """Ordinary generators have a seed that a user gave, or do not draw noise."""
    allowed = {
        ("model_files.py", "release_generator"),  # a known seed, which makes a guarantee void
        ("predicting.py", "predictions"),  # the same, of decisions
        ("training.py", "train"),  # splits and scores
        ("training.py", "sampled_table"),  # records of a fitted model
    }
    releasing = {"release", "estimator", "commands"}
    for path, function in nodes(ast.FunctionDef, lambda path: unit(module_name(path)) in releasing):
        ordinary = [
            node for node in ast.walk(function) if getattr(node, "attr", "") == "default_rng"
        ]
        assert not ordinary or (path.name, function.name) in allowed, place(path, function)


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
        dotted(node).rpartition(".")[2]
        for hint in annotations
        for node in ast.walk(hint)
        if isinstance(node, (ast.Name, ast.Attribute))
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


@cache
def of_private_methods():
    """The files of algorithms and models that private methods import, at any depth."""
    paths = {module_name(path): path for path in sources()}
    algorithms = map(catalog.algorithm, catalog.algorithms.names)
    left = [one.module for one in algorithms if one.guarantee.is_private]
    found = set()
    while left:
        name = left.pop()
        name = name if name in paths else name.rpartition(".")[0]
        if name not in found and unit(name) in {"algorithms", "models"}:
            found.add(name)
            left += internal(sources()[paths[name]])
    return {paths[name] for name in found}


def test_batches_are_drawn_in_mechanisms_only():
    """Private methods draw no rows, and say of no batch how it was drawn."""
    for path, function in nodes(ast.FunctionDef, of_private_methods().__contains__):
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and dotted(node.value).endswith("rng"):
                drawn = node.attr in GENERATOR_METHODS - {"spawn", "bit_generator"}
                allowed = (path.name, function.name) in DRAWN_OUTSIDE
                assert not drawn or allowed or not takes_data(function), place(path, node)
            if isinstance(node, ast.Call):
                name = dotted(node.func).rpartition(".")[2]
                stated = name == "replace" and dotted(node.args[0]).endswith(("draw", "batch"))
                assert name not in {"Batch", "Draw"}, place(path, node)
                assert not stated, place(path, node)


def test_only_commands_talk_to_the_user():
    for path, node in nodes(ast.Call, lambda path: not is_command(path)):
        named = isinstance(node.func, ast.Name)
        assert not named or node.func.id != "print", place(path, node)
    for path, tree in sources().items():
        if not is_command(path):
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
    # what they import is executed when it is used (commands.OnUse); with the commands of add-ons
    code = (
        "import sys; old = set(sys.modules); from dpfair_cli.commands import main; "
        "[main.get_command(None, name) for name in main.list_commands(None)]; "
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
        if not isinstance(function, ast.Attribute) or path.name == "files.py":
            continue
        opened = function.attr == "open" and any(
            isinstance(mode, ast.Constant) and str(mode.value)[:1] in "wax" for mode in node.args
        )
        if function.attr in {"write_text", "write_bytes"} or opened:
            others = ("running/journal.py", "running/folder_lock.py", "commands/check.py")
            appends = str(path).endswith(others)
            nowhere = "devnull" in ast.unparse(node)
            assert appends or nowhere, place(path, node)
