"""Where irevalx does not do what gdeval, ndeval, statAP_MQ_eval and sample_eval.pl do, for docs/differences.md."""

from __future__ import annotations

from irevalx.frozen import Frozen


class FamilyDeparture(Frozen):
    """One deliberate difference.

    Parameters
    ----------
    program : what the program does.
    irevalx : what irevalx does instead.
    reason : why.
    shown_by : the recorded cases (``g13``) and the tests (``FILE::NAME``) that show it.
    """

    program: str
    irevalx: str
    reason: str
    shown_by: tuple[str, ...]


_HERE = "test_family_departures.py::"
_SAMPLE = "test_sampled.py::"

_TOPICS_ARE_TEXTS = "wt09-1 and 1 are two topics for all other programs."
_NO_COMMON_TOPIC = "The files do not belong together."
_ROW_OF_ZEROS = "The mean counts the topic, so that its row belongs to it; -c of trec_eval 10.0 does the same."

GDEVAL: tuple[FamilyDeparture, ...] = (
    FamilyDeparture(
        "Refuses a grade above 4.",
        "ERR refuses it too, or is left out of a set of measures with a remark; ERR.max=G allows grades up to G. "
        "ndcg_burges takes any grade.",
        "ERR divides by 2 to the power of the greatest grade; nDCG does not need it.",
        ("g13", "g14", "g15"),
    ),
    FamilyDeparture(
        "Counts a document each time that it stands in the run.",
        "Refuses the run.",
        "nDCG could exceed 1; trec_eval refuses it too.",
        ("g16",),
    ),
    FamilyDeparture(
        "Of a document judged twice the lowest grade above 0 counts, and all of them are in the ideal ranking; a "
        "second grade of 0 or less is overlooked.",
        "Refuses the judgments.",
        "The judgments contradict each other; trec_eval refuses them too.",
        ("g17", _HERE + "test_gdeval_second_judgment_of_0"),
    ),
    FamilyDeparture(
        "Topics are numbers; what stands before the last hyphen is cut off.",
        "Topics are texts.",
        _TOPICS_ARE_TEXTS,
        ("g18", "g21"),
    ),
    FamilyDeparture(
        "One cutoff in a call, 20 unless told otherwise.",
        "Any number of them, 5, 10 and 20 unless told otherwise.",
        "They cost one reading of the files.",
        ("g20",),
    ),
    FamilyDeparture(
        "With -c there is no row for a topic without results, though the mean counts it as 0.",
        "A row of 0 (--compat 10).",
        _ROW_OF_ZEROS,
        (_HERE + "test_rows_of_topics_without_results",),
    ),
    FamilyDeparture(
        "Prints means of 0 where judgments and run have no topic in common.",
        "An error with status 7.",
        _NO_COMMON_TOPIC,
        (_HERE + "test_no_topic_in_common",),
    ),
    FamilyDeparture(
        "The second column of judgments and runs must be 0 and Q0, a rank must consist of digits, a tag must not be 0; "
        "columns after the last are ignored, and of a score that is no number as much is read as is one.",
        "Files are read as everywhere in irevalx.",
        "What trec_eval reads should be evaluated, and the other way round.",
        (_HERE + "test_columns_of_gdeval",),
    ),
    FamilyDeparture(
        "Files whose names contain .gz or .bz2 are decompressed.",
        "gzip, bzip2, xz and zstd are recognised by their content.",
        "Names may be anything.",
        ("test_command.py::test_compressed_files_are_known_by_their_content",),
    ),
    FamilyDeparture(
        "-baseline and -riskAlpha evaluate the risk of a run.",
        "There are no such options.",
        "It is another question than how good a run is.",
        (_HERE + "test_options_of_other_programs",),
    ),
)

NDEVAL: tuple[FamilyDeparture, ...] = (
    FamilyDeparture(
        "Without -traditional documents are ranked by the column of ranks, which runs with equal scores may order "
        "otherwise, and equal ranks are errors.",
        "Documents are ranked by score, always.",
        "It is what -traditional and all other programs do.",
        ("n25",),
    ),
    FamilyDeparture(
        "nNRBP is -nan in a topic without a relevant document, and where no list can gain anything; so is its mean.",
        "0",
        "So are alpha_nDCG and nERR_IA, of which ndeval itself says 0.",
        ("n05", "n30"),
    ),
    FamilyDeparture(
        "Prints rows of zeros for topics that only the run has.",
        "No rows; the means are the same.",
        "Nothing is known of these topics.",
        ("n03", "n04"),
    ),
    FamilyDeparture(
        "With -c there is no row for a topic without results, though the mean counts it as 0.",
        "A row of 0 (--compat 10).",
        _ROW_OF_ZEROS,
        (_HERE + "test_rows_of_topics_without_results",),
    ),
    FamilyDeparture(
        "Where judgments and run have no topic in common every mean is -nan.",
        "An error with status 7.",
        _NO_COMMON_TOPIC,
        (_HERE + "test_no_topic_in_common",),
    ),
    FamilyDeparture(
        "ERR_IA and alpha_DCG at cutoff 1 are not divided by the gain of the best document.",
        "They are.",
        "The formula says so; ndeval itself never prints this cutoff.",
        ("n28",),
    ),
    FamilyDeparture(
        "A judgment that is there twice makes MAP_IA smaller.",
        "Refuses the judgments.",
        "It counts as a further relevant document.",
        ("n19",),
    ),
    FamilyDeparture(
        "Refuses negative grades.",
        "They are not relevant.",
        "The judgments of later years have grades of -2.",
        ("n18",),
    ),
    FamilyDeparture(
        "Subtopics and ranks must be numbers.",
        "Subtopics are texts: those that are numbers by value, then the others by bytes. Ranks are not read.",
        "Subtopics have names elsewhere; the order of subtopics shows in the last digits only.",
        ("n29",),
    ),
    FamilyDeparture(
        "Topics are numbers; in the run they may have a prefix, which is cut off.",
        "Topics are texts.",
        _TOPICS_ARE_TEXTS,
        (_HERE + "test_topics_of_ndeval_with_a_prefix",),
    ),
    FamilyDeparture(
        "The cutoffs are 5, 10 and 20.",
        "Any cutoffs, these unless told otherwise.",
        "They cost one reading of the files.",
        ("n21",),
    ),
    FamilyDeparture(
        "The name of the run is the tag of its first line.",
        "It is that of its last line.",
        "trec_eval and gdeval take the last one.",
        (_HERE + "test_name_of_the_run",),
    ),
    FamilyDeparture(
        "-M is an option of ndeval too, but -J, readings, -l and -m are not.",
        "They mean what they mean for all measures.",
        "One program has one set of options.",
        (_HERE + "test_options_of_irevalx",),
    ),
)

STATAP: tuple[FamilyDeparture, ...] = (
    FamilyDeparture(
        "Equal scores are ranked in the order of a hash, another in every call.",
        "As everywhere in irevalx.",
        "A result must be the same the next time.",
        ("s13",),
    ),
    FamilyDeparture(
        "For a topic without a relevant document in the sample version 3 prints nDCG and variance of the topic before, "
        "version 4 -1 and 0.",
        "No value.",
        "There is nothing to estimate from; neither version counts the topic in its means.",
        ("s06",),
    ),
    FamilyDeparture(
        "statP of a list shorter than the cutoff is 0 in version 4. Version 3 has the cutoff 30 only.",
        "Divided by the cutoff, as in version 3; 10, 20, 50 and 100, as in version 4, unless told otherwise.",
        "The 0 is a mistake: the program looks for a negative number that it never sets.",
        ("s08", "s09"),
    ),
    FamilyDeparture(
        "In version 3 the ideal of nDCG leaves out grades of 1, and takes grades above 2 for 2.",
        "As in version 4: the sampled grades in descending order.",
        "nDCG could exceed 1.",
        ("s10",),
    ),
    FamilyDeparture(
        "The variance of version 3 has another last term, neither the factor for the size of the sample nor the bound.",
        "As in version 4.",
        "It is what the linearisation of statAP gives.",
        ("s01", "s20"),
    ),
    FamilyDeparture(
        "In nDCG a retrieved document with a negative grade loses 1.",
        "It gains nothing.",
        "It is a shift by a negative number of bits.",
        ("s12",),
    ),
    FamilyDeparture(
        "A sample of one document is a division by zero, and nothing more is printed.",
        "The variance is 0.",
        "There are no pairs to estimate from.",
        ("s14",),
    ),
    FamilyDeparture(
        "Where no topic has a value there is a division by zero.",
        "The means are 0.",
        "So are means of no topics everywhere in irevalx.",
        (_HERE + "test_no_topic_with_a_sample",),
    ),
    FamilyDeparture(
        "Lines of a topic that do not stand together are counted and ranked by themselves.",
        "They are one topic.",
        "The order of lines says nothing.",
        ("s17",),
    ),
    FamilyDeparture(
        "The file is cut at white space into groups of five: a missing column shifts all that follows.",
        "An error with the line.",
        "A docno would be read as a grade.",
        ("s18",),
    ),
    FamilyDeparture(
        "A probability of 0 is a division by zero, if the document is relevant.",
        "An error with the line.",
        "A document that cannot be drawn was not drawn.",
        ("s15",),
    ),
    FamilyDeparture(
        "A probability below 0 or above 1 is skipped without a word.",
        "It is skipped, and counted on standard error.",
        "Something is wrong with the file.",
        ("s11", "test_family_files.py::test_what_is_said_of_probabilities_out_of_bounds"),
    ),
    FamilyDeparture(
        "Of a document judged twice the last line counts, and the size of the sample counts both; of one retrieved "
        "twice the last score counts, and the list stays as long.",
        "Refuses the file, with both lines.",
        "trec_eval refuses both.",
        ("s16", _HERE + "test_documents_of_statap_retrieved_twice"),
    ),
    FamilyDeparture(
        "A line of the run that begins with white space is lost.",
        "It is read.",
        "trec_eval reads it.",
        (_HERE + "test_white_space_before_a_topic",),
    ),
    FamilyDeparture(
        "There is no -c.",
        "-c counts 0 for topics with a value and without results; statR stays as it is.",
        "A run must not gain by returning nothing.",
        (_HERE + "test_all_topics_of_statap",),
    ),
    FamilyDeparture(
        "-n, -m and -f choose topics by the group that judged them.",
        "There are no such options (-n and -m are other ones).",
        "They belong to one track of one year.",
        (_HERE + "test_options_of_other_programs",),
    ),
)

SAMPLE_EVAL: tuple[FamilyDeparture, ...] = (
    FamilyDeparture(
        "The ideal ranking of infNDCG has grades in the order of their text: 10 comes after 2.",
        "Grades are ordered as numbers.",
        "infNDCG could exceed 1.",
        (_SAMPLE + "test_grades_from_10_on",),
    ),
    FamilyDeparture(
        "After rank 1,000 the ideal ranking of infNDCG has one more document of each lower grade.",
        "It ends at rank 1,000, or at -M.",
        "A run is looked at up to there, too.",
        (_SAMPLE + "test_ideal_of_a_thousand_documents",),
    ),
    FamilyDeparture(
        "Zeros at the beginning of topics of the run are cut off, those of the judgments are not.",
        "Topics are texts; a message says that they differ only by leading zeros.",
        "301 and 0301 are two topics for all other programs.",
        (_SAMPLE + "test_leading_zeros_of_topics",),
    ),
    FamilyDeparture(
        "Of a document that stands twice in the run or in the judgments of a topic the last line counts; the numbers "
        "of judged and of retrieved documents count both.",
        "Refuses the file, with both lines.",
        "trec_eval refuses both.",
        (_SAMPLE + "test_documents_twice",),
    ),
    FamilyDeparture(
        "num_ret of a topic counts all lines, that of all topics 1,000 of each.",
        "1,000 documents of each topic count, or as many as -M says.",
        "The sum is that of the topics.",
        (_SAMPLE + "test_number_of_retrieved_documents",),
    ),
    FamilyDeparture(
        "Interpolated precision at a level of recall depends on the other levels: the search goes back by a rank "
        "before it goes on to the next level.",
        "Each level by itself, so that with all documents judged iiprec_at_recall is iprec_at_recall.",
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
