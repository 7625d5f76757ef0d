"""Finds what a name in a module refers to: a definition of the package, a library or a builtin."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ALL = "*"  # name of a Symbol: all public definitions of a module that is used as a value
EFFECTS = ""  # name of a Symbol: the statements of a module that bind no name, such as a call
OUTER = "<outer>"  # in place of an import path: the name belongs to an outer scope
# statements that have no effect themselves
IDLE = (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal)
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Symbol(NamedTuple):
    """A reference to a definition of the package, to a library or to a builtin."""

    module: str
    """The dotted name of the module; empty for a library and a builtin."""
    name: str
    """The name in the module, ALL or EFFECTS; for a library and a builtin the whole dotted path."""


def idle(node: object) -> bool:
    """Whether a statement has no effect: a docstring, an import or `pass`."""
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or isinstance(node, IDLE)


def bindings(*nodes: ast.AST) -> Iterator[tuple[str, str]]:
    """Yields (name, import path) for each name that nodes of a syntax tree bind in their scope.

    The path is empty unless the name is imported.
    """
    for node in nodes:
        yield from _bound(node)
        if not isinstance(
            node, Function | Comprehension | ast.ClassDef | ast.Import | ast.ImportFrom
        ):
            yield from bindings(*ast.iter_child_nodes(node))


def _bound(node: ast.AST) -> Iterable[tuple[str, str]]:
    """(name, import path) of each name that a node itself binds, without those of its children."""
    match node:
        case ast.Import():
            return [_imported_module(alias) for alias in node.names]
        case ast.ImportFrom():
            paths = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [alias.asname or alias.name for alias in node.names]
            return zip(names, paths, strict=True)
        case ast.Global() | ast.Nonlocal():
            return [(name, OUTER) for name in node.names]
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return [(node.id, "")]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            assigned = [inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)]
            return bindings(*(inner.target for inner in assigned))
    # def, class, except ... as, case ... as, **rest
    name = getattr(node, "name", None) or getattr(node, "rest", None)
    return [(name, "")] if isinstance(name, str) else []


def _imported_module(alias: ast.alias) -> tuple[str, str]:
    """(name, import path) that `import path as name` binds; `import a.b` binds a."""
    if alias.asname:
        return alias.asname, alias.name
    first = alias.name.split(".")[0]
    return first, first


class Module:
    """A parsed module of the package."""

    definitions: dict[str, list[ast.stmt]]
    """Name -> the statements at the top of the module that bind the name."""
    imports: dict[str, str]
    """Name -> the dotted path from which the name is imported."""
    effects: list[ast.stmt]
    """The statements at the top of the module that bind no name."""

    def __init__(self, path: Path, package: str) -> None:
        tree = ast.parse(path.read_bytes(), path)
        _make_absolute(tree, package)
        self.definitions, self.imports, self.effects = {}, {}, []
        for statement in tree.body:
            bound = dict.fromkeys(bindings(statement))
            self.imports |= {name: path for name, path in bound if path}
            names = [name for name, path in bound if not path]
            for name in names:
                self.definitions.setdefault(name, []).append(statement)
            if not names and not _only_imports(statement):
                self.effects.append(statement)


class Package:
    """The modules of a Python package by import path; each module is parsed when first needed."""

    def __init__(self, root: Path) -> None:
        self._paths: dict[str, Path] = {}
        self._parsed: dict[str, Module] = {}
        for path in root.rglob("*.py"):
            self._add(path, [root.name, *path.relative_to(root).parts])
        experiments = root.parent / "experiments"
        for path in experiments.glob("*/*/*.py"):
            self._add(path, [root.name, "papers", *path.relative_to(experiments).parts])

    def _add(self, path: Path, parts: list[str]) -> None:
        """Adds a file that is imported under the dotted name of some parts."""
        self._paths[".".join(parts).removesuffix(".py").removesuffix(".__init__")] = path

    def module(self, name: str) -> Module | None:
        """The parsed module with the import path `name`; None if the package has no such module."""
        if name not in self._parsed and name in self._paths:
            path = self._paths[name]
            package = name if path.stem == "__init__" else name.rpartition(".")[0]
            self._parsed[name] = Module(path, package)
        return self._parsed.get(name)

    def statements(self, symbol: Symbol) -> list[ast.stmt]:
        """The statements that define a symbol; empty for a symbol from outside the package."""
        module = self.module(symbol.module)
        if not module:
            return []
        return module.effects if symbol.name == EFFECTS else module.definitions.get(symbol.name, [])

    def public(self, module: str) -> list[Symbol]:
        """The symbols of the public definitions of a module, sorted by their names."""
        found = self.module(module)
        names = found.definitions if found else {}
        return [Symbol(module, name) for name in sorted(names) if not name.startswith("_")]

    def function(self, symbol: Symbol) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function that a symbol refers to; None for a symbol that is not a function."""
        statements = self.statements(symbol)
        last = statements[-1] if statements else None
        return last if isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef) else None

    def at_top(self, module: str, name: str) -> Symbol:
        """The symbol of a name at the top of a module; a name without definition is a builtin."""
        if self.statements(Symbol(module, name)):
            return Symbol(module, name)
        found = self.module(module)
        if found and name in found.imports:
            return self.imported(found.imports[name])
        return Symbol("", name)

    def imported(self, path: str) -> Symbol:
        """The symbol that an imported dotted path refers to, also if other modules re-export it."""
        module, _, name = path.rpartition(".")
        if path in self._paths and not self.statements(Symbol(module, name)):
            return Symbol(path, ALL)
        return self.at_top(module, name) if module in self._paths else Symbol("", path)

    def member(self, symbol: Symbol, attribute: str) -> Symbol | None:
        """The symbol of an attribute of a module or library; None if `symbol` is neither."""
        if symbol.name == ALL:
            return self.imported(f"{symbol.module}.{attribute}")
        return None if symbol.module else Symbol("", f"{symbol.name}.{attribute}")


def _make_absolute(tree: ast.Module, package: str) -> None:
    """Makes the relative imports of a module of `package` absolute, in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = package.split(".")[: 1 - node.level or None]
            if node.module:
                parts.append(node.module)
            node.module = ".".join(parts)


def _only_imports(statement: ast.stmt) -> bool:
    """Whether a statement consists of imports, possibly within `if` or `try`."""
    inside = [node for node in ast.walk(statement) if isinstance(node, ast.stmt)]
    return all(idle(node) or isinstance(node, ast.If | ast.Try) for node in inside)
