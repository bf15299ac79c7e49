"""The formats of judgments, each defined by one record, in the order of the help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irevalx.frozen import replace
from irevalx.reading.column_names import GRADE
from irevalx.reading.file_format import FIELDS_OF_TABLES, JSON_RECORDS, NAMES_IN_TABLES, FileFormat
from irevalx.reading.layout import CommentStyle, Layout
from irevalx.settings import ORDERS_OF_TIES, PROBABILITY, REAL
from irevalx.wording import join_words

if TYPE_CHECKING:
    from irevalx.judgments.graded import GroupedJudgments, InclusionJudgments, Judgments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments

_TIES_BY_GRADES = tuple(f"ties={ties}" for ties in ORDERS_OF_TIES)

_GRADES = (
    f"{NAMES_IN_TABLES}the grade column can be named {join_words(GRADE.names, 'or')}. Repeated judgments are used once."
)
_ASCENDING = "Unlike in other formats, documents with equal scores are ranked by DOCNO in ascending byte order."

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
        FIELDS_OF_TABLES.format(
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
    prose=("Like csv, but separated by tabs, or by spaces if there are no tabs.",),
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
        JSON_RECORDS.format(option="-R jsonl"),
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
        "the second column, which the format qrels ignores, is the group.",
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
        "documents followed by the preferred document. As in the format prefs, all preferences of a topic form a "
        "judgment group. Each line is a subgroup in which the preferred document has level 2 and the other document "
        "level 1. Therefore both documents are treated as relevant, and preferences are transitive across lines. "
        "Contradictory preferences are an error.",
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
        "Judgments that also assign a number to each document, such as its propensity, length or price. A missing "
        'number is given as NA. Custom measures that are declared with needs="weight" use the numbers; other measures '
        "ignore them. Grades have the same meaning as in qrels.",
    ),
    nested="TOPIC DOCNO: GRADE WEIGHT",
    measures_of="qrels",
    lenient=False,
)
