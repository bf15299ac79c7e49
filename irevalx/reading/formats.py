"""FILE_FORMATS: one record per file format.

Options, help, manual pages, completion, errors and tests are generated from these records. A new format needs a record
here and, unless an existing reader fits, a module with its reader; ``tests/reading/test_formats.py`` requires an
example. Readers are imported when a file is read, so that displaying help does not import them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from irevalx.errors import FormatError, quote
from irevalx.frozen import replace
from irevalx.reading.column_names import DOCNO, GRADE, SCORE, TOPIC
from irevalx.reading.file_format import FileFormat, FileKind
from irevalx.reading.layout import CommentStyle, Layout
from irevalx.settings import ORDERS_OF_TIES, PROBABILITY, REAL
from irevalx.wording import join_words, spelled

if TYPE_CHECKING:
    from irevalx.judgments import AnyJudgments
    from irevalx.judgments.graded import GroupedJudgments, InclusionJudgments, Judgments
    from irevalx.judgments.pool import PooledDocuments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments
    from irevalx.reading.kinds.runs import RunStream

Data = TypeVar("Data")

_TIES_BY_GRADES = tuple(f"ties={ties}" for ties in ORDERS_OF_TIES)

_NAMES = (
    "Columns are identified by name, in any case and order; other columns are ignored. The topic column can be named "
    f"{join_words(TOPIC.names, 'or')}; the document column can be named {join_words(DOCNO.names, 'or')}; "
)
_GRADES = f"{_NAMES}the grade column can be named {join_words(GRADE.names, 'or')}. Repeated judgments are used once."
_SCORES = (
    f"{_NAMES}the score column can be named {join_words(SCORE.names, 'or')}. Without scores, documents are ranked by "
    "the rank column, in ascending order. A file can contain several runs, named in a run column. Without this column, "
    "the run tag is the file name without its directory and extensions."
)
_FIELDS = (
    "Fields can be quoted as in CSV, blanks around a field are removed, and all lines must have the same number of "
    "fields. {without} Files with a header are recognised without {option}."
)
_ASCENDING = "Unlike in other formats, documents with equal scores are ranked by DOCNO in ascending byte order."
_RECORDS = (
    "Each line is a JSON object; numbers must not be quoted, and blank lines are skipped. Files that begin with such "
    "an object are recognised without {option}."
)

QRELS: FileFormat[Judgments] = FileFormat(
    name="qrels",
    layout=Layout(line="a judgment", columns=("TOPIC IGNORED DOCNO GRADE",)),
    example="301 0 FBIS3-10082 1",
    prose=(
        "A grade is an integer unless --grades is given. Grades of -l or higher (default: 1) are relevant, lower "
        "grades down to 0 are nonrelevant, and a negative grade marks a document that was pooled but not judged.",
        "A document must occur only once per topic. If the second column contains subtopics, use -R subtopics.",
    ),
    reader="graded.read_graded",
    tables=True,
)

BEIR: FileFormat[Judgments] = FileFormat(
    name="beir",
    layout=Layout(line="a judgment", columns=("TOPIC DOCNO GRADE",), comments=CommentStyle.NONE, tabs=True),
    example="301 FBIS3-10082 1",
    prose=(
        "The format of BEIR's qrels/test.tsv: a table like tsv or csv, with the header query-id corpus-id score or "
        "other column names. If the header is missing, irevalx reads the first line as a judgment and prints a "
        "warning.",
        "Files with this header are recognised without -R beir.",
    ),
    reader="graded.read_graded",
    source="table",
    header="query-id corpus-id score",
    measures_of="qrels",
    lenient=False,
)

CSV_QRELS: FileFormat[Judgments] = FileFormat(
    name="csv",
    form="query_id,doc_id,relevance, followed by lines TOPIC,DOCNO,GRADE",
    example="301,FBIS3-10082,1",
    prose=(
        f"Judgments in a table with a header and columns separated by commas or semicolons. {_GRADES}",
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

JSON_QRELS: FileFormat[Judgments] = replace(
    CSV_QRELS,
    name="json",
    form="{TOPIC: {DOCNO: GRADE}}",
    example='{"301": {"FBIS3-10082": 1, "FBIS3-10083": 0}}',
    prose=(
        "Judgments as one JSON object that contains an object for each topic, as used by ranx and BEIR. Grades have "
        "the same meaning as in qrels; true and false are 1 and 0. A topic without documents is ignored.",
        "Repeated topics, and repeated documents of a topic, are errors.",
        "Files that begin with such an object are recognised without -R json. JSON Lines are read like jsonl.",
    ),
    source="json",
    separators=(),
)

JSONL_QRELS: FileFormat[Judgments] = replace(
    CSV_QRELS,
    name="jsonl",
    form='{"query_id": TOPIC, "doc_id": DOCNO, "relevance": GRADE}',
    example='{"query_id": "301", "doc_id": "FBIS3-10082", "relevance": 1}',
    prose=(
        f"Judgments in JSON Lines. {_GRADES} The grades true and false are 1 and 0.",
        _RECORDS.format(option="-R jsonl"),
    ),
    source="records",
)

SAMPLED: FileFormat[Judgments] = FileFormat(
    name="sampled",
    layout=Layout(line="a judgment of a sample", columns=("TOPIC IGNORED DOCNO STRATUM GRADE",)),
    example="301 0 FBIS3-10082 2 1",
    prose=(
        "Judgments from a stratified pool in which a random sample of each stratum was judged, in the format published "
        "by TRECVID and by TREC's clinical decision support and precision medicine tracks. Every pooled document has a "
        "line; a negative grade marks a document that was not sampled. The name of a stratum can be any word.",
        "Only the first 1000 documents of a topic are evaluated, unless -M is given. The measures are specific to this "
        "format: xinfAP, infNDCG, their variants, and counts.",
    ),
    reader="graded.read_graded",
    tables=True,
    nested="TOPIC DOCNO: STRATUM GRADE",
    default_measures="all",
    excludes=("pool", "judged_only", "unjudged", PROBABILITY, *_TIES_BY_GRADES),
)

QRELS_JG: FileFormat[GroupedJudgments] = FileFormat(
    name="qrels_jg",
    layout=Layout(line="a judgment", columns=("TOPIC GROUP DOCNO GRADE",)),
    example="301 user1 FBIS3-10082 1",
    prose=(
        "Judgments in groups, for example one group per user. A ranking is evaluated separately with the judgments of "
        "each group, and the value of a topic is the average over its groups. Grades have the same meaning as in "
        "qrels.",
    ),
    reader="grouped.read_grades_in_groups",
    tables=True,
    nested="TOPIC GROUP DOCNO: GRADE",
    excludes=("pool", PROBABILITY, "ties=best", "ties=worst"),
)

PREFS: FileFormat[PreferenceJudgments] = FileFormat(
    name="prefs",
    layout=Layout(line="a preference", columns=("TOPIC GROUP SUBGROUP DOCNO LEVEL",)),
    example="301 user1 a FBIS3-10082 1.5",
    prose=(
        "Preference judgments, in groups (for example, one per user) and subgroups. Within a subgroup, documents with "
        "a higher LEVEL, a real number, are preferred to documents with a lower LEVEL. In a group with several "
        "subgroups, preferences are transitive: if A is preferred to B in one subgroup and B to C in another, then A "
        "is also preferred to C. The preferences of a group must not contradict each other. A document with a LEVEL "
        "above 0 is relevant, and a document with LEVEL 0 is nonrelevant. If a group has only one subgroup, a document "
        "with a negative LEVEL is also nonrelevant. -J and -l have no effect.",
        _ASCENDING,
    ),
    reader="grouped.read_preferences",
    tables=True,
    nested="TOPIC GROUP SUBGROUP DOCNO: LEVEL",
    excludes=("pool", REAL, PROBABILITY, *_TIES_BY_GRADES),
    why_whole="a LEVEL is a real number anyway, and not a probability",
)

QRELS_PREFS: FileFormat[PreferenceJudgments] = replace(
    PREFS,
    name="qrels_prefs",
    layout=Layout(line="a preference", columns=("TOPIC GROUP DOCNO LEVEL",)),
    example="301 0 FBIS3-10082 1",
    prose=(
        "Preferences from graded judgments: like prefs, with one subgroup in each group. Any qrels file can be read; "
        "the column that qrels ignores is the group.",
    ),
    nested="TOPIC GROUP DOCNO: LEVEL",
)

PAIRS: FileFormat[PreferenceJudgments] = replace(
    PREFS,
    name="pairs",
    layout=Layout(
        line="a preference between two documents",
        columns=("TOPIC WINNER LOSER", "TOPIC DOCNO DOCNO WINNER"),
        comments=CommentStyle.NONE,
        tabs=True,
    ),
    example="301 FBIS3-10082 FBIS3-10083",
    prose=(
        "Pairwise preferences: each line contains the preferred document followed by the other document, or both "
        "documents followed by the preferred document. As in prefs, all preferences of a topic form a judgment group, "
        "and each line is a subgroup with the levels 2 and 1. Therefore both documents are treated as relevant, and "
        "preferences are transitive across lines. Contradictory preferences are an error.",
        _ASCENDING,
    ),
    reader="grouped.read_pairs",
    nested="TOPIC: WINNER LOSER ...",
    measures_of="prefs",
    default_measures="prefs",
    why_whole="there are no grades",
    lenient=False,
)

SUBTOPICS: FileFormat[SubtopicJudgments] = FileFormat(
    name="subtopics",
    layout=Layout(line="a judgment for a subtopic", columns=("TOPIC SUBTOPIC DOCNO GRADE",)),
    example="301 2 FBIS3-10082 1",
    prose=(
        "Judgments for the subtopics (aspects, intents) of each topic, in the format of ndeval and of the diversity "
        "task of TREC's Web tracks. A document can be listed under several subtopics, once under each. Grades of -l or "
        "higher (default: 1) are relevant; all other grades are nonrelevant.",
        "The measures are specific to this format: alpha_nDCG, ERR_IA, NRBP and their variants.",
    ),
    reader="grouped.read_subtopics",
    nested="TOPIC SUBTOPIC DOCNO: GRADE",
    tables=True,
    default_measures="subtopics",
    excludes=("pool", PROBABILITY, *_TIES_BY_GRADES),
)

PRELS: FileFormat[InclusionJudgments] = FileFormat(
    name="prels",
    layout=Layout(line="a judgment with an inclusion probability", columns=("TOPIC DOCNO GRADE METHOD PROBABILITY",)),
    example="301 FBIS3-10082 1 1 0.25",
    prose=(
        "Judgments from a sample with an inclusion probability for each document, in the format published by TREC's "
        "Million Query tracks. METHOD is the way a document was selected: at random (1 or 4), otherwise (0), or both "
        "(2). With METHOD 0 or 2, the PROBABILITY is assumed to be 1. A grade of -999 or lower, or a PROBABILITY of "
        "NA, marks a document that was not sampled. Grades of -l or higher (default: 1) are relevant. Like "
        "statAP_MQ_eval, measures treat a document with a grade from -998 to -1 as sampled and judged nonrelevant; "
        "irevalx-lab estimate treats it as not sampled.",
        "The measures are specific to this format: statAP and its variants.",
    ),
    reader="graded.read_prels",
    nested="TOPIC DOCNO: GRADE METHOD PROBABILITY",
    tables=True,
    default_measures="prels",
    excludes=("pool", REAL, PROBABILITY, *_TIES_BY_GRADES),
    why_whole="grades of this format are integers, -999 or less for a document that was not sampled",
)

WEIGHTED: FileFormat[Judgments] = replace(
    QRELS,
    name="weighted",
    layout=Layout(line="a judgment with a weight", columns=("TOPIC IGNORED DOCNO GRADE WEIGHT",)),
    example="301 0 FBIS3-10082 1 0.25",
    prose=(
        "Judgments with a number for each document, such as its propensity, length or price, or NA. Custom measures "
        'that are declared with needs="weight" use it; other measures ignore it. Grades have the same meaning as in '
        "qrels.",
    ),
    nested="TOPIC DOCNO: GRADE WEIGHT",
    measures_of="qrels",
    lenient=False,
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
        "Documents are ranked by SCORE, highest first; ties are ordered by DOCNO, in descending byte order. The RANK "
        "column is ignored, except with --ties rank. TAG is the run tag.",
    ),
    reader="run_files.read_run",
    tables=True,
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
        "Runs in the format of MS MARCO. Documents are ranked by RANK, an integer, lowest first. With four "
        "columns, they are ranked by SCORE, highest first, and RANK is ignored. Ties are ordered by DOCNO, in "
        "descending byte order. The run tag is the file name without its directory and extensions. IDs can contain "
        "blanks if columns are separated by tabs.",
        "For files with scores and no ranks, use -T scored. irevalx warns if the ranks of most topics do not begin at "
        "0 or 1, or decrease from line to line.",
    ),
    reader="run_files.read_run",
    lenient=False,
)

SCORED: FileFormat[RunStream] = replace(
    MSMARCO,
    name="scored",
    layout=Layout(line="a line of a run", columns=("TOPIC DOCNO SCORE",), comments=CommentStyle.NONE, tabs=True),
    example="301 FBIS3-10082 12.87",
    prose=(
        "Runs with a score for each document and no ranks. Documents are ranked by SCORE, highest first; ties are "
        "ordered by DOCNO, in descending byte order. The run tag is the file name without its directory and "
        "extensions. IDs can contain blanks if columns are separated by tabs.",
    ),
)

CSV_RUN: FileFormat[RunStream] = FileFormat(
    kind=FileKind.RUNS,
    name="csv",
    form="query_id,doc_id,score, followed by lines TOPIC,DOCNO,SCORE",
    example="301,FBIS3-10082,12.87",
    prose=(
        f"A run in a table with a header and columns separated by commas or semicolons. {_SCORES}",
        _FIELDS.format(
            option="-T csv", without="A file without a header must have three columns: topic, document and score."
        ),
        "Documents are ranked as in trec_results.",
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

JSON_RUN: FileFormat[RunStream] = replace(
    CSV_RUN,
    name="json",
    form="{TOPIC: {DOCNO: SCORE}}",
    example='{"301": {"FBIS3-10082": 12.87, "FBIS3-10083": 11.5}}',
    prose=(
        "A run as one JSON object that contains an object for each topic, as used by ranx and BEIR. Documents are "
        "ranked as in trec_results. A topic whose object is empty counts as a topic for which nothing was retrieved. "
        "The run tag is the file name without its directory and extensions.",
        "Repeated topics are errors; so are repeated documents of a topic, unless --duplicates is given.",
        "Files that begin with such an object are recognised without -T json. JSON Lines are read like jsonl.",
    ),
    source="json",
    separators=(),
)

JSONL_RUN: FileFormat[RunStream] = replace(
    CSV_RUN,
    name="jsonl",
    form='{"query_id": TOPIC, "doc_id": DOCNO, "score": SCORE}',
    example='{"query_id": "301", "doc_id": "FBIS3-10082", "score": 12.87}',
    prose=(
        f"A run in JSON Lines. {_SCORES}",
        _RECORDS.format(option="-T jsonl"),
        "Documents are ranked as in trec_results.",
    ),
    source="records",
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
        "The documents that were selected for judging, for example the first 100 of every participating run. A "
        "document can occur any number of times.",
        "A pooled document without a judgment is treated like a document with a negative grade in the qrels. Judged "
        "documents that are missing from the file are added to the pool, with a warning.",
    ),
    reader="graded.read_pool",
    tables=True,
    nested="TOPIC: DOCNO ...",
)

FILE_FORMATS: tuple[FileFormat[Any], ...] = tuple(each for each in vars().values() if isinstance(each, FileFormat))
"""All formats in the order of the help."""

REL_FORMATS: dict[str, FileFormat[AnyJudgments]] = {
    fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.JUDGMENTS
}
"""Judgment formats by their value of ``-R``."""

RESULTS_FORMATS: dict[str, FileFormat[RunStream]] = {fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.RUNS}
"""Run formats by their value of ``-T``."""

read_qrels, read_trec_results, read_pool = QRELS.read, TREC_RESULTS.read, POOL.read
"""The readers of the default formats."""


def rel_format(name: str) -> FileFormat[AnyJudgments]:
    """Return the judgment format with this name; raises FormatError if there is none."""
    return _named(REL_FORMATS, "judgments", FileKind.JUDGMENTS, name)


def results_format(name: str) -> FileFormat[RunStream]:
    """Return the run format with this name; raises FormatError if there is none."""
    return _named(RESULTS_FORMATS, "runs", FileKind.RUNS, name)


def names_of(kind: FileKind) -> str:
    """Return the names of the formats of a kind, joined to a phrase.

    >>> names_of(FileKind.POOL)
    'pool'
    """
    return join_words([fmt.name for fmt in FILE_FORMATS if fmt.kind is kind], "or")


def _named(formats: Mapping[str, FileFormat[Data]], what: str, kind: FileKind, name: str) -> FileFormat[Data]:
    """Return the format with this name; ``what`` describes the formats in the error."""
    if name in formats:
        return formats[name]
    raise FormatError(f"unknown format of {what} {quote(name)}; {spelled(kind.parameter)} accepts {names_of(kind)}")
