"""Deliberate differences from trec_eval, for docs/differences.md and the manual page irevalx.1."""

from __future__ import annotations

from irevalx.frozen import Frozen

SUBJECTS = {
    1: "Topics without results",
    2: "Crashes and wrong values",
    3: "Malformed numbers",
    4: "Excluded topics",
    5: "Messages and exit statuses",
    6: "Files",
    7: "Names of measures",
    8: "Traces (-D)",
}
"""The subjects by number, to which the rows of fixtures/golden/cases.jsonl and the tests refer."""


class Departure(Frozen):
    """A deliberate difference."""

    number: int  # its subject, a key of ``SUBJECTS``
    trec_eval: str  # the behaviour of trec_eval
    irevalx: str  # the behaviour of irevalx
    reason: str
    test: str  # the test that shows it: ``FILE::NAME``, with FILE anywhere in tests/


_HERE = "test_departures.py::"
_CLI = "test_command.py::"

DEPARTURES: tuple[Departure, ...] = (
    Departure(
        1,
        "10.0 stops with status 4 if a judged topic has no results, unless -c is given.",
        "The topic is excluded from the means, as in 9.0.8, and a line on standard error counts such topics.",
        "The help of both versions documents this behaviour, and ordinary runs lack topics.",
        _HERE + "test_1_topics_without_results_are_left_out",
    ),
    Departure(
        1,
        "If there is no topic to evaluate, or the run has no data lines, 10.0 exits with status 4 and 9.0.8 "
        "with 7 (on a run of blank lines, 9.0.8 can also crash). If the topic given with -D does not exist, both exit"
        " with 7.",
        "Status 7 in all cases; with -c, --compat 10 prints zeros like 10.0.",
        "The cause is the same, so the status is the same.",
        _HERE + "test_1_run_without_lines",
    ),
    Departure(
        1,
        "10.0 with -c: a topic without results is treated as if it had retrieved one document, "
        "ceci_nest_pas_un_docno, which counts if it is judged.",
        "Nothing is retrieved.",
        "The run does not contain the document.",
        _HERE + "test_1_no_document_is_retrieved_without_results",
    ),
    Departure(
        1,
        "10.0 with -c: the runid of a run without data lines is read from uninitialised memory.",
        "The runid is empty.",
        "The run has no name.",
        _HERE + "test_1_name_of_a_run_without_lines",
    ),
    Departure(
        2,
        "A topic with only negative judgments: status 4 if it is the first topic, the level counts of the "
        "previous topic if it is a later one, and a crash if no judgment is above -2.",
        "Nothing is relevant and no level has documents; every measure has its value for this case.",
        "With incomplete judgments, topics without any judged document are common.",
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
        "10.0: parameters of dcg, ideal_dcg or ndcg are also used by the other two, and the program crashes.",
        "Each measure has its own parameters.",
        "This is a crash.",
        _HERE + "test_2_dcg_and_ndcg_have_parameters_of_their_own",
    ),
    Departure(
        2,
        "A very large -l crashes bpref. A very large judgment takes memory and time for every level below it,"
        " or crashes, or exits with status 4 with -R qrels_jg.",
        "Both are read as given. When user-defined gains are sorted, levels above 1000 are included only if a document "
        "has that level.",
        "This is a crash.",
        _HERE + "test_2_huge_judgment",
    ),
    Departure(
        2,
        "Cutoffs that differ by 2^31 or more are not sorted.",
        "They are sorted.",
        "The values are wrong.",
        _HERE + "test_2_huge_cutoffs_are_sorted",
    ),
    Departure(
        2,
        "A negative -M crashes.",
        "A usage error, status 1.",
        "This is a crash.",
        "test_golden.py::test_recorded_answer",
    ),
    Departure(
        2,
        "10.0: the second of two comment lines in the judgments is read as data, and a comment at the end of "
        "the file crashes. Z-score files cannot contain comments.",
        "With --compat 10, every line that starts with # is skipped. 9.0.8 has no comments.",
        "The help documents that comments are skipped.",
        "test_golden.py::test_recorded_answer",
    ),
    Departure(
        2,
        "A NUL byte ends the input without a message, or crashes.",
        "An error that names the line, status 2.",
        "The rest of the file would be ignored without notice.",
        _CLI + "test_malformed_lines",
    ),
    Departure(
        2,
        "Input must be a seekable file.",
        "Pipes and process substitution work.",
        "irevalx can be part of a pipeline.",
        _CLI + "test_process_substitution",
    ),
    Departure(
        2,
        "-v prints a version number that is not accurate; the usage text names a set of measures that does not exist.",
        "irevalx prints its own version and help.",
        "irevalx is a different program.",
        _CLI + "test_version_goes_to_standard_error",
    ),
    Departure(
        2,
        "Contradictory preferences within a judgment group abort the program, and all output so far is lost.",
        "Status 4, after the lines of the topics before, with a message that names two documents.",
        "This is a crash.",
        _HERE + "test_2_contradictory_preferences",
    ),
    Departure(
        2,
        "prefs_avgjg_Rnonrel and prefs_avgjg_Rnonrel_ret read uninitialised memory if the lowest level is "
        "below 0 and has fewer documents than there are relevant documents.",
        "They use the documents that exist.",
        "The value of a measure must not depend on the contents of memory.",
        _HERE + "test_2_recount_with_a_small_last_class",
    ),
    Departure(
        2,
        "If the highest level of a judgment group without subgroups is -3, its last class is lost.",
        "-3 is treated like any other level.",
        "The values are wrong.",
        _HERE + "test_2_preferences_with_a_highest_level_of_minus_three",
    ),
    Departure(
        2,
        "Preferences between two documents are counted modulo 65,536.",
        "All preferences are counted.",
        "The values are wrong.",
        "test_preferences.py::test_pair_counts_do_not_overflow",
    ),
    Departure(
        2,
        "A preference level of nan is sorted arbitrarily, or crashes.",
        "An error that names the line, status 2.",
        "nan is neither above nor below another level.",
        "test_preferences.py::test_malformed_lines",
    ),
    Departure(
        2,
        "The z-score lookup reads one entry too far: the entry of the next topic, or one after the end of the"
        " table, which crashes.",
        "If the file has no entry for the topic, the z-score is -1000000.",
        "This is a crash, or the mean of another topic.",
        "test_golden.py::test_recorded_answer",
    ),
    Departure(
        3,
        "If a score, judgment, parameter or option is not a plain number, its numeric prefix is used, without"
        " a message.",
        "The same value is used, and one line on standard error names the first malformed number in a file "
        "and counts the others; with --strict, malformed numbers are errors, status 2.",
        "A shifted column should not go unnoticed.",
        _HERE + "test_3_scores_are_never_misread_in_silence",
    ),
    Departure(
        3,
        "The sign of a nan that results from a gain of nan depends on the order of additions that the "
        "compiler chooses.",
        "nan has the sign that numpy's sum produces.",
        "The sign has no meaning.",
        _HERE + "test_3_gain_of_nan",
    ),
    Departure(
        4,
        "Excluded topics are not reported.",
        "One line on standard error counts them; --quiet suppresses it. Standard output is the same.",
        "Otherwise a mean over half of the topics looks like a mean over all topics.",
        _HERE + "test_4_topics_left_out_are_counted",
    ),
    Departure(
        5,
        "Messages name at most a line.",
        "Messages start with irevalx: and name the file, line, topic and document, and the remedy. Status "
        "numbers are those of trec_eval, and usage errors have status 1. If output cannot be written, the "
        "status is 74.",
        "An error message should enable the user to fix the problem.",
        _CLI + "test_malformed_lines",
    ),
    Departure(
        6,
        "One call evaluates one run.",
        "One call evaluates any number of runs. The output contains one block per run, which begins with the "
        "name of the run if runid is not requested.",
        "A collection of runs can be evaluated in one call.",
        _CLI + "test_several_runs",
    ),
    Departure(
        6,
        "runid is the run tag.",
        "If several runs in a call have the same run tag, runid is the file name, with a number appended if "
        "the file names are also the same.",
        "Rows of different runs must not have the same name.",
        _CLI + "test_runs_with_the_same_tag",
    ),
    Departure(
        6,
        "Only plain text is read. 10.0 reads the run from standard input if its name begins with -; 9.0.8 does not.",
        "gzip, bzip2, xz and zstd are recognised by their content. In both versions, - is standard input, for"
        " at most one file; a longer name that begins with - is a file name.",
        "Archives are compressed.",
        _CLI + "test_compressed_files_are_known_by_their_content",
    ),
    Departure(
        6,
        "If both the judgments and the run are -, the file cannot be read, status 2.",
        "A usage error, status 1.",
        "The command line is invalid regardless of standard input.",
        _HERE + "test_6_standard_input_for_two_files",
    ),
    Departure(
        6,
        "A line can have any length.",
        "A line longer than 4 MiB is an error, status 2.",
        "A small archive can contain a line of gigabytes.",
        "test_long_lines.py::test_a_small_archive_with_a_long_line",
    ),
    Departure(
        6,
        "BEIR's header (three columns) is a malformed line, status 2; a line of JSON is read like any other "
        "line if it has the right number of words.",
        "Judgments that begin with BEIR's header are read like with -R beir; judgments or runs that begin "
        "with a JSON object are read like with -R json or -T json.",
        "The first line identifies the format.",
        "test_misread_files.py::test_what_was_meant_is_read",
    ),
    Departure(
        6,
        "A learning-to-rank list (2 qid:1 1:0.3 2:0.5) is read as judgments if each line has four columns; otherwise "
        "it is a malformed line, status 2.",
        "It is an error in either case, status 2, and the message contains the command that converts it.",
        "Otherwise a feature would be read as a grade.",
        "test_converted_files.py::test_learning_to_rank_lists",
    ),
    Departure(
        6,
        "A byte-order mark becomes part of the first topic ID. A line of a run with a blank in an ID is read "
        "with shifted columns. Headers, preferences and quoted grades are read as if they were "
        "judgments. There is no message.",
        "Such files are read in the same way, and one line on standard error gives the file, the line and the"
        " remedy; with --strict they are errors, status 2.",
        "Without a message, plausible but wrong values go unnoticed.",
        "test_misread_files.py::test_the_value_stays_and_a_line_tells",
    ),
    Departure(
        6,
        "The run is opened after the judgments have been read.",
        "If a run does not exist, the call stops before anything is printed; if a run is malformed, the other"
        " runs are still evaluated.",
        "Otherwise a mistyped argument, such as a number, would be reported only after all output.",
        "test_misread_files.py::test_a_file_that_is_missing_among_several",
    ),
    Departure(
        7,
        "Each measure has one spelling.",
        "MAP, ndcg@10, P@5, P_10 or AP(rel=2) are accepted, and printed in trec_eval's spelling unless "
        "--names asked is given. Cutoffs given with @ are combined. If a measure is requested several "
        "times with different parameters, only the first request is evaluated, as in trec_eval, and a line on standard "
        "error lists the other requests. --names asked and all other formats print every requested measure.",
        "Other programs use other names.",
        _HERE + "test_7_names_that_people_bring",
    ),
    Departure(
        7,
        "Parameters of infAP, which has none, and a colon or brackets in or after parameters are ignored.",
        "infAP has the parameters c=C and epsilon=E; :nonrel, :skip or :rel selects the treatment of unjudged"
        " documents; and (rel=N) overrides -l. Everything else there is a usage error.",
        "irevalx has these parameters and treatments, trec_eval does not.",
        _HERE + "test_7_parameters_and_readings_of_irevalx",
    ),
    Departure(
        7,
        "Options, measures and sets of measures that only irevalx has, and -R sampled, are errors.",
        "They work as described in the help.",
        "trec_eval does not have them.",
        _HERE + "test_7_what_only_irevalx_has",
    ),
    Departure(
        8,
        "With a level above 0, -D prints traces between the results.",
        "irevalx prints a table of the documents of each topic on standard error. It contains what trec_eval "
        "shows for each measure, and is the same at every level. Standard output contains only results.",
        "Programs read standard output, and traces are read by users.",
        "test_trace.py::test_trace_of_graded_judgments",
    ),
)
