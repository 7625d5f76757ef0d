"""A command that becomes another one with an option of an add-on: `dpfair check --forensics`."""

from __future__ import annotations

from typing import Any

import click

from dpfair_cli.commands import entry_points, inheriting


class Extended(click.Command):
    """A command whose entry points, in the group dpfair.NAME, are commands in its place.

    The command of an entry point named forensics runs if --forensics is given. It has its own
    options, so that the options of the other command need not say with which others they go.
    """

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **more: Any,
    ) -> click.Context:
        """The context of the command that runs, without the option that names it."""
        points = entry_points.find(f"dpfair.{self.name}")
        name = next((name for name in points if f"--{name}" in args), None)
        try:
            if name is None:
                return super().make_context(info_name, args, parent, **more)
            other = inheriting(points[name].load())
            rest = [one for one in args if one != f"--{name}"]
            return other.make_context(info_name, rest, parent, **more)
        except click.NoSuchOption as error:
            if not points:  # the option may be that of an add-on
                why = f"{error.format_message()} {entry_points.INSTALL_AGAIN}"
            elif name:
                why = f"{error.option_name} cannot be given with --{name}"
            else:
                raise
            raise click.UsageError(why, error.ctx) from error

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options of the command itself, and those that name another one."""
        points = entry_points.find(f"dpfair.{self.name}").items()
        others = [
            click.Option(
                [f"--{name}"], is_flag=True, expose_value=False, help=entry_points.summary(point)
            )
            for name, point in points
        ]
        return [*super().get_params(ctx), *others]
