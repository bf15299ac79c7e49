"""Commands that have a brief and a full help text, and that suggest a similar name for an unknown option."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING

import click

from irevalx.command_line.help import ALL_OF_IT, COLUMN, first_sentence, first_sentences, printing
from irevalx.command_line.suggestions import unknown_option
from irevalx.wording import missing, use_notation

if TYPE_CHECKING:
    from irevalx.declarations import Parameter

SELDOM = frozenset(
    {"axis", "cluster_by", "clusters", "collection_size", "compat", "covariate_log", "digits", "duplicates", "families"}
    | {"figure_width", "fully_judged", "grades", "human_topics", "ignore_identical_ids", "infap_c", "infap_epsilon"}
    | {"judged_only", "junit", "kld_threshold", "labels_format", "labels_max", "lower_is_better", "max_retrieved"}
    | {"min_retrieved", "names", "no_title", "results_format", "rounding", "sample_rate", "score_columns"}
    | {"second_human", "svg_text", "threads", "ties", "titled", "topic_rates"}
)
"""The parameters that are rarely used. Brief help lists only their names, and full help explains each parameter."""

SENTENCES = 3
"""The number of sentences in which the full help explains other parameters. The manual page contains all sentences."""


class HelpCommand(click.Command):
    """A command that writes its help to the same output as its results, and raises OutputError if that fails."""

    parameters: Mapping[str, Parameter] = {}
    """The declared parameters of the command, by name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raise UsageError for an unknown option, and suggest the most similar option."""
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
        """Return Click's help option, with a callback that writes the help text of this class."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = printing(lambda ctx: f"{ctx.get_help()}\n")
        return option

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description. Brief help contains only the summary and one further sentence.

        The full help contains the first paragraph after the summary, and the first sentence of each other paragraph.
        """
        summary, *paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        first, others = paragraphs[:1], map(first_sentence, paragraphs[1:])
        with formatter.indentation():
            for text in (summary, *((*first, *others) if self.is_long(ctx) else map(first_sentence, first))):
                formatter.write_paragraph()
                formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options. Brief help contains one sentence about each option, and only the names of rare options."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option) and not param.hidden]
        is_long = self.is_long(ctx)
        records = []
        for param in options if is_long else [param for param in options if param.name not in SELDOM]:
            names, text = param.get_help_record(ctx) or ("", "")
            several = ".".join(first_sentences(text, SENTENCES))
            records.append((names, several if is_long and param.name not in SELDOM else first_sentence(text)))
        with formatter.section("Options"):
            formatter.write_dl(records, col_max=COLUMN)
        more = ", ".join(param.opts[-1] for param in options if param.name in SELDOM)
        if more and not is_long:
            with formatter.section("More options"):
                indent = " " * formatter.current_indent
                wrapped = fill(
                    more, formatter.width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
                )
                formatter.write(f"{wrapped}\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a reference to more complete descriptions, and the example."""
        page, path = f"man {ctx.command_path.replace(' ', '-')}", ctx.command_path
        in_brief = f"{path} {ALL_OF_IT} explains all options; see also {page}."
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(f"{page} describes the command in full." if self.is_long(ctx) else in_brief)
        super().format_epilog(ctx, formatter)

    def is_long(self, ctx: click.Context) -> bool:
        """Return whether the full help text was requested."""
        return bool(ctx.meta.get(ALL_OF_IT))
