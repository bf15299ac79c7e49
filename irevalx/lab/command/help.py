"""Commands that have brief and full help, and that suggest the most similar option for an unknown one."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING

import click

from irevalx.command_line.help import ALL_OF_IT, COLUMN, first_sentence, printing
from irevalx.command_line.suggestions import unknown_option
from irevalx.wording import missing, use_notation

if TYPE_CHECKING:
    from irevalx.declarations import Parameter

SELDOM = frozenset(
    {
        "families",
        *("covariate_log", "human_topics", "second_human"),
        *("axis", "collection_size", "compat", "digits", "duplicates", "figure_width", "fully_judged", "grades"),
        *("ignore_identical_ids", "infap_c", "infap_epsilon", "judged_only", "junit", "kld_threshold"),
        *(
            "labels_format",
            "labels_max",
            "lower_is_better",
            "score_columns",
            "max_retrieved",
            "min_retrieved",
            "names",
            "no_title",
        ),
        *("results_format", "rounding", "sample_rate", "svg_text", "threads", "ties", "titled", "topic_rates"),
    }
)
"""Rarely used parameters. The brief help lists only their names."""


class HelpCommand(click.Command):
    """A command that writes its help like its results. If the help cannot be written, OutputError is raised."""

    parameters: Mapping[str, Parameter] = {}
    """The declared parameters of the command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments like Click. Raise UsageError for an unknown option, and suggest the most similar option."""
        ctx.meta[ALL_OF_IT] = ALL_OF_IT in args
        if self.parameters and not ctx.resilient_parsing:  # completion runs in the process and context of its caller
            from irevalx.command_line.options import ShellNotation

            use_notation(ShellNotation.of(self.parameters, ctx.command_path, args))
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            known = [name for parameter in self.get_params(ctx) for name in parameter.opts]
            raise unknown_option(error.option_name, known, ctx.command_path) from None
        except click.MissingParameter as error:
            declared = getattr(error.param and error.param.type, "parameter", None)
            if declared is None:
                raise
            note = declared.shell_help and f", {declared.shell_help}"
            if declared.name == "runs" and ctx.params.get("new_runs"):
                from irevalx.lab.command.common_options import WITHOUT_POOLED_RUNS

                note = f": --new-run requires the pooled runs. {WITHOUT_POOLED_RUNS}"
            raise missing(declared.name, note=note) from None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return Click's help option with a callback that writes the help of this class."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = printing(lambda ctx: f"{ctx.get_help()}\n")
        return option

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description. Brief help contains only its summary and one further sentence."""
        if self.is_long(ctx):
            super().format_help_text(ctx, formatter)
            return
        summary, *paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        with formatter.indentation():
            for text in (summary, *map(first_sentence, paragraphs[:1])):
                formatter.write_paragraph()
                formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options. Brief help contains only the first sentence of each explanation."""
        if self.is_long(ctx):
            super().format_options(ctx, formatter)
            return
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option) and not param.hidden]
        records = [param.get_help_record(ctx) or ("", "") for param in options if param.name not in SELDOM]
        with formatter.section("Options"):
            formatter.write_dl([(names, first_sentence(text)) for names, text in records], col_max=COLUMN)
        if more := ", ".join(param.opts[-1] for param in options if param.name in SELDOM):
            with formatter.section("More options"):
                indent = " " * formatter.current_indent
                wrapped = fill(
                    more, formatter.width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
                )
                formatter.write(f"{wrapped}\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example. In brief help, a reference to the full help precedes the example."""
        if not self.is_long(ctx):
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} {ALL_OF_IT} and the manual page describe the command in full.")
        super().format_epilog(ctx, formatter)

    def is_long(self, ctx: click.Context) -> bool:
        """Return whether the full help was requested."""
        return bool(ctx.meta.get(ALL_OF_IT))
