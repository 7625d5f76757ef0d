"""The normal form of a definition: its syntax without positions, comments, docstrings and the names
nobody else says.

Locals and positional parameters are numbers in the order in which they first occur, a name that
leads to a definition of the package is a reference to it, and one that leads to a library is its
dotted path, whatever its alias. What others can say is kept as written: attributes, fields, methods
with their parameters, keyword-only parameters. Annotations count: they hold the allowed values.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from dpfair_cli.code_lock.names import (
    OUTER,
    Comprehension,
    Function,
    Package,
    Symbol,
    bindings,
    idle,
)

LEFT_OUT = {
    "ctx",
    "type_comment",
    "kind",
}  # of a syntax tree: they follow from the rest, or say how it was spelt
PARAMETERS = ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg")
Descriptive = Mapping[
    str, Collection[str]
]  # class of records -> keyword arguments that do not count
Form = tuple[str | Symbol, ...]


def normal_form(
    package: Package, module: str, statements: list[ast.stmt], descriptive: Descriptive
) -> Form:
    """The text of statements at the top of a module, with a Symbol wherever they refer to the
    package.
    """
    writer = _Writer(package, module, descriptive)
    writer.write(statements)
    return tuple(_joined(writer.tokens))


def _joined(tokens: list[str | Symbol]) -> Iterator[str | Symbol]:
    """The tokens, the text between two references in one piece."""
    text: list[str] = []
    for token in tokens:
        if isinstance(token, Symbol):
            yield from (" ".join(text), token)
            text = []
        else:
            text.append(token)
    yield " ".join(text)


class _Scope(NamedTuple):
    """Names -> what they stand for, None for a local without a number yet; methods do not see those
    of their class.
    """

    names: dict[str, str | Symbol | None]
    of_class: bool = False


class _Writer(ast.NodeVisitor):
    """Writes the tokens of the nodes that it visits."""

    def __init__(self, package: Package, module: str, descriptive: Descriptive) -> None:
        self.package, self.module, self.descriptive = package, module, descriptive
        self.tokens: list[str | Symbol] = []
        self.scopes: list[_Scope] = []
        self.locals = 0

    def visit(self, node: ast.AST) -> None:
        """A reference or a path where the node is one, else the node in the way of its kind."""
        if path := self.path(node):
            self.write_symbol(path)
            return
        self.tokens.append(f"{type(node).__name__}(")
        if isinstance(node, Function):
            self.write_function(node)
        elif isinstance(node, Comprehension):
            self.write_comprehension(node)
        else:
            super().visit(node)
        self.tokens.append(")")

    def generic_visit(self, node: ast.AST) -> None:
        """All fields."""
        self.write_fields(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Its value, in ASCII: which characters are printable depends on the version of Python."""
        self.tokens.append(ascii(node.value))

    def visit_Name(self, node: ast.Name) -> None:
        """What it stands for."""
        self.write_name(node.id)

    def visit_Call(self, node: ast.Call) -> None:
        """A positional parameter that is said by its name is said by its place; what describes a
        record is not.
        """
        called = self.path(node.func)
        unread = self.descriptive.get(called.name, ()) if called and called.module else ()
        function = self.package.function(called) if called else None
        places = (
            [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
            if function
            else []
        )
        self.write([node.func, *node.args])
        for keyword in node.keywords:
            if keyword.arg not in unread:
                said = places.index(keyword.arg) if keyword.arg in places else keyword.arg
                self.write([said, keyword.value])

    def write_function(self, node: Function) -> None:
        """Decorators, defaults and annotations belong to the scope around; a method's parameters
        can be said.
        """
        if not isinstance(node, ast.Lambda):
            self.write_name(node.name)
        parameters = {kind: _listed(getattr(node.args, kind)) for kind in PARAMETERS}
        every = [arg for args in parameters.values() for arg in args]
        self.write_fields(node, but=("name", "args", "body"))
        self.write(
            [*node.args.defaults, *node.args.kw_defaults, *(arg.annotation for arg in every)]
        )
        method = bool(self.scopes) and self.scopes[-1].of_class
        body = _listed(node.body)
        with self.inside(_Scope(dict.fromkeys(arg.arg for arg in every) | self.local_names(body))):
            for kind, args in parameters.items():
                self.write([kind, *(arg.arg for arg in args if method or kind == "kwonlyargs")])
                for arg in args:
                    self.write_name(arg.arg)
            self.write(body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Names of its own are kept."""
        self.write_name(node.name)
        self.write_fields(node, but=("name", "body"))
        with self.inside(
            _Scope({name: f".{name}" for name, _ in bindings(*node.body)}, of_class=True)
        ):
            self.write(node.body)

    def write_comprehension(self, node: Comprehension) -> None:
        """The first iterable belongs to the scope around."""
        first = node.generators[0]
        self.visit(first.iter)
        with self.inside(
            _Scope(
                dict.fromkeys(name for part in node.generators for name, _ in bindings(part.target))
            )
        ):
            for part in node.generators:
                self.write_fields(part, but=("iter",) if part is first else ())
            self.write_fields(node, but=("generators",))

    def write_fields(self, node: ast.AST, *, but: Collection[str] = ()) -> None:
        """The fields of a node that are not empty, without those of `but`."""
        for field, value in ast.iter_fields(node):
            if value is None or value == [] or field in LEFT_OUT or field in but:
                continue
            self.tokens.append(f"{field}=")
            if isinstance(value, str) and field in (
                "name",
                "rest",
            ):  # except ... as name, case ... as name, **rest
                self.write_name(value)
            else:
                self.write(_listed(value))

    def write(self, values: Iterable[Any]) -> None:
        """A list of nodes and plain values, without statements that do nothing."""
        self.tokens.append("[")
        for value in values:
            if not isinstance(value, ast.AST):
                self.tokens.append(ascii(value))
            elif not idle(value):
                self.visit(value)
        self.tokens.append("]")

    def write_name(self, name: str) -> None:
        """What a name stands for here."""
        found = self.meaning(name)
        if isinstance(found, Symbol):
            self.write_symbol(found)
        else:
            self.tokens.append(found)

    def write_symbol(self, symbol: Symbol) -> None:
        """A reference, or the name of a record's class or of something outside the package."""
        self.tokens.append(
            symbol if symbol.module and symbol.name not in self.descriptive else symbol.name
        )

    def meaning(self, name: str) -> str | Symbol:
        """The number of a local, a name of the class around, or a symbol."""
        for scope in reversed(self.scopes):
            if name in scope.names and (scope is self.scopes[-1] or not scope.of_class):
                found = scope.names[name] or f"${self.locals}"
                self.locals += scope.names[name] is None
                scope.names[name] = found
                return found
        return self.package.at_top(self.module, name)

    def path(self, node: ast.AST) -> Symbol | None:
        """What a name or a dotted path through modules stands for; None for a local and for an
        attribute of a value.
        """
        if isinstance(node, ast.Name):
            found = self.meaning(node.id)
            return found if isinstance(found, Symbol) else None
        if isinstance(node, ast.Attribute) and (start := self.path(node.value)):
            return self.package.member(start, node.attr)
        return None

    def local_names(self, body: Iterable[ast.AST]) -> dict[str, str | Symbol | None]:
        """The names that a function's body binds."""
        bound = list(bindings(*body))
        imported: dict[str, str | Symbol | None] = {
            name: self.package.imported(path) for name, path in bound if path
        }
        names = imported | {name: None for name, path in bound if not path}
        return {name: found for name, found in names.items() if (name, OUTER) not in bound}

    @contextmanager
    def inside(self, scope: _Scope) -> Iterator[None]:
        """Names are looked for in `scope` first."""
        self.scopes.append(scope)
        yield
        self.scopes.pop()


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
