"""Commands whose help says so where it cannot be written, and which know what was meant by an unknown option."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import unknown_option
from irevalx.process.terminal import echo


class Helped(click.Command):
    """A command whose help goes out as its results do: OutputError where it cannot be written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as Click does; raises UsageError for an option that there is not, with the nearest that there is."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            known = [name for parameter in self.get_params(ctx) for name in parameter.opts]
            raise unknown_option(error.option_name, known, ctx.command_path) from None

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
