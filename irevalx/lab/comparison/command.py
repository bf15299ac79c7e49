"""irevalx-lab compare."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import click

from irevalx.api.inputs import Qrels, read_runs
from irevalx.api.user_warnings import IrevalxWarning
from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError, quote
from irevalx.lab.command import parameters
from irevalx.lab.command.comparison_options import COMPARISON
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.comparison.compared_pairs import DRAWINGS
from irevalx.lab.comparison.gate import FOUND_WORSE, OTHERS, REQUIREMENTS, UNDECIDED, Gate
from irevalx.lab.comparison.junit import junit_of
from irevalx.lab.comparison.tested_runs import VIEWS, compare
from irevalx.reading.formats import REL_FORMATS, TREC_RESULTS
from irevalx.settings import NAME_STYLES

_NOT_WITH_SYSTEMS = (
    "--margin",
    "--test wilcoxon",
    "--test permutation",
    "--correction tukey",
    "--interval bca",
)


def _margins(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, float] | None:
    """Read margins: 0.01 for all measures, ndcg@10=0.01 for one."""
    margins: dict[str, float] = {}
    for value in values:
        name, _, text = value.rpartition("=")
        try:
            margin = float(text)
        except ValueError:
            margin = -1.0
        if not 0 <= margin < float("inf"):
            raise UsageError(
                f"--margin must be a number from 0 on, or MEASURE=NUMBER, such as ndcg=0.01, but got {quote(value)}"
            )
        if (key := name or OTHERS) in margins:
            raise UsageError(f"--margin must be given once for a measure, but got {quote(value)} as well")
        margins[key] = margin
    return margins or None


_GATE = (
    option(
        "--margin",
        "margin",
        multiple=True,
        metavar="[MEASURE=]D",
        callback=_margins,
        requires="--baseline",
        excludes=(
            "--test",
            "--correction",
            "--interval",
            "--resamples",
            "--discriminative-power",
            "--by run",
            "--by topic",
            "--columns",
            "--figure",
        ),
        help=(
            "Be a gate: find whether each run is not worse than the --baseline by more than D, in units of the "
            f"measure, over all judged topics, as with -c. The exit status is 0 if so, {FOUND_WORSE} where a run is "
            f"worse, else {UNDECIDED}. May be repeated for measures with margins of their own: --margin 0.01 --margin "
            "map=0.02."
        ),
    ),
    option(
        "--require",
        type=click.Choice(REQUIREMENTS),
        default=REQUIREMENTS[0],
        requires={"better": "--margin"},
        help=(
            "With --margin: runs must be not worse than the baseline, or better for certain.  "
            f"[default: {REQUIREMENTS[0]}]"
        ),
    ),
    option(
        "--allow-unsure",
        is_flag=True,
        requires="--margin",
        excludes="--require better",
        help=f"With --margin: let runs pass of which it cannot be told, with status 0 in place of {UNDECIDED}.",
    ),
    option(
        "--junit",
        metavar="FILE",
        requires="--margin",
        help="With --margin: write the verdicts to FILE too, as JUnit's XML: a test case for each run and measure.",
    ),
    option(
        "--page",
        metavar="FILE",
        requires="--margin",
        excludes="--grades probability",
        help="With --margin: write a page to look at to FILE too, as report does, which begins with the verdicts.",
    ),
)
"""The options of a gate."""


@command_of(
    "compare",
    parameters.qrels_argument,
    parameters.runs_argument,
    parameters.measures_option_with(
        "map",
        which=(
            "Measures as irevalx -m takes them: 'map infAP'. P-values are corrected for the comparisons of one measure"
        ),
    ),
    click.option(
        "--names",
        type=click.Choice(NAME_STYLES),
        default=NAME_STYLES[0],
        help="Print measures by trec_eval's names, or as they were asked for with -m.  [default: trec_eval]",
    ),
    *COMPARISON,
    option(
        "--discriminative-power",
        also="--power",
        is_flag=True,
        excludes=("--by run", "--by topic"),
        help=(
            "Print the discriminative power of each measure instead: the share of pairs that differ, by --test, "
            "before and after correction. Sakai (2006) has an uncorrected bootstrap test, Sakai (2012) tukey."
        ),
    ),
    click.option(
        "--by",
        type=click.Choice(VIEWS),
        default="pair",
        help=(
            "Print one row per pair (pair); per topic, with the value of each run and its difference from the "
            "--baseline (topic); or per run (run): its scores with the best one marked, letters shared by runs that "
            "are not significantly different, and judged@K; with --baseline, + or - marks runs that are significantly "
            "better or worse than it. Runs and measures keep their order. In LaTeX, the table requires the package "
            "booktabs.  [default: pair]"
        ),
    ),
    click.option(
        "--columns",
        metavar="NAME...",
        default="",
        help=(
            "Columns to display for each pair, after its names, for example 'mean mean_against effect_size p wins "
            "losses', or all.  [default: difference, low and high (bonferroni, tukey: simultaneous_low and "
            "simultaneous_high), corrected_p, differ, judged, judged_against]"
        ),
    ),
    option(
        "--sort",
        is_flag=True,
        requires="--by topic",
        help="With --by topic and --baseline: from the greatest difference, averaged over runs, to the least.",
    ),
    parameters.seed_option,
    *parameters.grades_options,
    *parameters.ranking_options,
    parameters.complete_option,
    parameters.least_retrieved_option,
    parameters.threads_option,
    option(
        "--systems",
        metavar="FILE",
        shell_complete=complete_file,
        excludes=_NOT_WITH_SYSTEMS,
        help=(
            "Compare systems with several runs each, such as folds or seeds; the system of each run, a line RUN SYSTEM "
            "each. A topic's value is the mean over the runs of a system; tests and intervals are over topics and runs."
        ),
    ),
    option(
        "--system-by",
        metavar="REGEX",
        excludes=("--systems", *_NOT_WITH_SYSTEMS),
        help=(
            "The same; the system of a run is the part of its name that REGEX matches (its first group in parentheses, "
            "if it has one). A run that it does not match is a system of its own."
        ),
    ),
    option(
        "--topic-groups",
        metavar="FILE",
        shell_complete=complete_file,
        excludes=(
            "--margin",
            "--systems",
            "--system-by",
            "--correction tukey",
            "--by run",
            "--by topic",
            "--discriminative-power",
            "--columns",
            "--figure",
        ),
        help=(
            "Compare in each group of topics, with p-values corrected over pairs and groups, and test whether the "
            "difference differs between groups; the group of each topic, as irevalx --topic-groups has it."
        ),
    ),
    *_GATE,
    *parameters.FIGURE,
    option(
        "--draw",
        "drawn",
        type=click.Choice(DRAWINGS),
        requires="--figure",
        excludes="--discriminative-power",
        help=(
            "What --figure draws: differences with their intervals, the differences of each topic, sorted, or which "
            "runs differ, a row and a column a run; with --discriminative-power all p-values, sorted.  [default: "
            "intervals, or matrix where a page has no room for all pairs]"
        ),
    ),
    *parameters.TABLES_OUTPUT,
    example="irevalx-lab compare qrels runs/* -m 'map infAP' --baseline bm25 --test wilcoxon --seed 1",
    formats=tuple(REL_FORMATS),
)
def command(output: Output, *, drawn: str | None, junit: str | None, page: str | None, **options: Any) -> int:
    """Test whether runs differ.

    The output has one row for each measure and pair: the summary values of both runs; their difference with an interval
    for this pair alone; the effect size (mean difference divided by the standard deviation of the differences); the
    numbers of topics on which the run wins, ties and loses; p before and after correction; whether the difference is
    significant (never with fewer than 5 topics); a simultaneous interval for all pairs (bonferroni and tukey only); and
    the test that gave p. If fewer than 5 topics differ, or all by the same amount, an exact sign-flip test replaces the
    t test, and there is no t interval.

    By default, tables show the interval that matches the correction: with bonferroni and tukey the simultaneous
    interval, with other corrections the interval of the pair alone, headed "unadjusted". The intervals of tukey exclude
    0 exactly if the difference is significant; so do the intervals of bonferroni with --test t and --interval t. Other
    tests, --interval bca and unadjusted intervals can disagree with the test. tukey assumes that the differences of all
    pairs have equal variance. Geometric means (gm_map) are tested on their logarithms, and sums (num_rel_ret) are shown
    as sums.

    Each table shows judged@K, the share of judged documents among the first K of each run; K is the cutoff of the
    measure, or 10. For t tests (not tukey) of measures that treat unjudged documents as nonrelevant, a warning lists
    the comparisons whose conclusion depends on unjudged documents: the conclusion would change if the unjudged
    documents that only one of the runs has among its first 10 were relevant half as often as its judged documents. The
    conclusion can still be right; to find out, judge these documents. A gate gives the same warning for its verdicts.

    With --systems or --system-by runs of one system are replicates, not topics: the variance of a difference is that
    over topics and that between replicates, and a column has the share of the latter. The t test and interval
    generalise to other topics and other runs of the same systems; with few replicates, they have few degrees of
    freedom. For a system with only one run, they apply to this run only.

    With --topic-groups, there is one row for each group of topics, and a second table tests the interaction: whether
    the difference of a pair is the same in all groups, by Welch's F statistic with permuted group labels of the topics.
    A difference that is significant in one group and not in another is not evidence of different effects; use the
    interaction test. It excludes groups with only one topic. In groups with fewer than 10 topics, an interaction can be
    significant merely because differences vary more in one group than in another.

    With --margin, the command is a gate: it gives a verdict for each measure and run, from simultaneous t intervals of
    the differences from the --baseline. A run is "not worse" if the lower bound is above -margin. Otherwise it is
    "worse" if the upper bound is below 0 and a sign-flip test with the same correction has p below alpha; otherwise the
    verdict is "cannot tell". Identical runs are not worse. If fewer than 5 topics differ, or all by the same amount,
    there is no interval, and an exact sign-flip test alone decides whether a run is worse, or better and therefore not
    worse. The exit status is 0 if all runs are not worse (with --require better: if all are significantly better), 3 if
    one is worse, otherwise 5; 1, 2, 4 and 7 are errors, as for irevalx. The least margin is the margin with which a run
    as good as the baseline would pass with probability 0.8 on this number of topics.
    """
    if page is not None and "-" in (options["qrels"], *options["runs"]):  # it is read once, for both
        rel_format, grades = options["rel_format"], options["grades"]
        options["qrels"] = Qrels.read(options["qrels"], rel_format=rel_format, grades=grades)
        options["runs"] = read_runs(options["runs"], TREC_RESULTS.name, strict=False)
    found = compare(**options)
    if junit is not None and isinstance(found, Gate):
        write_lines([junit_of(found)], junit)
    if page is not None and isinstance(found, Gate):
        _write_page(found, page, options)
    output.write(found, **({} if drawn is None else {"draw": drawn}))
    return found.status


def _write_page(found: Gate, path: str, options: Mapping[str, Any]) -> None:
    """Write a report that begins with the verdicts; it is over all judged topics and corrected as they are."""
    from irevalx.lab import report

    names = ("qrels", "runs", "measures", "baseline", "alpha", "level", "grades", "rel_format", "threads")
    kept = {name: options[name] for name in (*names, "ties", "ignore_identical_ids", "duplicates")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrevalxWarning)  # they have been told by now
        made = report(**kept, correction="bonferroni", complete=True)
    made.saying(found.conclusion, *found.sentences).write(path, "html")
