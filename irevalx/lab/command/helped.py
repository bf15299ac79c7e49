"""Help that says so where it cannot be written."""

from __future__ import annotations

from typing import Any

import click

from irevalx.process.terminal import echo


class Helped(click.Command):
    """A command whose help goes out as its results do: OutputError where it cannot be written."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return Click's option with another way to write."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
        return option


def _show_help(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        echo(ctx.get_help() + "\n")
        ctx.exit()


def show_version(version: str) -> Any:
    """Return the callback of an option that shows a version; OutputError where it cannot be written."""

    def show(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
        if is_asked and not ctx.resilient_parsing:
            echo(f"{ctx.find_root().info_name} {version}\n")
            ctx.exit()

    return show
