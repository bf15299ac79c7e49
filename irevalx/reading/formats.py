"""FILE_FORMATS: one record per file format.

Options, help, manual pages, completion, errors and tests are generated from these records. A new format needs a record
here and, unless an existing reader fits, a module with its reader; ``tests/reading/test_formats.py`` requires an
example. Readers are imported when a file is read, so that the help does not load them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from irevalx.declarations import spelled
from irevalx.errors import FormatError, InputError, Warn, quote
from irevalx.frozen import replace
from irevalx.reading.column_names import DOCNO, GRADE, SCORE, TOPIC
from irevalx.reading.file_format import FileFormat, FileKind, join_words
from irevalx.reading.layout import CommentStyle, Layout
from irevalx.reading.rules import Rules
from irevalx.settings import ORDERS_OF_TIES, PROBABILITY, REAL
from irevalx.trec_eval import Compat

if TYPE_CHECKING:
    from irevalx.judgments import AnyJudgments
    from irevalx.judgments.graded import GroupedJudgments, Judgments, JudgmentsWithProbabilities
    from irevalx.judgments.pool import PooledDocuments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments
    from irevalx.reading.kinds.runs import RunStream
    from irevalx.reading.sources.files import Source

Data = TypeVar("Data")

_TIES_BY_GRADES = tuple(f"ties={ties}" for ties in ORDERS_OF_TIES)

_NAMES = (
    "Columns are found by their names, in any case and order, and others are ignored. A topic is "
    f"{join_words(TOPIC.names, 'or')}; a document is {join_words(DOCNO.names, 'or')}; "
)
_GRADES = f"{_NAMES}a grade, as in qrels, is {join_words(GRADE.names, 'or')}. Repeated judgments count once."
_SCORES = (
    f"{_NAMES}a score is {join_words(SCORE.names, 'or')}. Without scores, documents are ranked by rank, the lowest "
    "first. A column run names the run, of which a file can have several; without it, the run is named after its file, "
    "without folder and suffixes."
)
_FIELDS = (
    "Fields can be quoted as in CSV, blanks around a field are removed, and each line must have the same number of "
    "fields. {without} Files with a header are recognised without {option}."
)
_RECORDS = (
    "Each line is a JSON object, whose numbers must not be in quotes; blank lines are skipped. Files that begin with "
    "such an object are recognised without {option}."
)

BEIR: FileFormat[Judgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="beir",
    layout=Layout(line="a judgment", columns=("TOPIC DOCNO GRADE",), comments=CommentStyle.NONE, tabs=True),
    example="301 FBIS3-10082 1",
    prose=(
        "The format of BEIR's qrels/test.tsv: like tsv and csv, whichever the file is, with the header query-id "
        "corpus-id score or other names of columns. If the header is missing, the first line is read as a judgment, "
        "with a warning.",
        "Files with this header are recognised without -R beir.",
    ),
    reader="graded.read_graded",
    source="table",
    header="query-id corpus-id score",
    measures_of="qrels",
    lenient=False,
)

CSV_QRELS: FileFormat[Judgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="csv",
    form="query_id,doc_id,relevance, followed by lines TOPIC,DOCNO,GRADE",
    example="301,FBIS3-10082,1",
    prose=(
        f"Judgments in a table with a header, separated by commas or semicolons. {_GRADES}",
        _FIELDS.format(
            option="-R csv", without="A file without a header must have three columns: topic, document and grade."
        ),
    ),
    reader="graded.read_graded",
    source="table",
    separators=(",", ";"),
    measures_of="qrels",
    lenient=False,
)

TSV_QRELS: FileFormat[Judgments] = replace(
    CSV_QRELS,
    name="tsv",
    form="query_id doc_id relevance, followed by lines TOPIC DOCNO GRADE",
    example="301 FBIS3-10082 1",
    prose=("Like csv, but separated by tabs, or by blanks if there are no tabs.",),
    separators=("\t", ""),
)

JSON_QRELS: FileFormat[Judgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="json",
    form="{TOPIC: {DOCNO: GRADE}}",
    example='{"301": {"FBIS3-10082": 1, "FBIS3-10083": 0}}',
    prose=(
        "Judgments as one JSON object with an object for each topic, as ranx and BEIR have them. Grades are those of "
        "qrels. A topic without documents is as one that is not there.",
        "A topic or a document that occurs twice is an error.",
        "Files that begin with such an object are recognised without -R json. JSON Lines are read like jsonl.",
    ),
    reader="graded.read_graded",
    source="json",
    measures_of="qrels",
    lenient=False,
)

JSONL_QRELS: FileFormat[Judgments] = replace(
    CSV_QRELS,
    name="jsonl",
    form='{"query_id": TOPIC, "doc_id": DOCNO, "relevance": GRADE}',
    example='{"query_id": "301", "doc_id": "FBIS3-10082", "relevance": 1}',
    prose=(
        f"Judgments in JSON Lines. {_GRADES}",
        _RECORDS.format(option="-R jsonl"),
    ),
    source="records",
)

QRELS: FileFormat[Judgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="qrels",
    layout=Layout(line="a judgment", columns=("TOPIC IGNORED DOCNO GRADE",)),
    example="301 0 FBIS3-10082 1",
    prose=(
        "A grade is a whole number, or what --grades says. Grades of at least -l (1 unless told otherwise) are "
        "relevant, grades from 0 up to it are not relevant, and a negative grade says that the document was pooled but "
        "not judged.",
        "Judgments whose second column is a subtopic are read with -R subtopics: here a document must occur once.",
    ),
    reader="graded.read_graded",
    tables=True,
)

SAMPLED: FileFormat[Judgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="sampled",
    layout=Layout(line="a judgment of a sample", columns=("TOPIC IGNORED DOCNO STRATUM GRADE",)),
    example="301 0 FBIS3-10082 2 1",
    prose=(
        "Judgments of a pool that was divided into strata, of each of which a random sample was judged, as TRECVID and "
        "TREC's tracks on clinical decision support and precision medicine publish them. Every document of the pool "
        "has a line; a negative grade says that it was not in the sample. A stratum is any word.",
        "The first 1000 documents of a topic count unless -M says otherwise. The format has measures of its own: "
        "xinfAP, infNDCG and their relatives, and counts.",
    ),
    reader="graded.read_graded",
    tables=True,
    nested="TOPIC DOCNO: STRATUM GRADE",
    default_measures="all",
    excludes=("pool", "judged_only", "unjudged", PROBABILITY, *_TIES_BY_GRADES),
)

QRELS_JG: FileFormat[GroupedJudgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="qrels_jg",
    layout=Layout(line="a judgment", columns=("TOPIC GROUP DOCNO GRADE",)),
    example="301 user1 FBIS3-10082 1",
    prose=(
        "Judgments in groups, such as those of several users. A ranking is evaluated with the judgments of each group "
        "alone, and a topic has the average over its groups. Grades are those of qrels.",
    ),
    reader="grouped.read_grades_in_groups",
    tables=True,
    nested="TOPIC GROUP DOCNO: GRADE",
    excludes=("pool", PROBABILITY, "ties=best", "ties=worst"),
)

PREFS: FileFormat[PreferenceJudgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="prefs",
    layout=Layout(line="a preference", columns=("TOPIC GROUP SUBGROUP DOCNO LEVEL",)),
    example="301 user1 a FBIS3-10082 1.5",
    prose=(
        "Preferences. In a judgment group (what one user said, say) and subgroup, a document with a higher LEVEL, a "
        "real number, is preferred to those with a lower one. A group of several subgroups also has the preferences "
        "that follow: if A is preferred to B in one and B to C in another, then A to C. Within a group they must not "
        "contradict each other. A document with a LEVEL above 0 is relevant and one with 0 is not; in a group with one "
        "subgroup, neither is one with less. -J and -l have no effect.",
        "Equal scores are ranked by DOCNO, the first in byte order first, unlike elsewhere.",
    ),
    reader="grouped.read_preferences",
    tables=True,
    nested="TOPIC GROUP SUBGROUP DOCNO: LEVEL",
    excludes=("pool", REAL, PROBABILITY, *_TIES_BY_GRADES),
    why_whole="a LEVEL is a real number anyway, and not a probability",
)

QRELS_PREFS: FileFormat[PreferenceJudgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="qrels_prefs",
    layout=Layout(line="a preference", columns=("TOPIC GROUP DOCNO LEVEL",)),
    example="301 0 FBIS3-10082 1",
    prose=(
        "Preferences from graded judgments: like prefs, with one subgroup in each group. Any qrels file will do, the "
        "column that qrels ignores being the group.",
    ),
    reader="grouped.read_preferences",
    tables=True,
    nested="TOPIC GROUP DOCNO: LEVEL",
    excludes=("pool", REAL, PROBABILITY, *_TIES_BY_GRADES),
    why_whole="a LEVEL is a real number anyway, and not a probability",
)

PAIRS: FileFormat[PreferenceJudgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="pairs",
    layout=Layout(
        line="a preference between two documents",
        columns=("TOPIC WINNER LOSER", "TOPIC DOCNO DOCNO WINNER"),
        comments=CommentStyle.NONE,
        tabs=True,
    ),
    example="301 FBIS3-10082 FBIS3-10083",
    prose=(
        "Preferences between two documents: each line contains the preferred document and the other one, or two "
        "documents and the preferred one of them. All preferences of a topic form one judgment group in the sense of "
        "prefs, and each line is a subgroup with the levels 2 and 1. Therefore both documents count as relevant, and "
        "preferences that follow from several lines also hold. Contradictory preferences are an error.",
        "Equal scores are ranked by DOCNO, the first in byte order first, unlike elsewhere.",
    ),
    reader="grouped.read_pairs",
    tables=True,
    nested="TOPIC: WINNER LOSER ...",
    measures_of="prefs",
    default_measures="prefs",
    excludes=("pool", REAL, PROBABILITY, *_TIES_BY_GRADES),
    why_whole="there are no grades",
    lenient=False,
)

SUBTOPICS: FileFormat[SubtopicJudgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="subtopics",
    layout=Layout(line="a judgment for a subtopic", columns=("TOPIC SUBTOPIC DOCNO GRADE",)),
    example="301 2 FBIS3-10082 1",
    prose=(
        "Judgments for the subtopics (aspects, intents) of each topic, as TREC's Web tracks publish them for the "
        "diversity task and ndeval reads them. A document may stand under several subtopics, once under each. Grades "
        "of at least -l (1 unless told otherwise) are relevant, all others are not.",
        "The format has measures of its own: alpha_nDCG, ERR_IA, NRBP and their relatives.",
    ),
    reader="grouped.read_subtopics",
    nested="TOPIC SUBTOPIC DOCNO: GRADE",
    tables=True,
    default_measures="subtopics",
    excludes=("pool", PROBABILITY, *_TIES_BY_GRADES),
)

PRELS: FileFormat[JudgmentsWithProbabilities] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="prels",
    layout=Layout(
        line="a judgment of a sample with inclusion probabilities", columns=("TOPIC DOCNO GRADE METHOD PROBABILITY",)
    ),
    example="301 FBIS3-10082 1 1 0.25",
    prose=(
        "Judgments of a sample in which every document had a probability of its own of being drawn, as TREC's Million "
        "Query tracks publish them. METHOD says how a document was chosen: 1 and 4, at random; 0, otherwise; 2, both. "
        "With 0 and 2 the PROBABILITY is taken for 1. A grade of -999 or less, or a PROBABILITY of NA, says that the "
        "document was not drawn. Grades of at least -l (1 unless told otherwise) are relevant. Measures treat a "
        "document with a grade from -998 to -1 as drawn and judged nonrelevant, like statAP_MQ_eval; irevalx-lab "
        "estimate treats it as not drawn.",
        "The format has measures of its own: statAP and its relatives.",
    ),
    reader="graded.read_prels",
    nested="TOPIC DOCNO: GRADE METHOD PROBABILITY",
    tables=True,
    default_measures="prels",
    excludes=("pool", REAL, PROBABILITY, *_TIES_BY_GRADES),
    why_whole="a grade is a whole number there, of -999 or less where the document was not drawn",
)

MSMARCO: FileFormat[RunStream] = FileFormat(
    kind=FileKind.RUNS,
    name="msmarco",
    layout=Layout(
        line="a line of a run",
        columns=("TOPIC DOCNO RANK", "TOPIC DOCNO RANK SCORE"),
        comments=CommentStyle.NONE,
        tabs=True,
    ),
    example="301 FBIS3-10082 1",
    prose=(
        "Runs as MS MARCO has them. Documents are ranked by RANK, a whole number, the lowest first; with four columns "
        "by SCORE, the highest first, and RANK has no effect. Equal ones are ordered by DOCNO, the last in byte order "
        "first. The run tag is the name of the file without folder and suffixes. IDs can contain blanks if columns are "
        "separated by tabs.",
        "For files with scores and no ranks, give -T scored. irevalx warns if the ranks of most topics do not begin at "
        "0 or 1, or decrease from line to line.",
    ),
    reader="run_files.read_run",
    lenient=False,
)

SCORED: FileFormat[RunStream] = FileFormat(
    kind=FileKind.RUNS,
    name="scored",
    layout=Layout(line="a line of a run", columns=("TOPIC DOCNO SCORE",), comments=CommentStyle.NONE, tabs=True),
    example="301 FBIS3-10082 12.87",
    prose=(
        "Runs with a score for each document and no ranks. Documents are ranked by SCORE, the highest first; equal "
        "scores by DOCNO, the last in byte order first. The run tag is the name of the file without folder and "
        "suffixes. IDs can contain blanks if columns are separated by tabs.",
    ),
    reader="run_files.read_run",
    lenient=False,
)

CSV_RUN: FileFormat[RunStream] = FileFormat(
    kind=FileKind.RUNS,
    name="csv",
    form="query_id,doc_id,score, followed by lines TOPIC,DOCNO,SCORE",
    example="301,FBIS3-10082,12.87",
    prose=(
        f"A run in a table with a header, separated by commas or semicolons. {_SCORES}",
        _FIELDS.format(
            option="-T csv", without="A file without a header must have three columns: topic, document and score."
        ),
        "Documents are ranked as those of trec_results.",
    ),
    reader="run_files.read_run",
    source="table",
    separators=(",", ";"),
    lenient=False,
)

TSV_RUN: FileFormat[RunStream] = replace(
    CSV_RUN,
    name="tsv",
    form="query_id doc_id score, followed by lines TOPIC DOCNO SCORE",
    example="301 FBIS3-10082 12.87",
    prose=("Like csv, but separated by tabs, or by blanks if there are no tabs.",),
    separators=("\t", ""),
)

JSON_RUN: FileFormat[RunStream] = FileFormat(
    kind=FileKind.RUNS,
    name="json",
    form="{TOPIC: {DOCNO: SCORE}}",
    example='{"301": {"FBIS3-10082": 12.87, "FBIS3-10083": 11.5}}',
    prose=(
        "A run as one JSON object with an object for each topic, as ranx and BEIR have them. Documents are ranked as "
        "those of trec_results. A topic without documents counts as one for which nothing was retrieved. The run is "
        "called by its file's name without folder and endings.",
        "A topic that occurs twice is an error, and so is a document of a topic unless --duplicates says otherwise.",
        "Files that begin with such an object are recognised without -T json. JSON Lines are read like jsonl.",
    ),
    reader="run_files.read_run",
    source="json",
    lenient=False,
)

JSONL_RUN: FileFormat[RunStream] = replace(
    CSV_RUN,
    name="jsonl",
    form='{"query_id": TOPIC, "doc_id": DOCNO, "score": SCORE}',
    example='{"query_id": "301", "doc_id": "FBIS3-10082", "score": 12.87}',
    prose=(
        f"A run in JSON Lines. {_SCORES}",
        _RECORDS.format(option="-T jsonl"),
        "Documents are ranked as those of trec_results.",
    ),
    source="records",
)

TREC_RESULTS: FileFormat[RunStream] = FileFormat(
    kind=FileKind.RUNS,
    name="trec_results",
    layout=Layout(
        line="a line of a run",
        columns=("TOPIC IGNORED DOCNO RANK SCORE TAG",),
        more=True,
        blank_lines=True,
        comments=CommentStyle.AFTER_SPACES,
    ),
    example="301 Q0 FBIS3-10082 1 12.87 mysystem",
    prose=(
        "Documents are ranked by SCORE, the highest first; equal scores by DOCNO, the last in byte order first. The "
        "RANK column is ignored, except with --ties rank. TAG is the name of the run.",
    ),
    reader="run_files.read_run",
    tables=True,
)

POOL: FileFormat[PooledDocuments] = FileFormat(
    kind=FileKind.POOL,
    name="pool",
    layout=Layout(
        line="a line of this pool",
        columns=("TOPIC DOCNO", "TOPIC IGNORED DOCNO", "TOPIC IGNORED DOCNO IGNORED"),
        blank_lines=True,
        comments=CommentStyle.AFTER_SPACES,
        comments_in_9=True,
        tabs=True,
    ),
    example="301 FBIS3-10082",
    prose=(
        "The documents that were chosen for judging, such as the first 100 of every run that took part. A document "
        "may occur any number of times.",
        "A pooled document without a judgment is as one with a negative grade in the qrels. A judged document is in "
        "the pool even if the file lacks it, which is told on standard error.",
    ),
    reader="graded.read_pool",
    tables=True,
    nested="TOPIC: DOCNO ...",
)

FILE_FORMATS: tuple[FileFormat[Any], ...] = (
    QRELS,
    BEIR,
    CSV_QRELS,
    TSV_QRELS,
    JSON_QRELS,
    JSONL_QRELS,
    SAMPLED,
    QRELS_JG,
    PREFS,
    QRELS_PREFS,
    PAIRS,
    SUBTOPICS,
    PRELS,
    TREC_RESULTS,
    MSMARCO,
    SCORED,
    CSV_RUN,
    TSV_RUN,
    JSON_RUN,
    JSONL_RUN,
    POOL,
)
"""All formats in the order of the help."""

REL_FORMATS: dict[str, FileFormat[AnyJudgments]] = {
    fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.JUDGMENTS
}
"""Judgment formats by their value of ``-R``."""

RESULTS_FORMATS: dict[str, FileFormat[RunStream]] = {fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.RUNS}
"""Run formats by their value of ``-T``."""

read_qrels, read_trec_results, read_pool = QRELS.read, TREC_RESULTS.read, POOL.read
"""The readers of the default formats."""


def runs_in(fmt: FileFormat[RunStream], source: Source, compat: Compat, strict: bool, warn: Warn) -> list[RunStream]:
    """Return the runs of a file: one, or one per value of its column ``run``.

    An unreadable table becomes a run that raises the error when it is read.
    """
    try:
        rules = Rules(compat, strict, warn)
        table = fmt.table_of_runs(source, rules)
        if table is None:
            return [fmt.read(source, compat, strict, warn)]
        from irevalx.reading.kinds.run_tables import runs_of_table
        from irevalx.reading.sources.files import name_of_file

        return [run.opened(compat, strict=strict) for run in runs_of_table(table, name_of_file(table.path), rules)]
    except InputError as error:
        from irevalx.reading.kinds.run_tables import failing_run

        return [failing_run(source.path, error)]


def rel_format(name: str) -> FileFormat[AnyJudgments]:
    """Return the judgment format with this name; FormatError if there is none."""
    return _named(REL_FORMATS, "judgments", FileKind.JUDGMENTS, name)


def results_format(name: str) -> FileFormat[RunStream]:
    """Return the run format with this name; FormatError if there is none."""
    return _named(RESULTS_FORMATS, "runs", FileKind.RUNS, name)


def names_of(kind: FileKind) -> str:
    """Return the names of the formats of a kind as a phrase.

    >>> names_of(FileKind.POOL)
    'pool'
    """
    return join_words([fmt.name for fmt in FILE_FORMATS if fmt.kind is kind], "or")


def _named(formats: Mapping[str, FileFormat[Data]], what: str, kind: FileKind, name: str) -> FileFormat[Data]:
    """Return the format with this name; ``what`` describes the formats in the error."""
    if name in formats:
        return formats[name]
    rule = f"one of {', '.join(fmt.name for fmt in FILE_FORMATS if fmt.kind is kind)}"
    raise FormatError(f"the format of {what} ({spelled(kind.parameter)}) must be {rule}, but got {quote(name)}")
