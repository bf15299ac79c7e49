"""The manual pages and the generated tables, made from the options, the measures, the formats and the departures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import click
import lab_manual
from departures import DEPARTURES
from roff import ROOT, heading, paragraphs, roff, see_also
from rules import KINDS, RULES

from irevalx import errors
from irevalx.cli.arguments import GROUPS, Option
from irevalx.cli.command import command
from irevalx.cli.explain import SYMBOLS, effects
from irevalx.lab import PROGRAM
from irevalx.measures import BY_NAME, MEASURES, NICKNAMES
from irevalx.measures.select import split_reading
from irevalx.process.exit_status import BROKEN_PIPE
from irevalx.process.interrupts import INTERRUPTED
from irevalx.reading.formats import POOL, REL_FORMATS, RESULTS_FORMATS, Format

DESCRIPTION = (
    "irevalx evaluates RUN, a ranking of documents for each of a number of topics, against the relevance judgments in "
    'QRELS. It prints a line for each measure: the name of the measure, the topic or "all" for the summary over '
    "topics, and the value. With the same flags it prints what trec_eval prints, byte for byte.",
    "Files may be compressed with gzip, bzip2 or xz, whatever they are called; pipes and process substitution work; - "
    "is standard input, for one of the files. Of several runs each gets a block of its own. A run is called by its "
    "tag, or by its file where several runs have the same tag.",
    "Options may stand anywhere, and trec_eval's long options may be abbreviated.",
)

EXAMPLES = (
    ("irevalx qrels run", "The official measures, averaged over topics."),
    ("irevalx -q -m map -m P.10 qrels run", "Average precision and precision at 10, for each topic too."),
    ("irevalx -c -m ndcg@10 qrels run", "nDCG at 10, averaged over all judged topics."),
    ("irevalx -l 2 qrels.gz runs/*.gz", "Only judgments of 2 and more are relevant; many runs at once."),
    ("irevalx --pool pool -m incomplete qrels run", "What a run is worth when not all of the pool was judged."),
    (
        "irevalx --unjudged nonrel,skip,rel -m P.10 qrels run",
        "Precision at 10 with unjudged documents taken for nonrelevant, left out, and taken for relevant.",
    ),
    ("irevalx -R sampled sampled.qrels run", "The measures for a stratified sample of judgments."),
    ("irevalx -R prefs -m all_prefs prefs run", "How far the run agrees with preferences."),
    ("irevalx -D 1.301 -m map qrels run", "What the measures see of topic 301, document by document."),
    ("irevalx -h -m bpref", "What bpref is."),
)


COMPLETIONS = {
    "bash": 'eval "$(_IREVALX_COMPLETE=bash_source irevalx)"',
    "zsh": 'eval "$(_IREVALX_COMPLETE=zsh_source irevalx)"',
    "fish": "_IREVALX_COMPLETE=fish_source irevalx | source",
}
"""What each shell has to be told."""

OTHER_STATUSES = {
    INTERRUPTED: "interrupted (trec_eval dies by the signal, which a shell shows in the same way)",
    BROKEN_PIPE: "the reader of standard output has gone (likewise)",
}


def manual_pages() -> dict[str, str]:
    """Return the pages of the manual, by the name of the file in man/."""
    pages: dict[str, tuple[Iterator[str], ...]] = {
        "irevalx.1": (_command(), _options(), _completion(), _differences(), _exit_status(), _examples()),
        "irevalx-measures.7": (heading("irevalx-measures", 7, "the measures of irevalx"), _measures(), _rules()),
        "irevalx-formats.5": (heading("irevalx-formats", 5, "the files that irevalx reads"), _formats()),
    }
    texts = {}
    for name, sections in pages.items():
        others = [(other.rpartition(".")[0], int(other[-1])) for other in pages if other != name]
        lines = chain(*sections, see_also([*others, (PROGRAM, 1)]))
        texts[name] = "\n".join(lines) + "\n"
    return texts | lab_manual.manual_pages()


def _command() -> Iterator[str]:
    yield from heading("irevalx", 1, "evaluate ranked retrieval as trec_eval does")
    yield from (".SH SYNOPSIS", ".B irevalx", r"[\fIOPTIONS\fR] \fIQRELS\fR \fIRUN\fR...")
    yield ".SH DESCRIPTION"
    yield from paragraphs(DESCRIPTION)


def _options() -> Iterator[str]:
    yield ".SH OPTIONS"
    for group in GROUPS:
        yield f'.SS "{roff(group)}"'
        for param in command.params:
            if isinstance(param, Option) and param.group == group:
                names, text = param.get_help_record(click.Context(command)) or ("", "")
                yield from (".TP", rf"\fB{roff(names)}\fR", roff(text))


def _formats() -> Iterator[str]:
    yield ".SH FORMATS"
    explained: list[tuple[str, Format[Any]]] = [("-R", fmt) for fmt in REL_FORMATS.values()]
    explained += [("-T", fmt) for fmt in RESULTS_FORMATS.values()]
    for flag, fmt in (*explained, ("--pool, a", POOL)):
        yield f'.SS "{roff(f"{flag} {fmt.name}: {fmt.columns}")}"'
        yield from (".EX", roff(fmt.example), ".EE", ".PP")
        yield from paragraphs(fmt.prose)


def _measures() -> Iterator[str]:
    yield ".SH MEASURES"
    yield roff(
        "In the order in which they are printed. K, X and so on stand for parameters, given behind a dot; there are "
        "usual ones. Behind -l, -c, -J (the options) and Pool (--pool, or a negative judgment) stands what these do to "
        "the measure. In formulas, as far as they do not say it themselves:"
    )
    for number, (name, meaning) in enumerate(SYMBOLS.items()):
        if number == 1:
            yield ".PD 0"
        yield from (".TP", rf"\fI{roff(name)}\fR", roff(meaning))
    yield ".PD"
    for measure in MEASURES:
        usage = f".{measure.kind.usage}" if measure.kind.usage else ""
        yield from (".TP", rf"\fB{roff(measure.name + usage)}\fR", roff(measure.title + "."))
        for paragraph in measure.paragraphs:
            yield from (".sp", "\n.br\n".join(map(roff, paragraph)))
        yield ".br"
        yield "\n.br\n".join(map(roff, effects(measure)))
    yield ".SS Sets of measures"
    for name, members in NICKNAMES.items():
        known = all(split_reading(member)[0].partition(".")[0] in BY_NAME for member in members)
        if known:
            text = "All that the format of the judgments allows." if name == "all" else " ".join(members)
            yield from (".TP", rf"\fB{roff(name)}\fR", roff(text))


def _rules() -> Iterator[str]:
    yield '.SH "JUDGED, POOLED, AND OUTSIDE THE POOL"'
    for subject, cells in RULES:
        yield from (".TP", roff(f"{subject}:"))
        yield roff("; ".join(f"{kind}: {cell}" for kind, cell in zip(KINDS, cells, strict=True)) + ".")


def _completion() -> Iterator[str]:
    yield ".SH COMPLETION"
    yield roff(
        "Shells complete options, measures and files after one of these lines, which belong into their start files:"
    )
    for shell, line in COMPLETIONS.items():
        yield from (".TP", shell, rf"\fB{roff(line)}\fR")


def _differences() -> Iterator[str]:
    yield '.SH "DIFFERENCES FROM TREC_EVAL"'
    for departure in DEPARTURES:
        yield from (".TP", r"\(bu", roff(departure.trec_eval), ".br", roff(f"irevalx: {departure.irevalx}"))


def _exit_status() -> Iterator[str]:
    yield from ('.SH "EXIT STATUS"', ".TP", "0", "Success.")
    for status, meaning in _statuses():
        yield from (".TP", str(status), roff(meaning))


def _examples() -> Iterator[str]:
    yield ".SH EXAMPLES"
    for line, meaning in EXAMPLES:
        yield from (".TP", rf"\fB{roff(line)}\fR", roff(meaning))


def _statuses() -> list[tuple[int, str]]:
    """Return what each status stands for, as the tree of errors says."""
    found = re.findall(r"^    [├└]── \w+ +(\d+)   (.+)$", errors.__doc__ or "", re.MULTILINE)
    meanings: dict[int, list[str]] = {}
    for status, meaning in found:
        meanings.setdefault(int(status), []).append(meaning)
    texts = {status: "; ".join(parts) for status, parts in meanings.items()} | OTHER_STATUSES
    return [(status, text[0].upper() + text[1:] + ".") for status, text in sorted(texts.items())]


def departures_table() -> str:
    """Return the README's table of departures."""
    rows = ["| | trec_eval | irevalx | because | shown by |", "|---|---|---|---|---|"]
    for d in DEPARTURES:
        rows += [f"| {d.number} | {d.trec_eval} | {d.irevalx} | {d.reason} | `{d.test}` |"]
    return "\n".join(rows)


def rules_table() -> str:
    """Return the README's table of what judged, pooled and outside the pool mean."""
    rows = [f"| | {' | '.join(KINDS)} |", "|---|---|---|---|---|"]
    rows += [f"| {subject} | {' | '.join(cells)} |" for subject, cells in RULES]
    return "\n".join(rows)


def measures_table() -> str:
    """Return the README's table of measures."""
    rows = ["| measure | what it is | parameters |", "|---|---|---|"]
    for measure in MEASURES:
        usage = f"`{measure.name}.{measure.kind.usage}`" if measure.kind.usage else ""
        rows.append(f"| `{measure.name}` | {measure.title} | {usage} |")
    return "\n".join(rows)


def readme(text: str) -> str:
    """Return the README with its tables made anew."""
    tables = {"measures": measures_table(), "rules": rules_table(), "departures": departures_table()}
    for name, table in tables.items():
        begin, end = f"<!-- {name}: made by python docs/generate -->", f"<!-- end of {name} -->"
        if begin not in text or end not in text:
            raise ValueError(f"the README must hold {begin} and {end}")
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
    return text


def main(args: Sequence[str]) -> int:
    """Write the files, or check them."""
    readme_path = ROOT / "README.md"
    made = {ROOT / "man" / name: text for name, text in manual_pages().items()}
    made[readme_path] = readme(readme_path.read_text())
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    if list(args) == ["--check"]:
        for path in stale:
            click.echo(f"{path.relative_to(ROOT)} is not up to date: run python docs/generate", err=True)
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path])
    return 0
