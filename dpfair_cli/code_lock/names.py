"""What the names in a package's modules stand for: a definition of the package, one of its modules,
or a library's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ALL = "*"  # in place of a name: every public definition of the module, for a module that is used as a value
EFFECTS = ""  # in place of a name: the statements of a module that bind nothing, such as a call
OUTER = "<outer>"  # in place of an import's path: the name belongs to a scope further out
IDLE = (
    ast.Import,
    ast.ImportFrom,
    ast.Pass,
    ast.Global,
    ast.Nonlocal,
)  # what they do shows where the names are used
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Symbol(NamedTuple):
    """A definition of the package; of a library or a builtin, `module` is empty and `name` the
    whole dotted path.
    """

    module: str
    name: str


def idle(node: object) -> bool:
    """Whether a statement does nothing by itself: docstrings, imports, pass."""
    return isinstance(node, IDLE) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def bindings(*nodes: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that nodes bind in their own scope, each with the path that it is imported from, if
    it is.
    """
    for node in nodes:
        yield from _bound(node)
        if not isinstance(
            node, Function | Comprehension | ast.ClassDef | ast.Import | ast.ImportFrom
        ):
            yield from bindings(*ast.iter_child_nodes(node))


def _bound(node: ast.AST) -> Iterable[tuple[str, str]]:
    """The names that a node binds, without its children."""
    match node:
        case ast.Import():
            paths = [
                alias.name if alias.asname else alias.name.split(".")[0] for alias in node.names
            ]
            return [
                (alias.asname or path, path) for alias, path in zip(node.names, paths, strict=True)
            ]
        case ast.ImportFrom():
            return [
                (alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names
            ]
        case ast.Global() | ast.Nonlocal():
            return [(name, OUTER) for name in node.names]
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return [(node.id, "")]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return bindings(
                *(inner.target for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
            )
    name = getattr(node, "name", None) or getattr(
        node, "rest", None
    )  # def, class, except ... as, case ... as, **rest
    return [(name, "")] if isinstance(name, str) else []


class Module:
    """A parsed module: the statements behind each definition, the path behind each import, and the
    other statements.
    """

    def __init__(self, path: Path, package: str) -> None:
        tree = ast.parse(path.read_bytes(), path)
        _make_absolute(tree, package)
        self.definitions: dict[str, list[ast.stmt]] = {}
        self.imports: dict[str, str] = {}
        self.effects: list[ast.stmt] = []
        for statement in tree.body:
            bound = dict.fromkeys(bindings(statement))
            self.imports |= {name: path for name, path in bound if path}
            names = [name for name, path in bound if not path]
            for name in names:
                self.definitions.setdefault(name, []).append(statement)
            if not names and not _only_imports(statement):
                self.effects.append(statement)


class Package:
    """The modules of a package by their dotted names; each is parsed when it is first asked for."""

    def __init__(self, root: Path) -> None:
        self._paths: dict[str, Path] = {}
        self._parsed: dict[str, Module] = {}
        for path in root.rglob("*.py"):
            parts = [root.name, *path.relative_to(root).with_suffix("").parts]
            self._paths[".".join(parts).removesuffix(".__init__")] = path

    def module(self, name: str) -> Module | None:
        """The module of that name, if the package has it."""
        if name not in self._parsed and name in self._paths:
            path = self._paths[name]
            self._parsed[name] = Module(
                path, name if path.stem == "__init__" else name.rpartition(".")[0]
            )
        return self._parsed.get(name)

    def statements(self, symbol: Symbol) -> list[ast.stmt]:
        """What stands behind a symbol: the statements that bind the name, or none if the package
        does not define it.
        """
        module = self.module(symbol.module)
        if not module:
            return []
        return module.effects if symbol.name == EFFECTS else module.definitions.get(symbol.name, [])

    def public(self, module: str) -> list[Symbol]:
        """The public definitions of a module, sorted by their names."""
        found = self.module(module)
        names = found.definitions if found else {}
        return [Symbol(module, name) for name in sorted(names) if not name.startswith("_")]

    def function(self, symbol: Symbol) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function that a symbol stands for, if it is one of the package."""
        statements = self.statements(symbol)
        last = statements[-1] if statements else None
        return last if isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef) else None

    def at_top(self, module: str, name: str) -> Symbol:
        """What a name at the top of a module stands for; a name that is not there is a builtin."""
        if self.statements(Symbol(module, name)):
            return Symbol(module, name)
        found = self.module(module)
        return (
            self.imported(found.imports[name])
            if found and name in found.imports
            else Symbol("", name)
        )

    def imported(self, path: str) -> Symbol:
        """What a dotted path leads to, through however many modules that pass it on."""
        module, _, name = path.rpartition(".")
        if path in self._paths and not self.statements(Symbol(module, name)):
            return Symbol(path, ALL)
        return self.at_top(module, name) if module in self._paths else Symbol("", path)

    def member(self, symbol: Symbol, attribute: str) -> Symbol | None:
        """What an attribute of a module or of something in a library stands for; None if it is one
        of a value.
        """
        if symbol.name == ALL:
            return self.imported(f"{symbol.module}.{attribute}")
        return None if symbol.module else Symbol("", f"{symbol.name}.{attribute}")


def _make_absolute(tree: ast.Module, package: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            parents = package.split(".")[: 1 - node.level or None]
            node.module = ".".join([*parents, *([node.module] if node.module else [])])


def _only_imports(statement: ast.stmt) -> bool:
    inside = [node for node in ast.walk(statement) if isinstance(node, ast.stmt)]
    return all(idle(node) or isinstance(node, ast.If | ast.Try) for node in inside)
