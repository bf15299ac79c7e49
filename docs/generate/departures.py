"""Where irevalx does not do what trec_eval does, as docs/differences.md and the manual page irevalx.1 list it."""

from __future__ import annotations

from irevalx.frozen import Frozen

SUBJECTS = {
    1: "Topics without results",
    2: "Crashes and wrong values",
    3: "Numbers that are not plain numbers",
    4: "Topics that are left out",
    5: "Messages and exit statuses",
    6: "Files",
    7: "Names of measures",
    8: "Traces",
}
"""What was decided, by number: the rows of fixtures/golden/cases.jsonl and the tests refer to these numbers."""


class Departure(Frozen):
    """One deliberate difference.

    Parameters
    ----------
    number : of the decision, one of ``SUBJECTS``.
    trec_eval : what trec_eval does.
    irevalx : what irevalx does instead.
    reason : why.
    test : the test that shows it: ``FILE::NAME``, where FILE stands anywhere in tests/.
    """

    number: int
    trec_eval: str
    irevalx: str
    reason: str
    test: str


_HERE = "test_departures.py::"
_CLI = "test_command.py::"

DEPARTURES: tuple[Departure, ...] = (
    Departure(
        1,
        "10.0 stops with status 4 at a judged topic without results, unless -c is given.",
        "The topic is left out of the averages, as in 9.0.8, and counted on standard error.",
        "The help of both versions promises it, and ordinary runs lack topics.",
        _HERE + "test_1_topics_without_results_are_left_out",
    ),
    Departure(
        1,
        "Without a topic to evaluate, or a run without data lines, 10.0 exits with status 4, 9.0.8 with 7 (on a run of "
        "blank lines 9.0.8 can also crash); with a "
        "topic of -D that is not there, both with 7.",
        "Status 7 for both; with -c, --compat 10 prints zeros as 10.0 does.",
        "The cause is the same, and so is the status.",
        _HERE + "test_1_run_without_lines",
    ),
    Departure(
        1,
        "10.0 with -c: for a topic without results it retrieves one document, ceci_nest_pas_un_docno, which counts if "
        "the judgments have it.",
        "Nothing is retrieved.",
        "The run does not have the document.",
        _HERE + "test_1_no_document_is_retrieved_without_results",
    ),
    Departure(
        1,
        "10.0 with -c: the runid of a run without data lines is what happens to be in memory.",
        "It is empty.",
        "The run has no name.",
        _HERE + "test_1_name_of_a_run_without_lines",
    ),
    Departure(
        2,
        "A topic with negative judgments only: status 4 if it is the first, the level counts of the topic before it if "
        "it is a later one, a crash if no judgment is above -2.",
        "Nothing is relevant and no level has documents: every measure has its value for that.",
        "Topics in which nothing was judged are common where judgments are incomplete.",
        _HERE + "test_2_topic_with_negative_judgments_only",
    ),
    Departure(
        2,
        "10.0: rbp depends on the measure computed before it, because it reads uninitialised memory.",
        "The bounds of the gains start at 0.",
        "The value of a measure must not depend on other measures.",
        _HERE + "test_2_rbp_does_not_depend_on_its_neighbours",
    ),
    Departure(
        2,
        "10.0: parameters of one of dcg, ideal_dcg and ndcg reach the others, and the program crashes.",
        "Each has its own.",
        "It is a crash.",
        _HERE + "test_2_dcg_and_ndcg_have_parameters_of_their_own",
    ),
    Departure(
        2,
        "A huge -l crashes bpref; a huge judgment takes memory and time for every level below it, or crashes, or with "
        "-R qrels_jg is status 4.",
        "Both are read as what they are. Above a judgment of 1000, levels that no document has do not take part in the "
        "ordering of user-given gains.",
        "It is a crash.",
        _HERE + "test_2_huge_judgment",
    ),
    Departure(
        2,
        "Cutoffs that differ by 2^31 or more are left unsorted.",
        "They are sorted.",
        "The values are wrong.",
        _HERE + "test_2_huge_cutoffs_are_sorted",
    ),
    Departure(
        2,
        "A negative -M crashes.",
        "A usage error, status 1.",
        "It is a crash.",
        "test_golden.py::test_recorded_answer",
    ),
    Departure(
        2,
        "10.0: of two comment lines in the judgments the second is read as data; one at the end of the file crashes; "
        "z-score files have no comments.",
        "With --compat 10 every line that starts with # is skipped. 9.0.8 has no comments.",
        "The help says that comments are skipped.",
        "test_golden.py::test_recorded_answer",
    ),
    Departure(
        2,
        "A NUL byte silently ends the input, or crashes.",
        "An error that names the line, status 2.",
        "The rest of the file would be ignored unnoticed.",
        _CLI + "test_malformed_lines",
    ),
    Departure(
        2,
        "Input must be a file that can be sought.",
        "Pipes and process substitution work.",
        "irevalx can be a part of a pipeline.",
        _CLI + "test_process_substitution",
    ),
    Departure(
        2,
        "-v prints a version that is not quite its own; the usage text names a set of measures that does not exist.",
        "irevalx prints its own version and help.",
        "It is another program.",
        _CLI + "test_version_goes_to_standard_error",
    ),
    Departure(
        2,
        "Preferences in a judgment group that contradict each other abort the program; what it has printed is lost.",
        "Status 4, after the lines of the topics before, and a message that names two documents.",
        "It is a crash.",
        _HERE + "test_2_contradictory_preferences",
    ),
    Departure(
        2,
        "prefs_avgjg_Rnonrel and prefs_avgjg_Rnonrel_ret read uninitialised memory where the documents with the lowest "
        "level, below 0, are fewer than the relevant ones.",
        "They take as many as there are.",
        "The value of a measure must not depend on what is in memory.",
        _HERE + "test_2_recount_with_a_small_last_class",
    ),
    Departure(
        2,
        "A judgment group without subgroups whose highest level is -3 loses its last class.",
        "-3 is a level like others.",
        "The values are wrong.",
        _HERE + "test_2_preferences_with_a_highest_level_of_minus_three",
    ),
    Departure(
        2,
        "The preferences between two documents are counted modulo 65,536.",
        "They are all counted.",
        "The values are wrong.",
        "test_preferences.py::test_pair_counts_do_not_overflow",
    ),
    Departure(
        2,
        "A preference level of nan gets an arbitrary place, or crashes.",
        "An error that names the line, status 2.",
        "nan is neither above nor below another level.",
        "test_preferences.py::test_malformed_lines",
    ),
    Departure(
        2,
        "Looking up a z-score reads one entry too far: that of the next topic, or one after the table, which crashes.",
        "Where the file has nothing for the topic, the z-score is -1000000.",
        "It is a crash, or the mean of another topic.",
        "test_golden.py::test_recorded_answer",
    ),
    Departure(
        3,
        "A score, judgment, parameter or option that is not a plain number is read as far as it is one, without a "
        "message.",
        "It is read in the same way, and one line on standard error names the first in a file and counts the others; "
        "--strict makes it an error, status 2.",
        "A shifted column should not go unnoticed.",
        _HERE + "test_3_scores_are_never_misread_in_silence",
    ),
    Departure(
        3,
        "The sign of a nan that comes of a gain of nan depends on the order in which the compiler adds.",
        "nan has the sign that numpy's sum gives it.",
        "It says nothing.",
        _HERE + "test_3_gain_of_nan",
    ),
    Departure(
        4,
        "Topics that are left out are not mentioned.",
        "One line on standard error counts them; --quiet silences it. Standard output never depends on it.",
        "Otherwise an average over half of the topics looks like one over all of them.",
        _HERE + "test_4_topics_left_out_are_counted",
    ),
    Departure(
        5,
        "Messages name a line at best.",
        "Messages start with irevalx: and name file, line, topic, document and what must hold. Status numbers are "
        "trec_eval's, usage errors 1; output that cannot be written is an error, status 74.",
        "An error should say what to correct.",
        _CLI + "test_malformed_lines",
    ),
    Departure(
        6,
        "One run in a call.",
        "Any number; each gets a block of its own, which begins with its name if it has no runid line.",
        "An archive of runs can be evaluated in one call.",
        _CLI + "test_several_runs",
    ),
    Departure(
        6,
        "runid is the tag of the run.",
        "Where several runs in a call have the same tag, runid is the name of the file, with a number where these are "
        "the same too.",
        "Rows of different runs must not bear one name.",
        _CLI + "test_runs_with_the_same_tag",
    ),
    Departure(
        6,
        "Plain text only. 10.0 reads the run from standard input if its name begins with -; 9.0.8 does not.",
        "gzip, bzip2, xz and zstd are recognised by their content. In both versions - is standard input, for at most "
        "one file; a longer name that begins with - is a name.",
        "Archives are compressed.",
        _CLI + "test_compressed_files_are_known_by_their_content",
    ),
    Departure(
        6,
        "- for the judgments and for the run: it cannot read the file, status 2.",
        "A usage error, status 1.",
        "The command line makes no sense, whatever standard input holds.",
        _HERE + "test_6_standard_input_for_two_files",
    ),
    Departure(
        6,
        "BEIR's header (three columns) is a malformed line, status 2; a line of JSON is read like any other line if it "
        "has the right number of words.",
        "Judgments that begin with BEIR's header are read as with -R beir; judgments or runs that begin with a JSON "
        "object are read as with -R json or -T json.",
        "The first line identifies the format.",
        "test_misread_files.py::test_what_was_meant_is_read",
    ),
    Departure(
        6,
        "A byte-order mark becomes part of the first topic ID; a line of a run with a blank in an ID is read with "
        "shifted columns; headers, preferences and quoted grades are read as judgments. There is no message.",
        "Such files are read in the same way, and one line on standard error gives file, line and remedy; with "
        "--strict they are errors, status 2.",
        "Without a message, plausible but wrong values go unnoticed.",
        "test_misread_files.py::test_the_value_stays_and_a_line_tells",
    ),
    Departure(
        6,
        "A call evaluates one run, which is opened after the judgments are read.",
        "A run that does not exist is an error before anything is printed; if a run is malformed, the other runs are "
        "still evaluated.",
        "Otherwise a mistyped argument, such as a number, would be reported only after all output.",
        "test_misread_files.py::test_a_file_that_is_missing_among_several",
    ),
    Departure(
        7,
        "Measures have one spelling.",
        "MAP, ndcg@10, P@5, P_10 or AP(rel=2) are understood, and printed in trec_eval's spelling unless --names "
        "asked says otherwise. Cutoffs given with @ add up; where a measure is asked for twice with "
        "cutoffs after a dot, those that come first are used, as in trec_eval, and a line on standard error says so.",
        "Other programs have other names.",
        _HERE + "test_7_names_that_people_bring",
    ),
    Departure(
        7,
        "Parameters of infAP, which takes none, and a colon or brackets in or after parameters are ignored.",
        "infAP takes c=C and epsilon=E, :nonrel, :skip or :rel says how unjudged documents are read, and (rel=N) takes "
        "the place of -l; all else there is a usage error.",
        "irevalx has these parameters and readings, trec_eval does not.",
        _HERE + "test_7_parameters_and_readings_of_irevalx",
    ),
    Departure(
        7,
        "Options, measures and sets of measures that only irevalx has, and -R sampled, are errors.",
        "They are what the help says.",
        "trec_eval does not have them.",
        _HERE + "test_7_what_only_irevalx_has",
    ),
    Departure(
        8,
        "-D with a level above 0 prints traces between the results.",
        "A table of the documents of each topic on standard error: it has what trec_eval shows for each measure, and "
        "is the same at every level. Nothing but results goes to standard output.",
        "Programs read the output, people read traces.",
        "test_trace.py::test_trace_of_graded_judgments",
    ),
)
