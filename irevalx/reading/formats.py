"""FILE_FORMATS: the formats of the files that irevalx reads, a row each.

Options, help, manual page, completion, errors and tests follow from the rows. A new format is a row here and, unless a
reader that is there already will do, a module with its reader; ``tests/reading/test_formats.py`` then asks for an
example. Readers are imported when a file is read, so that the help does not wait for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from irevalx.errors import FormatError, InputError, Warn, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.reading.layout import Comments, Layout
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.judgments.drawn import DrawnJudgments
    from irevalx.judgments.graded import Judgments
    from irevalx.judgments.judgment_groups import GroupedJudgments
    from irevalx.judgments.kinds import AnyJudgments
    from irevalx.judgments.pool import Pool
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments
    from irevalx.reading.runs import Run
    from irevalx.reading.source import Source
    from irevalx.reading.tables.tables import Table

Data_co = TypeVar("Data_co", covariant=True)


class FileKind(Enum):
    """What the files of a format hold, and the option of the command that is about them."""

    JUDGMENTS = "-R"
    RUNS = "-T"
    POOL = "--pool"


class FileFormat(Frozen, Generic[Data_co], kw_only=True):
    """A file format: how to read it and how to explain it.

    Parameters
    ----------
    kind : what its files hold.
    name : what the option calls it.
    layout : how a line is made; None for a file that is not made of lines.
    form : what the help shows in place of columns, where there are no lines.
    example : one line, without its newline.
    prose : what the columns mean, one paragraph each; ``paragraphs`` adds what follows from the other fields.
    reader : module and function, below ``irevalx.reading``, that read a file, given what ``read`` is given and the
        layout.
    table_reader : module and function, below ``irevalx.reading.tables``, that read a table, given what ``read_table``
        is given; "" where tables cannot be in this format.
    usual_measures : of judgments: the set of measures that is printed without ``-m``.
    excludes : of judgments: the options that they exclude, as ``Settings.refuse_contradictions`` calls them.
    measures_of : of judgments: the format whose measures they have; "" for measures of their own.
    lenient : whether a number that is none is read as C reads it, unless told to be strict, as in trec_eval's formats.
    """

    kind: FileKind
    name: str
    layout: Layout | None = None
    form: str = ""
    example: str
    prose: tuple[str, ...]
    reader: str
    table_reader: str = ""
    usual_measures: str = "official"
    excludes: tuple[str, ...] = ()
    measures_of: str = ""
    lenient: bool = True

    def read(self, source: Source, compat: Compat, strict: bool, warn: Warn) -> Data_co:
        """Read a file; a run is opened only, and read block by block when it is evaluated.

        Parameters
        ----------
        source : the file.
        compat : the version of trec_eval that is followed.
        strict : refuse numbers that are not plain, rather than reading them as C does.
        warn : told of such numbers.

        Raises
        ------
        UnreadableFileError, MalformedLineError
        OddNumberError : under ``strict``, and in a format that is not lenient.
        """
        if source.is_parquet:
            return self.read_table(table_of(source, self), compat, strict, warn)
        module, _, function = self.reader.partition(".")
        reader = getattr(import_module(f"irevalx.reading.{module}"), function)
        return cast("Data_co", reader(source, self.layout, compat, strict or not self.lenient, warn))

    def read_table(self, table: Table, compat: Compat, strict: bool, warn: Warn) -> Data_co:
        """Read a table, as ``read`` does a file.

        Raises
        ------
        ArgumentError : a column is missing, or something in it; or there are several runs.
        """
        module, _, function = self.table_reader.partition(".")
        reader = getattr(import_module(f"irevalx.reading.tables.{module}"), function)
        return cast("Data_co", reader(table, compat, strict, warn))

    @property
    def usage(self) -> str:
        """How the format is chosen: ``-R qrels``."""
        return f"{self.kind.value} {'FILE' if self.kind is FileKind.POOL else self.name}"

    @property
    def columns(self) -> str:
        """The columns of a line, for the help."""
        return ", or ".join(self.layout.columns) if self.layout else self.form

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """All that the help says of the format."""
        rest = [self.layout.explanation] if self.layout else []
        if not self.lenient:
            rest.append("A number that is none is an error.")
        if self.usual_measures != "official":
            rest.append(f"Without -m, the measures are those of the set {self.usual_measures}.")
        if self.excludes:
            rest.append(f"{_listed(self.excludes, 'and')} must not be given with it.")
        return (*self.prose, " ".join(rest))


QRELS: FileFormat[Judgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="qrels",
    layout=Layout(line="a judgment", columns=("TOPIC IGNORED DOCNO GRADE",)),
    example="301 0 FBIS3-10082 1",
    prose=(
        "A grade is a whole number. Grades of at least -l (1 unless told otherwise) are relevant, grades from 0 up to "
        "it are not relevant, and a negative grade says that the document was pooled but not judged.",
        "Judgments whose second column is a subtopic are read with -R subtopics: here a document must occur once.",
    ),
    reader="qrels.read_graded",
    table_reader="judged_tables.graded_table",
)

BEIR: FileFormat[Judgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="beir",
    layout=Layout(
        line="a judgment", columns=("TOPIC DOCNO GRADE",), header="query-id corpus-id score", comments=Comments.NONE
    ),
    example="301 FBIS3-10082 1",
    prose=(
        "Judgments as BEIR's data sets have them in qrels/test.tsv, separated by tabs. The first line is the header "
        "query-id corpus-id score. Grades are those of qrels.",
    ),
    reader="qrels.read_graded",
    measures_of="qrels",
    lenient=False,
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
    ),
    reader="json_files.read_json_judgments",
    measures_of="qrels",
    lenient=False,
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
    reader="qrels.read_graded",
    usual_measures="all",
    excludes=("--pool", "-J", "--unjudged"),
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
    reader="grouped_files.read_grades_in_groups",
    excludes=("--pool",),
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
    reader="grouped_files.read_preferences",
    excludes=("--pool",),
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
    reader="grouped_files.read_preferences",
    excludes=("--pool",),
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
    reader="subtopic_files.read_subtopics",
    table_reader="judged_tables.subtopic_table",
    usual_measures="subtopics",
    excludes=("--pool",),
)

PRELS: FileFormat[DrawnJudgments] = FileFormat(
    kind=FileKind.JUDGMENTS,
    name="prels",
    layout=Layout(line="a judgment of a drawn sample", columns=("TOPIC DOCNO GRADE METHOD PROBABILITY",)),
    example="301 FBIS3-10082 1 1 0.25",
    prose=(
        "Judgments of a sample in which every document had a probability of its own of being drawn, as TREC's Million "
        "Query tracks publish them. METHOD says how a document was chosen: 1 and 4, at random; 0, otherwise; 2, both. "
        "With 0 and 2 the PROBABILITY is taken for 1. A grade of -999 or less, or a PROBABILITY of NA, says that the "
        "document was not drawn. Grades of at least -l (1 unless told otherwise) are relevant.",
        "The format has measures of its own: statAP and its relatives.",
    ),
    reader="drawn_files.read_prels",
    table_reader="judged_tables.drawn_table",
    usual_measures="prels",
    excludes=("--pool",),
)

TREC_RESULTS: FileFormat[Run] = FileFormat(
    kind=FileKind.RUNS,
    name="trec_results",
    layout=Layout(
        line="a line of a run",
        columns=("TOPIC IGNORED DOCNO RANK SCORE TAG",),
        more=True,
        blank_lines=True,
        comments=Comments.BEHIND_SPACES,
    ),
    example="301 Q0 FBIS3-10082 1 12.87 mysystem",
    prose=(
        "Documents are ranked by SCORE, the highest first; equal scores by DOCNO, the last in byte order first. The "
        "RANK column is ignored. TAG is the name of the run.",
    ),
    reader="scored_runs.read_scored_run",
    table_reader="run_tables.read_run_table",
)

MSMARCO: FileFormat[Run] = FileFormat(
    kind=FileKind.RUNS,
    name="msmarco",
    layout=Layout(
        line="a line of a run", columns=("TOPIC DOCNO RANK", "TOPIC DOCNO RANK SCORE"), comments=Comments.NONE
    ),
    example="301 FBIS3-10082 1",
    prose=(
        "Runs as MS MARCO has them. Documents are ranked by RANK, a whole number, the lowest first; with four columns "
        "by SCORE, the highest first, and RANK has no effect. Equal ones are ordered by DOCNO, the last in byte order "
        "first. The run is called by its file's name without folder and endings.",
    ),
    reader="scored_runs.read_msmarco_run",
    lenient=False,
)

JSON_RUN: FileFormat[Run] = FileFormat(
    kind=FileKind.RUNS,
    name="json",
    form="{TOPIC: {DOCNO: SCORE}}",
    example='{"301": {"FBIS3-10082": 12.87, "FBIS3-10083": 11.5}}',
    prose=(
        "A run as one JSON object with an object for each topic, as ranx and BEIR have them. Documents are ranked as "
        "those of trec_results. A topic without documents counts as one for which nothing was retrieved. The run is "
        "called by its file's name without folder and endings.",
        "A topic or a document that occurs twice is an error.",
    ),
    reader="json_files.read_json_run",
    lenient=False,
)

POOL: FileFormat[Pool] = FileFormat(
    kind=FileKind.POOL,
    name="pool",
    layout=Layout(
        line="a line of this pool",
        columns=("TOPIC DOCNO", "TOPIC IGNORED DOCNO", "TOPIC IGNORED DOCNO IGNORED"),
        blank_lines=True,
        comments=Comments.BEHIND_SPACES,
        comments_in_9=True,
    ),
    example="301 FBIS3-10082",
    prose=(
        "The documents that were chosen for judging, such as the first 100 of every run that took part. A document "
        "may occur any number of times.",
        "A pooled document without a judgment is as one with a negative grade in the qrels. A judged document is in "
        "the pool even if the file lacks it, which is told on standard error.",
    ),
    reader="pool_file.read_pool_file",
    table_reader="judged_tables.pool_table",
)

FILE_FORMATS: tuple[FileFormat[Any], ...] = (
    QRELS,
    BEIR,
    JSON_QRELS,
    SAMPLED,
    QRELS_JG,
    PREFS,
    QRELS_PREFS,
    SUBTOPICS,
    PRELS,
    TREC_RESULTS,
    MSMARCO,
    JSON_RUN,
    POOL,
)
"""In the order of the help."""

REL_FORMATS: dict[str, FileFormat[AnyJudgments]] = {
    fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.JUDGMENTS
}
"""The formats of judgments, by the name that ``-R`` takes."""

RESULTS_FORMATS: dict[str, FileFormat[Run]] = {fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.RUNS}
"""The formats of runs, by the name that ``-T`` takes."""

read_qrels, read_trec_results, read_pool = QRELS.read, TREC_RESULTS.read, POOL.read
"""The readers of the usual formats, for callers that have no choice."""


def runs_in(fmt: FileFormat[Run], source: Source, compat: Compat, strict: bool, warn: Warn) -> list[Run]:
    """Return the runs of a file: one, but of a Parquet file as many as its column ``run`` names.

    A Parquet file that cannot be read is a run of which reading fails.

    Parameters
    ----------
    fmt : the format, if it is a text file.
    source, compat, strict, warn : as ``FileFormat.read`` takes them.
    """
    if not source.is_parquet:
        return [fmt.read(source, compat, strict, warn)]
    from irevalx.reading.source import name_of_file
    from irevalx.reading.tables.run_tables import failing_run, runs_of_table

    try:
        table = table_of(source, fmt)
        return [run.opened(compat, strict=strict) for run in runs_of_table(table, name_of_file(table.path))]
    except InputError as error:
        return [failing_run(source.path, error)]


def table_of(source: Source, fmt: FileFormat[Any]) -> Table:
    """Open a Parquet file as a table; FormatError where tables cannot be in a format."""
    if not fmt.table_reader:
        names = [one.name for one in FILE_FORMATS if one.kind is fmt.kind and one.table_reader]
        raise FormatError(
            f"{shown_name(source.path)}: the format of a Parquet file ({fmt.kind.value}) must be "
            f"{_listed(names, 'or')}, but got {quote(fmt.name)}"
        )
    from irevalx.reading.tables.parquet import table_of_parquet

    return table_of_parquet(source)


def rel_format(name: str) -> FileFormat[AnyJudgments]:
    """Return the format of judgments with this name.

    Raises
    ------
    FormatError : there is none.
    """
    if name not in REL_FORMATS:
        raise _unknown("judgments", FileKind.JUDGMENTS, name)
    return REL_FORMATS[name]


def results_format(name: str) -> FileFormat[Run]:
    """Return the format of runs with this name.

    Raises
    ------
    FormatError : there is none.
    """
    if name not in RESULTS_FORMATS:
        raise _unknown("runs", FileKind.RUNS, name)
    return RESULTS_FORMATS[name]


def names_of(kind: FileKind) -> str:
    """Return the names of the formats of a kind, for a sentence.

    >>> names_of(FileKind.POOL)
    'pool'
    """
    return _listed([fmt.name for fmt in FILE_FORMATS if fmt.kind is kind], "or")


def _listed(names: Sequence[str], word: str) -> str:
    """Return one or more names as a sentence has them: a, b and c."""
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def _unknown(what: str, kind: FileKind, name: str) -> FormatError:
    """Build the error about a name that no format has."""
    names = [fmt.name for fmt in FILE_FORMATS if fmt.kind is kind]
    rule = f"{'one of ' if len(names) > 1 else ''}{', '.join(names)}"
    return FormatError(f"the format of {what} ({kind.value}) must be {rule}, but got {quote(name)}")
