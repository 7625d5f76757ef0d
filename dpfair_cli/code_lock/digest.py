"""Digests of code: what a function does, whatever its parts are called and wherever they stand.

The digest of a root is the hash of the normal forms (normal_form.py) of all definitions that it
reaches, numbered in the order in which they are first referred to: new names, moved files and
another order change nothing, and any other edit of anything that is reached does.

A statement that binds nothing, such as a call at the top of a module, belongs to all definitions of
its module, or of its folder if it stands in an __init__; the order of several such statements
counts.

Not seen: what is found by text (importlib, getattr on an object), names within text, what another
module changes in a definition from outside, a positional parameter said by its name through
`partial`, imports of libraries for their effect, data files, and the libraries themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate
from pathlib import Path

from dpfair_cli.code_lock.names import ALL, EFFECTS, Package, Symbol
from dpfair_cli.code_lock.normal_form import Descriptive, Form, normal_form

DIGITS = 16
Root = tuple[str, str]  # module and name


def digests(
    package_root: Path, roots: Iterable[Root], *, descriptive: Descriptive | None = None
) -> dict[Root, str]:
    """The digest of each root by the code below `package_root`, the folder of the package.

    `descriptive` names classes of the package whose instances are records: how such a class is
    written does not count, nor do these keyword arguments, which move no result.

    Raises:
        ValueError: a module does not define the name.
    """
    package = Package(package_root)

    @cache
    def form(symbol: Symbol) -> Form:
        return _form(package, symbol, descriptive or {})

    return {root: _digest(_defined(package, root), form) for root in roots}


def _defined(package: Package, root: Root) -> Symbol:
    if not package.statements(symbol := Symbol(*root)):
        raise ValueError(f"{symbol.module} does not define {symbol.name}")
    return symbol


def _digest(root: Symbol, form: Callable[[Symbol], Form]) -> str:
    reached, places, digest = [root], {root: 0}, hashlib.sha256()
    for symbol in reached:  # grows while it is walked
        for token in (*form(symbol), "end"):
            if isinstance(token, Symbol) and token not in places:
                places[token] = len(places)
                reached.append(token)
            digest.update(f"{places[token] if isinstance(token, Symbol) else token}\n".encode())
    return digest.hexdigest()[:DIGITS]


def _form(package: Package, symbol: Symbol, descriptive: Descriptive) -> Form:
    """The normal form of a definition, of a module as a value, or of what a module does without
    binding a name.
    """
    if symbol.name == ALL:
        return tuple(
            token for public in package.public(symbol.module) for token in (public.name, public)
        )
    found = normal_form(package, symbol.module, package.statements(symbol), descriptive)
    folders = accumulate(symbol.module.split("."), "{}.{}".format) if symbol.name != EFFECTS else ()
    return (
        *found,
        *(effects for name in folders if package.statements(effects := Symbol(name, EFFECTS))),
    )
