"""The declarations of the options of the command irevalx, and the class of parsed options."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import click

from irevalx import __version__
from irevalx.cli.arguments import (
    LEVEL,
    OUTPUT_GROUP,
    POOL_GROUP,
    RUN_GROUP,
    TREC_GROUP,
    WHOLE_NUMBER,
    Confidence,
    Option,
)
from irevalx.command_line.completion import complete_file, complete_measure
from irevalx.command_line.options import ShellNotation, click_parameter, refuse_standard_input_twice
from irevalx.declarations import Parameter, whole
from irevalx.errors import UsageError
from irevalx.frozen import Frozen, fields
from irevalx.process.platform import MOST_PROCESSES, as_bytes, as_text, default_processes
from irevalx.process.startup import start_numpy
from irevalx.process.terminal import echo, write_error
from irevalx.reading import formats
from irevalx.reading.file_format import FileKind
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS, names_of
from irevalx.reports import DIGITS, MOST_DIGITS, OUTPUT_FORMATS, OutputFormat, format_help
from irevalx.settings import INTERVAL_METHODS, NAME_STYLES, PARAMETERS, PROBABILITY, Settings
from irevalx.trec_eval import COMPAT, TREC_EVAL_10, c_long
from irevalx.wording import missing, spelled, spelled_rule

DEFAULT_FORMAT = "trec"
"""The default output format (``--format``)."""

TABLES_FOR_PEOPLE = tuple(form.name for form in OUTPUT_FORMATS.values() if form.for_people)
"""The output formats (``--format``) for which ``--digits`` can be given."""


class TraceOptions(Frozen):
    """The parsed value of ``-D LEVEL.TOPIC``: the level of tracing, and the only topic to evaluate or None."""

    level: int
    topic: bytes | None

    @classmethod
    def parse(cls, texts: Iterable[bytes]) -> TraceOptions:
        """Parse all values of ``-D``, of the form LEVEL, LEVEL.TOPIC or .TOPIC. The last value takes precedence."""
        number, only = 0, None
        for text in texts:
            level, dot, topic = text.partition(b".")
            number, only = c_long(level)[0], topic if dot else only
        return cls(number, only)


class Options(Frozen, kw_only=True):
    """The parsed command line: the settings of the evaluation, and options that exist only in the command."""

    files: tuple[str, ...]  # the path of the judgments, followed by the paths of the runs
    settings: Settings
    measures: tuple[str, ...]  # the requests in order, or () for the default measures
    per_topic: bool
    no_summary: bool
    debug: TraceOptions
    rel_format: str
    results_format: str
    zscores: str | None
    old_results_format: bool
    old_results_format_value: str | None
    pool: str | None
    strict: bool
    names: str
    format: str
    sort: str | None  # the measure by which runs are sorted, or None for the given order
    digits: int | None  # the number of decimals, or None for the default ``DIGITS``
    threads: int
    ci: float | None  # the confidence level, or None if no intervals are requested
    ci_method: str | None  # one of ``INTERVAL_METHODS``, or None for the default, which depends on the measure
    seed: int
    topic_groups: str | None
    clusters: str | None
    cluster_by: str | None
    quiet: bool

    @classmethod
    def of(cls, **values: Any) -> Options:
        """Create options from the values of all Click parameters."""
        debug = TraceOptions.parse(map(as_bytes, values.pop("debug")))
        settings = {name: values.pop(name) for name in fields(Settings) if name in values}
        return cls(settings=Settings(**settings, topic=debug.topic), debug=debug, **values)

    def as_typed(self) -> dict[str, Any]:
        """Return the values of all options, including defaults, in the form in which reports contain them."""
        typed: dict[str, Any] = {}
        for name in fields(self):
            if name != "settings" and not (name in _ONLY_IF_GIVEN and getattr(self, name) is None):
                typed[name] = getattr(self, name)
            typed |= {setting: getattr(self.settings, setting) for setting in _SETTINGS_AFTER.get(name, ())}
        typed["compat"] = next(name for name, compat in COMPAT.items() if compat is self.settings.compat)
        topic = None if self.debug.topic is None else as_text(self.debug.topic)
        return typed | {"debug": {"level": self.debug.level, "topic": topic}}

    @property
    def named_files(self) -> tuple[str, ...]:
        """The paths of the files for which reports contain digests."""
        named = (*self.files, self.pool, self.topic_groups, self.clusters)
        return tuple(path for path in named if path is not None)

    @property
    def output_format(self) -> OutputFormat:
        """The requested output format."""
        return OUTPUT_FORMATS[self.format]

    def check(self) -> None:
        """Raise UsageError if files are missing or options conflict. Raise FormatError if a format is unknown."""
        if len(self.files) < 2:
            raise missing("runs") if self.files else missing("qrels", note=", and at least one RUN")
        refuse_standard_input_twice(*self.files, self.pool, self.zscores, self.topic_groups, self.clusters)
        self.settings.check()
        traced = f"{spelled('debug')} with a level above 0 cannot be combined with"
        if self.debug.level > 0 and self.settings.grades == "probability":
            raise UsageError(f"{traced} {spelled_rule(PROBABILITY)}")
        orders = self.settings.tie_orders
        if self.debug.level > 0 and (len(orders) > 1 or orders[0] == "expected"):
            raise UsageError(f"{traced} {spelled('ties', ','.join(orders))}: a trace shows one order")
        formats.rel_format(self.rel_format)


_ONLY_IF_GIVEN = {"sort", "clusters", "cluster_by"}
"""The options that reports contain only if they were given."""

_TOPIC = fields(Settings).index("topic")

_SETTINGS_AFTER = {"no_summary": fields(Settings)[:_TOPIC], "pool": fields(Settings)[_TOPIC + 1 :]}
"""The settings that reports list after each option. The setting ``topic`` is part of the option ``debug``."""

_WITHOUT_CLUSTERS = ("ci_method=bootstrap", "topic_groups")
"""The options that cannot be combined with clusters of topics."""

Function = TypeVar("Function", bound=Callable[..., Any])


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        versions = " and ".join(sorted(compat.version for compat in COMPAT.values()))
        write_error(f"irevalx {__version__} (follows trec_eval {versions}; see --compat)")
        ctx.exit(0)


def _list_measures(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        start_numpy()
        from irevalx.cli.explanations import list_lines

        echo("\n".join(list_lines()) + "\n")
        ctx.exit(0)


def _check_measures(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    if value and not ctx.resilient_parsing:
        start_numpy()
        from irevalx.measures.selection import parse_request, split_requests

        compat = ctx.params.get("compat", TREC_EVAL_10)
        value = split_requests(value, compat)
        for text in value:
            parse_request(text, compat)
    return value


def _check_measure(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        _check_measures(ctx, param, (value,))
    return value


def _option(group: str, names: str, **attributes: Any) -> Callable[[Function], Function]:
    """Return the decorator that adds an option to a group of the help. ``names`` contains names and spaces."""
    return click.option(*names.split(), cls=Option, group=group, **attributes)


_trec_eval_option, _output_option = partial(_option, TREC_GROUP), partial(_option, OUTPUT_GROUP)


_NOTATION = ShellNotation.of(PARAMETERS)


def _declared(parameter: Parameter, group: str = OUTPUT_GROUP, **more: Any) -> Callable[[Function], Function]:
    """Return the decorator that adds the option for a declared parameter."""
    return click_parameter(parameter, _NOTATION, cls=Option, group=group, declaration=parameter, **more)


def _setting(name: str, group: str, **more: Any) -> Callable[[Function], Function]:
    """Return the decorator that adds the option for a field of Settings."""
    return _declared(PARAMETERS[name], group, **more)


_WITH_INPUTS = " and ".join(form.name for form in OUTPUT_FORMATS.values() if form.shows_inputs)

FLAGS = (
    click.argument("files", nargs=-1, metavar="QRELS RUN...", type=str, shell_complete=complete_file),
    _trec_eval_option(
        "-h --help show_help",
        is_flag=True,
        help="Print help; with -m, -R, -T or --pool, for the measure or format.",
    ),
    _trec_eval_option(
        "-v --version",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version to standard error.",
    ),
    _trec_eval_option("-q --query_eval_wanted per_topic", is_flag=True, help="Also print the values of each topic."),
    _trec_eval_option(
        "-m --measure measures",
        multiple=True,
        is_eager=True,
        callback=_check_measures,
        shell_complete=complete_measure,
        metavar="NAME",
        help=(
            "Print this measure, or this set of measures: official (the default), set, all_trec, incomplete or all. "
            "NAME.X,Y,... sets parameters, for example P.5,10 or ndcg.1=3,2=9. NAME:skip, NAME:nonrel and NAME:rel set "
            "the treatment of unjudged documents (see --unjudged), and 'NAME(rel=N)' the relevance threshold. Measure "
            "names of other programs, such as nDCG@10, are also accepted. Can be repeated."
        ),
    ),
    _setting("complete", TREC_GROUP, also="--all-topics"),
    _setting("level", TREC_GROUP, also="--level", type=LEVEL),
    _trec_eval_option("-n --nosummary no_summary", is_flag=True, help='Do not print the "all" lines.'),
    _trec_eval_option(
        "-D --Debug_level debug",
        single=True,
        multiple=True,
        metavar="LEVEL.TOPIC",
        help=(
            "Evaluate only TOPIC. With a LEVEL above 0, also print the ranking with the quantities from which measures "
            "are computed to standard error, document by document."
        ),
    ),
    _setting("judged_only", TREC_GROUP),
    _setting("collection_size", TREC_GROUP, type=WHOLE_NUMBER),
    _setting("max_retrieved", TREC_GROUP, type=WHOLE_NUMBER),
    _trec_eval_option(
        "-R --Rel_info_format rel_format",
        also="--rel-format",
        default="qrels",
        metavar="FORMAT",
        shell_complete=lambda ctx, param, incomplete: [name for name in REL_FORMATS if name.startswith(incomplete)],
        help=f"Format of QRELS: {names_of(FileKind.JUDGMENTS)}; -h -R FORMAT describes one.",
    ),
    _trec_eval_option(
        "-T --Results_format results_format",
        also="--results-format",
        default="trec_results",
        metavar="FORMAT",
        shell_complete=lambda ctx, param, incomplete: [name for name in RESULTS_FORMATS if name.startswith(incomplete)],
        help=f"Format of RUN: {names_of(FileKind.RUNS)}; -h -T FORMAT describes one.",
    ),
    _trec_eval_option(
        "-Z --Zscore zscores",
        single=True,
        metavar="FILE",
        help=(
            "Print z-scores: the difference of each value from a mean, in standard deviations. FILE has one line TOPIC "
            "MEASURE MEAN DEVIATION for each topic and measure."
        ),
    ),
    _trec_eval_option("-o old_results_format", is_flag=True, help="Accepted and ignored."),
    _trec_eval_option(
        "--Output_old_results_format old_results_format_value",
        metavar="X",
        help="Accepted and ignored, with its value.",
    ),
    _option(
        POOL_GROUP,
        "--pool",
        metavar="FILE",
        help=(
            "Pool file: the documents that were selected for judging. Documents without a judgment are pooled but "
            "unjudged."
        ),
    ),
    *(_setting(name, POOL_GROUP) for name in ("unjudged", "grades", "infap_c", "infap_epsilon", "sample_rate")),
    *(_setting(name, RUN_GROUP) for name in ("ties", "ignore_identical_ids", "duplicates")),
    _setting("compat", OUTPUT_GROUP, is_eager=True),
    _output_option(
        "--strict",
        is_flag=True,
        help=(
            "Reject scores, judgments and parameters that are not plain numbers, and files that are probably misread, "
            "instead of reading them like trec_eval."
        ),
    ),
    _declared(
        whole(
            1,
            name="threads",
            default=default_processes,
            metavar="N",
            help=(
                "Number of worker processes for large or multiple runs.  "
                f"[default: the number of processors, at most {MOST_PROCESSES}]"
            ),
        )
    ),
    _output_option(
        "--list-measures",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_measures,
        help="List all measures, with their parameters and other names.",
    ),
    _output_option(
        "--cite",
        is_flag=True,
        help="Print BibTeX entries for irevalx and for the measures selected with -m.",
    ),
    _output_option(
        "--names",
        type=click.Choice(NAME_STYLES),
        default="trec_eval",
        help=(
            "Print measures with the names and in the order of trec_eval (trec_eval), or as requested with -m (asked); "
            "sets keep the order of trec_eval.  [default: trec_eval]"
        ),
    ),
    _output_option(
        "--format",
        type=click.Choice(list(OUTPUT_FORMATS)),
        default=DEFAULT_FORMAT,
        metavar="FORMAT",
        help=(
            f"Output format: {format_help(OUTPUT_FORMATS.values())}. Tables have one row per run, or with -q one row "
            "per topic, and mark the best of several runs. csv, tsv and JSON formats have full precision; "
            f"{_WITH_INPUTS} also contains the options, inputs and warnings.  [default: {DEFAULT_FORMAT}]"
        ),
    ),
    _output_option(
        "--sort",
        metavar="MEASURE",
        is_eager=True,
        callback=_check_measure,
        shell_complete=complete_measure,
        help=(
            "Print the best run under MEASURE first. It must be one of the printed measures. Runs with equal values "
            "keep the order of the command line, and runs without a value are last."
        ),
    ),
    _declared(
        whole(
            0,
            MOST_DIGITS,
            name="digits",
            default=None,
            metavar="N",
            requires=[f"format={name}" for name in TABLES_FOR_PEOPLE],
            help=f"Number of decimals of real numbers in tables ({', '.join(TABLES_FOR_PEOPLE)}).  [default: {DIGITS}]",
        )
    ),
    _output_option(
        "--ci",
        type=Confidence(),
        help=(
            "Also print confidence intervals of means over topics, for example --ci 95%. In trec_eval's format, the "
            "bounds have lines of their own, with the topics all:low and all:high."
        ),
    ),
    _output_option(
        "--ci-method",
        single=("bootstrap",),
        type=click.Choice(INTERVAL_METHODS),
        requires={"bootstrap": "ci"},
        help=(
            "Method of confidence intervals: Student's t distribution (t), or a BCa bootstrap over topics (bootstrap). "
            "By default, irevalx computes Wilson's interval of a proportion for measures whose values are 0 or 1 "
            "(success), and a t interval for other measures."
        ),
    ),
    _declared(
        whole(name="seed", default=0, metavar="N", requires="ci_method=bootstrap", help="Random seed of the bootstrap.")
    ),
    _output_option(
        "--topic-groups",
        single=True,
        metavar="FILE",
        excludes="debug",
        shell_complete=complete_file,
        help=(
            "Also print the summaries of topic subsets (groups), with the topic all:GROUP. FILE contains one line "
            "TOPIC GROUP per topic, csv with a header, or JSON."
        ),
    ),
    _output_option(
        "--clusters",
        single=True,
        metavar="FILE",
        requires="ci",
        excludes=_WITHOUT_CLUSTERS,
        shell_complete=complete_file,
        help=(
            "With --ci, compute cluster-robust intervals for dependent topics, such as the turns of a conversation. "
            "FILE contains one line TOPIC CLUSTER per topic, csv with a header, or JSON."
        ),
    ),
    _output_option(
        "--cluster-by",
        metavar="REGEX",
        requires="ci",
        excludes=("clusters", *_WITHOUT_CLUSTERS),
        help=(
            "With --ci, compute cluster-robust intervals for dependent topics. The cluster of a topic is the text that "
            "REGEX matches in the topic ID (its first group in parentheses, if it has one). If REGEX does not match, "
            "the topic is a cluster of its own."
        ),
    ),
    _output_option("--quiet", is_flag=True, help="Print neither warnings nor progress."),
)
"""The decorators that add all arguments and options. Each group is in the order of the help."""


def with_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add all arguments and options of irevalx to the function of a command."""
    for flag in reversed(FLAGS):
        function = flag(function)
    return function
