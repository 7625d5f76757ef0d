"""Digests of code that depend on what a function does, not on names, files or order.

The digest of a root is the hash of the normal forms (normal_form.py) of all definitions that it
refers to, directly or indirectly, numbered in the order of the first reference. Renaming, moving
and reordering definitions does not change the digest. Every other edit of a referenced definition
changes the digest.

A statement that binds no name, such as a call at the top of a module, belongs to all definitions of
its module. In an __init__, such a statement belongs to all definitions of the folder. The order of
these statements counts.

Changes in these things are not detected: references by text (importlib, getattr on an object),
names within text, changes of a definition by another module, a positional parameter that is passed
by name through `partial`, imports of libraries for their effect, data files, and the libraries
themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate
from pathlib import Path

from tests.code_lock.names import ALL, EFFECTS, Package, Symbol
from tests.code_lock.normal_form import Descriptive, Form, normal_form

DIGITS = 16  # hexadecimal digits of SHA-256 that are kept: 64 bits
Root = tuple[str, str]  # module and name


def digests(
    package_root: Path, roots: Iterable[Root], *, descriptive: Descriptive | None = None
) -> dict[Root, str]:
    """The digest of the code on which each root depends; a root is (module, name of a definition).

    `descriptive` names classes whose definitions do not change results. These definitions, and the
    listed keyword arguments of calls of these classes, are not part of a digest.

    Raises:
        ValueError: a module does not define the name.
    """
    package = Package(package_root)

    @cache
    def form(symbol: Symbol) -> Form:
        return _form(package, symbol, descriptive or {})

    return {root: _digest(_defined(package, root), form) for root in roots}


def _defined(package: Package, root: Root) -> Symbol:
    """The Symbol of a root, that is, of a pair (module, name of a definition in this module).

    Raises:
        ValueError: the module of the root does not define the name.
    """
    symbol = Symbol(*root)
    if not package.statements(symbol):
        raise ValueError(f"the module {symbol.module} does not define the name {symbol.name}")
    return symbol


def _digest(root: Symbol, form: Callable[[Symbol], Form]) -> str:
    """The hash of the normal forms of `root` and of all symbols that `root` depends on."""
    reached, places, digest = [root], {root: 0}, hashlib.sha256()
    for symbol in reached:  # the list grows during the loop
        for token in (*form(symbol), "end"):
            if isinstance(token, Symbol) and token not in places:
                places[token] = len(places)
                reached.append(token)
            text = places[token] if isinstance(token, Symbol) else token
            digest.update(f"{text}\n".encode())
    return digest.hexdigest()[:DIGITS]


def _form(package: Package, symbol: Symbol, descriptive: Descriptive) -> Form:
    """The normal form of what a symbol names: a definition, a module, or a module's effects.

    A definition also refers to the effects of its module and of the folders around the module.
    """
    if symbol.name == ALL:
        publics = package.public(symbol.module)
        return tuple(token for public in publics for token in (public.name, public))
    found = normal_form(package, symbol.module, package.statements(symbol), descriptive)
    if symbol.name == EFFECTS:
        return found
    folders = accumulate(symbol.module.split("."), "{}.{}".format)
    effects = [Symbol(name, EFFECTS) for name in folders]
    return found + tuple(symbol for symbol in effects if package.statements(symbol))
