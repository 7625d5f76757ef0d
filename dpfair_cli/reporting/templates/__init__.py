"""Renders the templates of pages; HTML and Markdown are escaped."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpfair_cli.reporting import markdown_writer


def render(template: str, *, package: str = "dpfair_cli.reporting", **values: Any) -> str:
    """The text of the template file `template` with the given values filled in.

    The file is in the folder templates of `package`.

    Raises:
        jinja2.UndefinedError: the template asks for a value that is not given.
    """
    environment = _environment(package, template.endswith(".html.j2"))
    return environment.get_template(template).render(values)


@cache
def _environment(package: str, autoescape: bool) -> Environment:
    """The environment of the templates of a package, which keeps compiled templates."""
    environment = Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    environment.filters |= {
        "markdown_cell": markdown_writer.cell,
        "markdown_line": markdown_writer.line,
    }
    return environment
