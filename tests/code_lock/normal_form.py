"""Normal forms of definitions: syntax without positions, comments, docstrings and local names.

Local names and positional parameters are replaced with numbers, in the order of their first
occurrence. The name of a definition of the package is replaced with a reference to the definition,
and the name of a library with its dotted path. Names that other code can use are kept: attributes,
fields, methods with their parameters, and keyword-only parameters. Annotations are also kept,
because they contain the allowed values.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.code_lock.names import (
    OUTER,
    Comprehension,
    Function,
    Package,
    Symbol,
    bindings,
    idle,
)

# fields of a syntax tree that follow from other fields, or that say how a string was written
LEFT_OUT = {"ctx", "type_comment", "kind"}
PARAMETERS = ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg")
Descriptive = Mapping[str, Collection[str]]  # class -> keyword arguments that do not count
Form = tuple[str | Symbol, ...]


def normal_form(
    package: Package, module: str, statements: list[ast.stmt], descriptive: Descriptive
) -> Form:
    """The normal form of statements of a module: tokens, with a Symbol for each reference."""
    writer = _Writer(package, module, descriptive)
    writer.write(statements)
    return tuple(_joined(writer.tokens))


def _joined(tokens: list[str | Symbol]) -> Iterator[str | Symbol]:
    """Yields the tokens of a normal form; neighbouring texts are joined to one token."""
    text: list[str] = []
    for token in tokens:
        if isinstance(token, Symbol):
            yield " ".join(text)
            yield token
            text = []
        else:
            text.append(token)
    yield " ".join(text)


class _Scope(NamedTuple):
    """The names that are bound in a function, class or comprehension, and their meanings."""

    names: dict[str, str | Symbol | None]
    """Name -> meaning; None for a local name that has no number yet."""
    of_class: bool = False
    """Whether this is the scope of a class, whose names are not visible in methods."""


class _Writer(ast.NodeVisitor):
    """A visitor of a syntax tree that collects the tokens of the normal form."""

    def __init__(self, package: Package, module: str, descriptive: Descriptive) -> None:
        self.package, self.module, self.descriptive = package, module, descriptive
        self.tokens: list[str | Symbol] = []
        self.scopes: list[_Scope] = []
        self.locals = 0

    def visit(self, node: ast.AST) -> None:
        """Writes the tokens of a node; a reference or a dotted path becomes one Symbol."""
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
        """Writes the tokens of all fields of a node of the syntax tree."""
        self.write_fields(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Writes the value of a constant in ASCII, which is equal in all versions of Python."""
        self.tokens.append(ascii(node.value))

    def visit_Name(self, node: ast.Name) -> None:
        """Writes what a name refers to: the number of a local name, or a Symbol."""
        self.write_name(node.id)

    def visit_Call(self, node: ast.Call) -> None:
        """Writes a call; for a positional parameter that is passed by name, writes its position.

        Descriptive keyword arguments of records are left out.
        """
        called = self.path(node.func)
        unread: Collection[str] = ()
        places: list[str] = []
        if called:
            function = self.package.function(called)
            if called.module:
                unread = self.descriptive.get(called.name, ())
            if function:
                places = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
        self.write([node.func, *node.args])
        for keyword in node.keywords:
            if keyword.arg not in unread:
                written = places.index(keyword.arg) if keyword.arg in places else keyword.arg
                self.write([written, keyword.value])

    def write_function(self, node: Function) -> None:
        """Writes a function; decorators, defaults and annotations are in the surrounding scope.

        The names of a method's parameters are kept, since calls can pass them by name.
        """
        if not isinstance(node, ast.Lambda):
            self.write_name(node.name)
        parameters = {kind: _listed(getattr(node.args, kind)) for kind in PARAMETERS}
        every = [arg for args in parameters.values() for arg in args]
        self.write_fields(node, but=("name", "args", "body"))
        annotations = [arg.annotation for arg in every]
        self.write([*node.args.defaults, *node.args.kw_defaults, *annotations])
        method = bool(self.scopes) and self.scopes[-1].of_class
        body = _listed(node.body)
        with self.inside(_Scope(dict.fromkeys(arg.arg for arg in every) | self.local_names(body))):
            for kind, args in parameters.items():
                kept = args if method or kind == "kwonlyargs" else []
                self.write([kind, *(arg.arg for arg in kept)])
                for arg in args:
                    self.write_name(arg.arg)
            self.write(body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Writes a class and keeps the names of its fields and methods."""
        self.write_name(node.name)
        self.write_fields(node, but=("name", "body"))
        names: dict[str, str | Symbol | None]
        names = {name: f".{name}" for name, _ in bindings(*node.body)}
        with self.inside(_Scope(names, of_class=True)):
            self.write(node.body)

    def write_comprehension(self, node: Comprehension) -> None:
        """Writes a comprehension; the first iterable belongs to the surrounding scope."""
        first = node.generators[0]
        self.visit(first.iter)
        targets = [part.target for part in node.generators]
        with self.inside(_Scope(dict.fromkeys(name for name, _ in bindings(*targets)))):
            for part in node.generators:
                self.write_fields(part, but=("iter",) if part is first else ())
            self.write_fields(node, but=("generators",))

    def write_fields(self, node: ast.AST, *, but: Collection[str] = ()) -> None:
        """Writes the tokens of the fields of a node, without empty fields and those in `but`."""
        for field, value in ast.iter_fields(node):
            if value is None or value == [] or field in LEFT_OUT or field in but:
                continue
            self.tokens.append(f"{field}=")
            # except ... as name, case ... as name, **rest
            if isinstance(value, str) and field in ("name", "rest"):
                self.write_name(value)
            else:
                self.write(_listed(value))

    def write(self, values: Iterable[Any]) -> None:
        """Writes the tokens of nodes and plain values; statements without effect are left out."""
        self.tokens.append("[")
        for value in values:
            if not isinstance(value, ast.AST):
                self.tokens.append(ascii(value))
            elif not idle(value):
                self.visit(value)
        self.tokens.append("]")

    def write_name(self, name: str) -> None:
        """Writes the token of a name: the number of a local name, or a Symbol."""
        found = self.meaning(name)
        if isinstance(found, Symbol):
            self.write_symbol(found)
        else:
            self.tokens.append(found)

    def write_symbol(self, symbol: Symbol) -> None:
        """Writes a symbol; for a descriptive class or from outside the package, only the name."""
        by_name = not symbol.module or symbol.name in self.descriptive
        self.tokens.append(symbol.name if by_name else symbol)

    def meaning(self, name: str) -> str | Symbol:
        """The token for a name: the number of a local name, a name of a class, or a symbol."""
        for scope in reversed(self.scopes):
            if name in scope.names and (scope is self.scopes[-1] or not scope.of_class):
                found = scope.names[name] or f"${self.locals}"
                self.locals += scope.names[name] is None
                scope.names[name] = found
                return found
        return self.package.at_top(self.module, name)

    def path(self, node: ast.AST) -> Symbol | None:
        """The symbol of a name or a dotted path; None for local names and their attributes."""
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
        """A context in which names of the code are looked up in `scope` first."""
        self.scopes.append(scope)
        yield
        self.scopes.pop()


def _listed(value: Any) -> list[Any]:
    """A value as a list: a list stays as it is, None gives no item, any other value one item."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]
