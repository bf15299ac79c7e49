"""The formats of runs and pools, each defined by one record, in the order of the help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irevalx.frozen import replace
from irevalx.reading.column_names import SCORE
from irevalx.reading.file_format import FIELDS_OF_TABLES, JSON_RECORDS, NAMES_IN_TABLES, FileFormat, FileKind
from irevalx.reading.layout import CommentStyle, Layout
from irevalx.wording import join_words

if TYPE_CHECKING:
    from irevalx.judgments.pool import PooledDocuments
    from irevalx.reading.kinds.runs import RunStream

_SCORES = (
    f"{NAMES_IN_TABLES}the score column can be named {join_words(SCORE.names, 'or')}. Without scores, documents are "
    "ranked by the rank column, in ascending order. A file can contain several runs, named in a run column. Without "
    "this column, the run tag is the file name without its directory and extensions."
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
        "spaces if columns are separated by tabs.",
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
        "extensions. IDs can contain spaces if columns are separated by tabs.",
    ),
)

CSV_RUN: FileFormat[RunStream] = FileFormat(
    kind=FileKind.RUNS,
    name="csv",
    form="query_id,doc_id,score, followed by lines TOPIC,DOCNO,SCORE",
    example="301,FBIS3-10082,12.87",
    prose=(
        f"A run in a table with a header and columns separated by commas or semicolons. {_SCORES}",
        FIELDS_OF_TABLES.format(
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
    prose=("Like csv, but separated by tabs, or by spaces if there are no tabs.",),
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
        JSON_RECORDS.format(option="-T jsonl"),
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
