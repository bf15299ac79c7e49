"""Deliberate differences from gdeval, ndeval, statAP_MQ_eval and sample_eval.pl, for docs/differences.md."""

from __future__ import annotations

from irevalx.frozen import Frozen


class FamilyDeparture(Frozen):
    """A deliberate difference."""

    program: str  # the behaviour of the program
    irevalx: str  # the behaviour of irevalx
    reason: str
    shown_by: tuple[str, ...]  # recorded cases (``g13``) and tests (``FILE::NAME``) that show it


_HERE = "test_family_departures.py::"
_SAMPLE = "test_sampled.py::"

_TOPICS_ARE_STRINGS = "wt09-1 and 1 are two topics for all other programs."
_NO_COMMON_TOPIC = "The files do not belong together."
_ROW_OF_ZEROS = "The mean includes the topic, so it needs a row; trec_eval 10.0 does the same with -c."

GDEVAL: tuple[FamilyDeparture, ...] = (
    FamilyDeparture(
        "Rejects grades above 4.",
        "ERR also rejects them, or is omitted from a set of measures with a message; ERR.max=G allows grades "
        "up to G. ndcg_burges accepts any grade.",
        "ERR divides by 2 to the power of the highest grade; nDCG does not need a maximum.",
        ("g13", "g14", "g15"),
    ),
    FamilyDeparture(
        "Counts a document every time it occurs in the run.",
        "Rejects the run.",
        "nDCG could exceed 1; trec_eval rejects such runs too.",
        ("g16",),
    ),
    FamilyDeparture(
        "If a document is judged twice, the lowest grade above 0 counts, and the ideal ranking contains all "
        "its grades; a second grade of 0 or less is ignored.",
        "Rejects the judgments.",
        "The judgments contradict each other; trec_eval rejects them too.",
        ("g17", _HERE + "test_gdeval_second_judgment_of_0"),
    ),
    FamilyDeparture(
        "Topics are numbers; everything up to the last hyphen is removed.",
        "Topics are strings.",
        _TOPICS_ARE_STRINGS,
        ("g18", "g21"),
    ),
    FamilyDeparture(
        "One cutoff per call, 20 by default.",
        "Any number of cutoffs; 5, 10 and 20 by default.",
        "Additional cutoffs do not require reading the files again.",
        ("g20",),
    ),
    FamilyDeparture(
        "With -c, there is no row for a topic without results, although the mean counts it as 0.",
        "A row of 0 (--compat 10).",
        _ROW_OF_ZEROS,
        (_HERE + "test_rows_of_topics_without_results",),
    ),
    FamilyDeparture(
        "Prints means of 0 if the judgments and the run have no topic in common.",
        "An error with status 7.",
        _NO_COMMON_TOPIC,
        (_HERE + "test_no_topic_in_common",),
    ),
    FamilyDeparture(
        "The second column must be 0 in the judgments and Q0 in the run, ranks must consist of digits, and a "
        "run tag must not be 0. Additional columns are ignored. If a score is not a number, its numeric "
        "prefix is used.",
        "File formats are the same as everywhere in irevalx.",
        "Files that trec_eval reads should be evaluated, and vice versa.",
        (_HERE + "test_columns_of_gdeval",),
    ),
    FamilyDeparture(
        "Files are decompressed if their names contain .gz or .bz2.",
        "gzip, bzip2, xz and zstd are recognised by their content.",
        "Files can have any name.",
        ("test_command.py::test_compressed_files_are_known_by_their_content",),
    ),
    FamilyDeparture(
        "-baseline and -riskAlpha evaluate the risk of a run.",
        "These options do not exist.",
        "Risk is a different question from the effectiveness of a run.",
        (_HERE + "test_options_of_other_programs",),
    ),
)

NDEVAL: tuple[FamilyDeparture, ...] = (
    FamilyDeparture(
        "Without -traditional, documents are ranked by the rank column, which can disagree with the scores if"
        " scores are tied, and equal ranks are errors.",
        "Documents are always ranked by score.",
        "This is what -traditional and all other programs do.",
        ("n25",),
    ),
    FamilyDeparture(
        "nNRBP is -nan for a topic without relevant documents, and if no ranking can have a gain; the mean is"
        " then -nan too.",
        "0",
        "alpha_nDCG and nERR_IA, which ndeval itself computes as 0, are treated in the same way.",
        ("n05", "n30"),
    ),
    FamilyDeparture(
        "Prints rows of zeros for topics that occur only in the run.",
        "No rows; the means are the same.",
        "There are no judgments for these topics.",
        ("n03", "n04"),
    ),
    FamilyDeparture(
        "With -c, there is no row for a topic without results, although the mean counts it as 0.",
        "A row of 0 (--compat 10).",
        _ROW_OF_ZEROS,
        (_HERE + "test_rows_of_topics_without_results",),
    ),
    FamilyDeparture(
        "If the judgments and the run have no topic in common, every mean is -nan.",
        "An error with status 7.",
        _NO_COMMON_TOPIC,
        (_HERE + "test_no_topic_in_common",),
    ),
    FamilyDeparture(
        "ERR_IA and alpha_DCG at cutoff 1 are not divided by the gain of the best document.",
        "They are divided by it.",
        "This follows from the formula; ndeval itself never prints this cutoff.",
        ("n28",),
    ),
    FamilyDeparture(
        "A duplicate judgment lowers MAP_IA.",
        "Rejects the judgments.",
        "ndeval counts it as an additional relevant document.",
        ("n19",),
    ),
    FamilyDeparture(
        "Rejects negative grades.",
        "They are nonrelevant.",
        "The judgments of later years contain grades of -2.",
        ("n18",),
    ),
    FamilyDeparture(
        "Subtopics and ranks must be numbers.",
        "Subtopics are strings, sorted by value if they are numbers, followed by the others in byte order. "
        "Ranks are not read.",
        "In other collections, subtopics have names; the order of subtopics affects only the last digits.",
        ("n29",),
    ),
    FamilyDeparture(
        "Topics are numbers; in the run, they can have a prefix, which is removed.",
        "Topics are strings.",
        _TOPICS_ARE_STRINGS,
        (_HERE + "test_topics_of_ndeval_with_a_prefix",),
    ),
    FamilyDeparture(
        "The cutoffs are 5, 10 and 20.",
        "Any cutoffs; these by default.",
        "Additional cutoffs do not require reading the files again.",
        ("n21",),
    ),
    FamilyDeparture(
        "The name of the run is the run tag of its first line.",
        "It is the run tag of its last line.",
        "trec_eval and gdeval use the last line.",
        (_HERE + "test_name_of_the_run",),
    ),
    FamilyDeparture(
        "-M is also an option of ndeval, but -J, treatments of unjudged documents, -l and -m are not.",
        "They have the same meaning as for all measures.",
        "All measures of irevalx have the same options.",
        (_HERE + "test_options_of_irevalx",),
    ),
)

STATAP: tuple[FamilyDeparture, ...] = (
    FamilyDeparture(
        "Tied scores are ordered by a hash, which differs in every call.",
        "Tied scores are ordered as everywhere in irevalx.",
        "Results must be reproducible.",
        ("s13",),
    ),
    FamilyDeparture(
        "For a topic without a relevant document in the sample, version 3 prints the nDCG and variance of the"
        " previous topic, and version 4 prints -1 and 0.",
        "No value.",
        "Nothing can be estimated; neither version includes the topic in its means.",
        ("s06",),
    ),
    FamilyDeparture(
        "In version 4, statP of a ranking shorter than the cutoff is 0. Version 3 has only the cutoff 30.",
        "Divided by the cutoff, as in version 3; the default cutoffs are 10, 20, 50 and 100, as in version 4.",
        "The 0 is an error: the program looks for a negative number that it never sets.",
        ("s08", "s09"),
    ),
    FamilyDeparture(
        "In version 3, the ideal ranking of nDCG excludes grades of 1 and replaces grades above 2 by 2.",
        "As in version 4: the sampled grades in descending order.",
        "nDCG could exceed 1.",
        ("s10",),
    ),
    FamilyDeparture(
        "The variance of version 3 has a different last term, and lacks both the factor for the sample size "
        "and the bound.",
        "As in version 4.",
        "This is the result of linearising statAP.",
        ("s01", "s20"),
    ),
    FamilyDeparture(
        "In nDCG, a retrieved document with a negative grade subtracts 1.",
        "It has no gain.",
        "The program shifts by a negative number of bits.",
        ("s12",),
    ),
    FamilyDeparture(
        "A sample of one document causes a division by zero, and nothing more is printed.",
        "The variance is 0.",
        "There are no pairs from which to estimate it.",
        ("s14",),
    ),
    FamilyDeparture(
        "If no topic has a value, there is a division by zero.",
        "The means are 0.",
        "Means over no topics are 0 everywhere in irevalx.",
        (_HERE + "test_no_topic_with_a_sample",),
    ),
    FamilyDeparture(
        "If the lines of a topic are not contiguous, each block is counted and ranked separately.",
        "They are one topic.",
        "The order of lines has no meaning.",
        ("s17",),
    ),
    FamilyDeparture(
        "The file is split at white space into groups of five: a missing column shifts everything after it.",
        "An error that names the line.",
        "A docno would be read as a grade.",
        ("s18",),
    ),
    FamilyDeparture(
        "A probability of 0 causes a division by zero if the document is relevant.",
        "An error that names the line.",
        "A document with an inclusion probability of 0 cannot have been sampled.",
        ("s15",),
    ),
    FamilyDeparture(
        "A probability below 0 or above 1 is skipped without a message.",
        "It is skipped, and counted on standard error.",
        "The file contains an error.",
        ("s11", "test_family_files.py::test_what_is_said_of_probabilities_out_of_bounds"),
    ),
    FamilyDeparture(
        "If a document is judged twice, the last line counts, and the sample size includes both. If a "
        "document is retrieved twice, the last score counts, and the length of the ranking includes both.",
        "Rejects the file, with both lines.",
        "trec_eval rejects both.",
        ("s16", _HERE + "test_documents_of_statap_retrieved_twice"),
    ),
    FamilyDeparture(
        "A line of the run that begins with white space is ignored.",
        "It is read.",
        "trec_eval reads it.",
        (_HERE + "test_white_space_before_a_topic",),
    ),
    FamilyDeparture(
        "There is no -c.",
        "-c scores topics with a value but without results as 0; statR is unchanged.",
        "A run must not improve by returning nothing.",
        (_HERE + "test_all_topics_of_statap",),
    ),
    FamilyDeparture(
        "-n, -m and -f select topics by the group that judged them.",
        "These options do not exist (-n and -m have other meanings).",
        "They are specific to one track of one year.",
        (_HERE + "test_options_of_other_programs",),
    ),
)

SAMPLE_EVAL: tuple[FamilyDeparture, ...] = (
    FamilyDeparture(
        "The ideal ranking of infNDCG sorts grades as text: 10 comes after 2.",
        "Grades are sorted as numbers.",
        "infNDCG could exceed 1.",
        (_SAMPLE + "test_grades_from_10_on",),
    ),
    FamilyDeparture(
        "After rank 1,000, the ideal ranking of infNDCG contains one more document of each lower grade.",
        "It ends at rank 1,000, or at -M.",
        "Runs are also evaluated up to this rank.",
        (_SAMPLE + "test_ideal_of_a_thousand_documents",),
    ),
    FamilyDeparture(
        "Leading zeros are removed from the topics of the run, but not from those of the judgments.",
        "Topics are strings; a message says that they differ only by leading zeros.",
        "301 and 0301 are two topics for all other programs.",
        (_SAMPLE + "test_leading_zeros_of_topics",),
    ),
    FamilyDeparture(
        "If a document occurs twice for a topic in the run or in the judgments, the last line counts; the "
        "numbers of judged and of retrieved documents include both.",
        "Rejects the file, with both lines.",
        "trec_eval rejects both.",
        (_SAMPLE + "test_documents_twice",),
    ),
    FamilyDeparture(
        "num_ret of a topic counts all lines, but num_ret of all topics counts 1,000 per topic.",
        "1,000 documents per topic count, or the number given by -M.",
        "The total is the sum over topics.",
        (_SAMPLE + "test_number_of_retrieved_documents",),
    ),
    FamilyDeparture(
        "Interpolated precision at a recall level depends on the other levels: the search goes back by one "
        "rank before it continues to the next level.",
        "Each level is computed separately. If all documents are judged, iiprec_at_recall equals iprec_at_recall.",
        "A value must not depend on what else is printed.",
        ("test_sampled.py::test_recorded_answers",),
    ),
)

FAMILY: dict[str, tuple[FamilyDeparture, ...]] = {
    "gdeval": GDEVAL,
    "ndeval": NDEVAL,
    "statAP_MQ_eval": STATAP,
    "sample_eval.pl": SAMPLE_EVAL,
}
"""The departures from each program."""
