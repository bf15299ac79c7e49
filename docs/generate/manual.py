"""The manual pages of irevalx, generated from options, measures, formats and departures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import click
from departures import DEPARTURES
from roff import definition, heading, page_text, paragraphs, roff, see_also, subsection
from rules import KINDS, RULES

from irevalx import errors
from irevalx.cli.arguments import GROUPS, Option
from irevalx.cli.command import command
from irevalx.cli.explanations import SYMBOLS, effects
from irevalx.lab import PROGRAM as LAB
from irevalx.measures import MEASURES, NICKNAMES
from irevalx.process.startup import INTERRUPTED, OUT_OF_MEMORY
from irevalx.process.terminal import BROKEN_PIPE
from irevalx.reading.formats import FILE_FORMATS
from irevalx.reports import OUTPUT_FORMATS, OutputFormat

DESCRIPTION = (
    "irevalx evaluates RUN, a ranking of documents for each of a number of topics, against the relevance judgments in "
    'QRELS. It prints a line for each measure: the name of the measure, the topic or "all" for the summary over '
    "topics, and the value. With the same flags, its output is identical to the output of trec_eval, byte for byte.",
    "Files can be compressed with gzip, bzip2, xz or zstd, or be Parquet files, regardless of their names. Pipes and "
    "process substitution work; one file can be given as -, for standard input. irevalx prints a separate block for "
    "each run. Runs are identified by their tags, or by their files if several runs have the same tag.",
    "Options can be given in any position, and trec_eval's long options can be abbreviated.",
)

PARQUET = (
    "Judgments (-R qrels, subtopics and prels), runs and pools can be Parquet files, which are recognised by their "
    "first bytes. Reading them requires pyarrow.",
    "Columns are identified by name, regardless of case and order: topic, qid or query_id, docno or doc_id, relevance "
    "or label, score, and similar names. Other columns are ignored. IDs are strings or integers. A run column "
    "contains the run tags; the file then contains one run for each tag, in the order of their first rows. Without "
    "this column, the file contains one run, and the run tag is the file name without its directory and extensions. A "
    "missing column, a missing value or a value of another type is an error.",
)
"""The section of the manual on Parquet files."""

EXAMPLES = (
    ("irevalx qrels run", "official measures, averaged over topics"),
    ("irevalx -q -m map -m P.10 qrels run", "average precision and precision at 10, also for each topic"),
    ("irevalx -c -m ndcg@10 qrels run", "nDCG at 10; topics without results score 0"),
    ("irevalx --names asked -m 'AP(rel=2)' -m RR@10 qrels run", "measure names of ir_measures"),
    ("irevalx -l 2 qrels.gz runs/*.gz", "many compressed runs; grades of 2 or higher are relevant"),
    ("zcat run.gz | irevalx --compat 9 qrels -", "run from standard input; output of trec_eval 9.0.8"),
    ("irevalx --pool pool -m incomplete qrels run", "measures for incomplete judgments, with a pool file"),
    ("irevalx --unjudged nonrel,skip,rel -m P.10 qrels run", "three treatments of unjudged documents"),
    ("irevalx -R sampled sampled.qrels run", "stratified sample of judgments"),
    ("irevalx -R prefs -m all_prefs prefs run", "preference judgments"),
    ("irevalx --ci 95% --topic-groups groups -m map qrels run", "confidence intervals, also for topic subsets"),
    ("irevalx -D 1.301 -m map qrels run", "trace of topic 301, document by document"),
    (
        "irevalx --format table --sort map qrels runs/*.gz",
        "one row per run, best first; also markdown, latex, csv, json",
    ),
    ("irevalx --list-measures", "list of all measures and their alternative names"),
    ("irevalx -h -m bpref", "definition of bpref"),
)
"""Command lines, each with a description of its output."""

COMPLETIONS = {
    "bash": 'eval "$(_IREVALX_COMPLETE=bash_source irevalx)"',
    "zsh": 'eval "$(_IREVALX_COMPLETE=zsh_source irevalx)"',
    "fish": "_IREVALX_COMPLETE=fish_source irevalx | source",
}
"""The line of each shell that enables completion."""

_NO_ERRORS_OF_OURS = {
    OUT_OF_MEMORY: "there is not enough memory (EX_SOFTWARE)",
    INTERRUPTED: "interrupted (trec_eval dies by the signal, which a shell shows in the same way)",
    BROKEN_PIPE: "the reader of standard output has ended (likewise)",
}


def manual_pages() -> dict[str, str]:
    """Return the pages by file name."""
    pages: dict[str, tuple[Iterator[str], ...]] = {
        "irevalx.1": (
            _command(),
            _options(),
            _output_formats(),
            _completion(),
            _departures(),
            _exit_status(),
            _examples(),
        ),
        "irevalx-measures.7": (heading("irevalx-measures", 7, "the measures of irevalx"), _measures(), _rules()),
        "irevalx-formats.5": (heading("irevalx-formats", 5, "the files that irevalx reads"), _formats()),
    }
    texts = {}
    for name, sections in pages.items():
        others = [(other.rpartition(".")[0], int(other[-1])) for other in pages if other != name]
        texts[name] = page_text(chain(*sections, see_also([*others, (LAB, 1)])))
    return texts


def option_groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the options of irevalx by group, each with its names and its help."""
    ctx = click.Context(command)
    options = [param for param in command.params if isinstance(param, Option)]
    return [
        (group, [option.get_help_record(ctx) or ("", "") for option in options if option.group == group])
        for group in GROUPS
    ]


def measure_sets() -> list[tuple[str, str]]:
    """Return the sets of measures, each with its name and its members."""
    return [
        (name, "All that the format of the judgments allows." if name == "all" else " ".join(members))
        for name, members in NICKNAMES.items()
    ]


def exit_statuses() -> list[tuple[int, str]]:
    """Return each exit status and its meaning, from the tree of errors in the docstring of ``errors``."""
    statuses = re.findall(r"^    [├└]── \w+ +(\d+)   (.+)$", errors.__doc__ or "", re.MULTILINE)
    meanings: dict[int, list[str]] = {}
    for status, meaning in statuses:
        meanings.setdefault(int(status), []).append(meaning)
    texts = {0: "success"} | {status: "; ".join(parts) for status, parts in meanings.items()} | _NO_ERRORS_OF_OURS
    return [(status, _sentence(text)) for status, text in sorted(texts.items())]


def _command() -> Iterator[str]:
    yield from heading("irevalx", 1, "evaluate ranked retrieval like trec_eval")
    yield from (".SH SYNOPSIS", ".B irevalx", r"[\fIOPTIONS\fR] \fIQRELS\fR \fIRUN\fR...")
    yield ".SH DESCRIPTION"
    yield from paragraphs(DESCRIPTION)


def _options() -> Iterator[str]:
    yield ".SH OPTIONS"
    for group, described in option_groups():
        yield subsection(group)
        for names, text in described:
            yield from definition(names, text)


def _output_formats() -> Iterator[str]:
    yield '.SH "OUTPUT FORMATS"'
    for name, text in output_formats():
        yield from definition(f"--format {name}", text)


def output_formats() -> list[tuple[str, str]]:
    """Return the name and the description of each output format."""
    return [(form.name, _described(form)) for form in OUTPUT_FORMATS.values()]


def _described(form: OutputFormat) -> str:
    facts = [form.purpose]
    if form.for_people:
        facts.append("real numbers have --digits decimals")
    if form.shows_inputs:
        facts.append("irevalx adds options, inputs and warnings")
    if not form.in_lab:
        facts.append(f"not for {LAB}")
    text = "; ".join(facts) + "."
    return text if text.startswith("trec_eval") else text[0].upper() + text[1:]


def _completion() -> Iterator[str]:
    yield ".SH COMPLETION"
    yield from paragraphs(
        ["To enable completion of options, measures and file names, add the line for your shell to its start-up file:"]
    )
    for shell, line in COMPLETIONS.items():
        yield from (".TP", shell, rf"\fB{roff(line)}\fR")


def _departures() -> Iterator[str]:
    yield '.SH "DIFFERENCES FROM TREC_EVAL"'
    for departure in DEPARTURES:
        yield from (".TP", r"\(bu", roff(departure.trec_eval), ".br", roff(f"irevalx: {departure.irevalx}"))


def _exit_status() -> Iterator[str]:
    yield '.SH "EXIT STATUS"'
    for status, meaning in exit_statuses():
        yield from (".TP", str(status), roff(meaning))


def _examples() -> Iterator[str]:
    yield ".SH EXAMPLES"
    for line, meaning in EXAMPLES:
        yield from definition(line, _sentence(meaning))


def _measures() -> Iterator[str]:
    yield ".SH MEASURES"
    yield from paragraphs(
        [
            "Measures are listed in the order in which they are printed. K, X and other capitals are parameters, which "
            "are given after a dot and have defaults. The lines -l, -c and -J describe the effect of these options on "
            "the measure; the line Pool describes the effect of --pool and of negative judgments. The formulas use "
            "these symbols:"
        ]
    )
    for number, (name, meaning) in enumerate(SYMBOLS.items()):
        if number == 1:
            yield ".PD 0"
        yield from (".TP", rf"\fI{roff(name)}\fR", roff(meaning))
    yield ".PD"
    for measure in MEASURES:
        usage = f".{measure.kind.usage}" if measure.kind.usage else ""
        yield from definition(measure.name + usage, f"{measure.title}.")
        for paragraph in measure.paragraphs:
            yield from (".sp", "\n.br\n".join(map(roff, paragraph)))
        yield ".br"
        yield "\n.br\n".join(map(roff, effects(measure)))
    yield subsection("Sets of measures")
    for name, members in measure_sets():
        yield from definition(name, members)


def _rules() -> Iterator[str]:
    yield '.SH "JUDGED, POOLED, AND OUTSIDE THE POOL"'
    yield from paragraphs(
        [
            "Measures treat four kinds of documents differently. The first entry defines these kinds, and each of the "
            "other entries states what applies to documents of each kind."
        ]
    )
    for subject, cells in RULES:
        yield from (".TP", roff(subject))
        yield "\n.br\n".join(roff(f"{kind}: {cell}") for kind, cell in zip(KINDS, cells, strict=True))


def _formats() -> Iterator[str]:
    yield ".SH FORMATS"
    for described in FILE_FORMATS:
        yield subsection(f"{described.usage}: {described.columns}")
        yield from (".EX", roff(described.example), ".EE", ".PP")
        yield from paragraphs(described.paragraphs)
    yield subsection("Parquet")
    yield from paragraphs(PARQUET)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
