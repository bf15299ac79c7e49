"""Where irevalx does not do what trec_eval does; docs/differences.md lists every one, by the numbers used here.

Expected values come from trec_eval all the same: from a call that asks for the same thing without meeting the defect. The
comment names that call.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from references.preferences import Line, Topic, balanced
from references.recorded_answers import CASES
from running import FIXTURES, refused, run

DATA = FIXTURES / "golden" / "data"
BOTH = pytest.mark.parametrize("compat", ["9", "10"])


def lines(text: bytes) -> list[list[str]]:
    """Output as rows of name, topic, value."""
    return [[cell.strip() for cell in line.split("\t")] for line in text.decode().splitlines()]


def files(folder: Path, qrels: str, results: str) -> tuple[Path, Path]:
    """Write judgments and a run."""
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(results)
    return folder / "qrels", folder / "run"


def test_1_topics_without_results_are_left_out(tmp_path: Path) -> None:
    """10.0 stops at a judged topic without results; irevalx leaves it out of the averages and says so."""
    qrels, results = files(tmp_path, "1 0 A 1\n2 0 A 1\n", "2 Q0 A 1 1 r\n")
    result = run("-m", "map", "-m", "num_q", qrels, results)
    assert lines(result.stdout) == [["num_q", "all", "1"], ["map", "all", "1.0000"]]
    assert result.status == 0
    assert "1 of 2 judged topics without results are left out of the averages" in result.stderr


@BOTH
@pytest.mark.parametrize("results", ["\n", "  \n\t\n"])
def test_1_run_without_lines(results: str, compat: str, tmp_path: Path) -> None:
    """A run without data lines ends with status 7."""
    refused("--compat", compat, *files(tmp_path, "1 0 A 1\n", results), status=7)


def test_1_no_document_is_retrieved_without_results(tmp_path: Path) -> None:
    """10.0 retrieves a document of its own invention for a topic without results, as its judgment shows."""
    # trec_eval 10.0 -c -q, with another docno in the judgments of topic 2
    qrels, results = files(tmp_path, "1 0 A 1\n2 0 ceci_nest_pas_un_docno 1\n", "1 Q0 A 1 2 r\n")
    printed = lines(run("-c", "-q", "-m", "num_rel_ret", qrels, results).stdout)
    assert printed == [["num_rel_ret", "1", "1"], ["num_rel_ret", "2", "0"], ["num_rel_ret", "all", "1"]]


def test_1_name_of_a_run_without_lines(tmp_path: Path) -> None:
    """A run without lines has no name; 10.0 prints stray memory."""
    result = run("-c", "-m", "runid", *files(tmp_path, "1 0 A 1\n", "\n"))
    assert (lines(result.stdout), result.status) == ([["runid", "all", ""]], 0)


@BOTH
def test_2_topic_with_negative_judgments_only(compat: str) -> None:
    """A topic of which nothing was judged counts 0; trec_eval stops when it is the first topic."""
    # trec_eval -q -m map, with a topic 0 (A judged 0, A retrieved) put before the others
    result = run("--compat", compat, "-q", "-m", "map", "q_allneg_first.qrels", "r_neg.run", cwd=DATA)
    assert lines(result.stdout) == [["map", "1", "0.0000"], ["map", "2", "1.0000"], ["map", "all", "0.5000"]]
    assert result.status == 0


def test_2_topic_with_negative_judgments_only_has_no_ideal() -> None:
    """The level counts of the topic before do not carry over to a topic of which nothing was judged."""
    # trec_eval -q -m dcg -m ideal_dcg, with a topic 15 (A judged 0, A retrieved) put between 1 and 2
    result = run("-q", "-n", "-m", "dcg", "-m", "ideal_dcg", "q_allneg_2nd.qrels", "r_neg.run", cwd=DATA)
    ideal = [row for row in lines(result.stdout) if row[0] == "ideal_dcg"]
    assert ideal == [["ideal_dcg", "1", "2.6309"], ["ideal_dcg", "2", "0.0000"], ["ideal_dcg", "3", "0.0000"]]


@BOTH
def test_2_gains_in_a_topic_with_negative_judgments_only(compat: str) -> None:
    """A gain for pooled documents cannot be set against the ideal ranking of another topic."""
    # as above, -m ndcg.-2=1
    result = run("--compat", compat, "-qn", "-m", "ndcg.-2=1", "q_allneg_2nd.qrels", "r_neg.run", cwd=DATA)
    assert [row[2] for row in lines(result.stdout)] == ["0.8597", "0.0000", "0.0000"]


@BOTH
def test_2_topic_with_grades_below_minus_one_only(compat: str) -> None:
    """A topic with only grades below -1 does not crash."""
    # trec_eval -q -m map with the grades -2 replaced by -1
    result = run("--compat", compat, "-q", "-m", "map", "q_allneg2.qrels", "r_neg.run", cwd=DATA)
    assert [row[2] for row in lines(result.stdout)] == ["1.0000", "0.0000", "0.0000", "0.3333"]


def test_2_rbp_does_not_depend_on_its_neighbours() -> None:
    """Rbp has the same value whatever was computed before it; 10.0 reads uninitialised memory."""
    # trec_eval -m rbp main.qrels main.run
    for before in ("iprec_at_recall", "ndcg", "yaap", "G"):
        result = run("-m", before, "-m", "rbp", "main.qrels", "main.run", cwd=DATA)
        assert lines(result.stdout)[-1] == ["rbp", "all", "0.2328"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    # trec_eval -m dcg.1=3, -m ndcg, -m dcg and -m ndcg.1=3, each on its own
    [
        ("dcg.1=3", "ndcg", [["dcg_1=3", "all", "3.5000"], ["ndcg", "all", "0.8801"]]),
        ("ndcg.1=3", "dcg", [["dcg", "all", "1.5000"], ["ndcg_1=3", "all", "0.9693"]]),
    ],
)
def test_2_dcg_and_ndcg_have_parameters_of_their_own(first: str, second: str, expected: list[list[str]]) -> None:
    """Gains given to one of dcg, ideal_dcg and ndcg do not reach the others; 10.0 crashes."""
    assert lines(run("-m", first, "-m", second, "t.qrels", "t.run", cwd=DATA).stdout) == expected


@BOTH
def test_2_huge_level(compat: str) -> None:
    """A level that no judgment reaches is no reason to crash."""
    # trec_eval -l 100 -m bpref t.qrels t.run
    result = run("--compat", compat, "-l", "1000000000", "-m", "bpref", "t.qrels", "t.run", cwd=DATA)
    assert lines(result.stdout) == [["bpref", "all", "0.0000"]]


@BOTH
@pytest.mark.parametrize("measure", ["map", "bpref", "ndcg", "Rndcg", "ndcg_rel", "ndcg_cut.5", "infAP"])
def test_2_huge_judgment(measure: str, compat: str) -> None:
    """A judgment of 2^63 needs no memory for the levels below it."""
    # trec_eval, with 9223372036854775808 replaced by 9: the ranking is the best possible one
    result = run("--compat", compat, "-m", measure, "q_relbig.qrels", "r_rel.run", cwd=DATA)
    assert [row[1:] for row in lines(result.stdout)] == [["all", "1.0000"]]


@BOTH
def test_2_huge_judgment_in_a_group(compat: str, tmp_path: Path) -> None:
    """It is one like others."""
    # trec_eval, with 2147483648 replaced by 9: the second of two documents is the relevant one
    (tmp_path / "qrels").write_text("1 g a 2147483648\n1 g b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n")
    result = run("--compat", compat, "-R", "qrels_jg", "-m", "map_avgjg", "qrels", "run", cwd=tmp_path)
    assert lines(result.stdout) == [["map_avgjg", "all", "0.5000"]]


@BOTH
def test_2_huge_cutoffs_are_sorted(compat: str) -> None:
    """Cutoffs that differ by 2^32 stay apart."""
    # trec_eval -m P.1 and -m P.4294967297
    result = run("--compat", compat, "-m", "P.4294967297,1", "t.qrels", "t.run", cwd=DATA)
    assert lines(result.stdout) == [["P_1", "all", "1.0000"], ["P_4294967297", "all", "0.0000"]]


@BOTH
def test_2_contradictory_preferences(compat: str, tmp_path: Path) -> None:
    """Preferences that contradict each other do not abort the program; the topics before have been printed."""
    # trec_eval -R prefs -q -n -m prefs_simp on the lines of topic 0 alone
    prefs = "0 g s A 1\n0 g s B 0\n1 g s A 2\n1 g s B 1\n1 g t B 2\n1 g t A 1\n"
    paths = files(tmp_path, prefs, "0 Q0 A 1 1 r\n1 Q0 A 1 1 r\n")
    result = run("--compat", compat, "-R", "prefs", "-q", "-m", "prefs_simp", *paths)
    assert (lines(result.stdout), result.status) == ([["prefs_simp", "0", "1.0000"]], 4)
    assert "contradictory preferences in group" in result.stderr


@pytest.mark.parametrize("version", ["v9.0.8", "v10.0"])
def test_2_recount_with_a_small_last_class(version: str) -> None:
    """Where the last class is too small its documents are all there is; every other measure is as recorded."""
    [case] = [case for case in CASES if case["name"] == "pf_qrels_prefs_main"]
    result = run("--compat", version[1:].partition(".")[0], *case["argv"], cwd=DATA)
    recorded = lines(case[version]["stdout"].encode())
    ours = lines(result.stdout)
    assert [row for row in ours if row[0] != "prefs_avgjg_Rnonrel"] == [
        row for row in recorded if row[0] != "prefs_avgjg_Rnonrel"
    ]
    # What is recorded for the others is stray memory, and differs between the versions: the literal reference instead.
    lines_of: dict[str, list[Line]] = {}
    for topic, group, docno, level in (line.split() for line in (DATA / "main.qrels").read_text().splitlines()):
        lines_of.setdefault(topic, []).append(Line(group, "0", docno, float(level)))
    retrieved: dict[str, list[tuple[float, str]]] = {}
    for topic, _, docno, _, score, _ in (line.split() for line in (DATA / "main.run").read_text().splitlines()):
        retrieved.setdefault(topic, []).append((-float(score), docno))
    expected = [
        f"{balanced(Topic(lines_of[topic], [docno for _, docno in sorted(retrieved[topic])])):.4f}"
        for topic in sorted(lines_of)
        if topic in retrieved
    ]
    assert [row[2] for row in ours if row[0] == "prefs_avgjg_Rnonrel" and row[1] != "all"] == expected


@BOTH
def test_2_preferences_with_a_highest_level_of_minus_three(compat: str, tmp_path: Path) -> None:
    """A highest level of -3 is no reason to lose a class."""
    # trec_eval with 1 taken from every level
    prefs = "1 g s A -3\n1 g s B -4\n1 g s C -5\n"
    paths = files(tmp_path, prefs, "1 Q0 A 1 1 r\n1 Q0 C 2 0 r\n")
    result = run("--compat", compat, "-R", "prefs", "-m", "prefs", *paths)
    assert [row[2] for row in lines(result.stdout)] == ["r", "1", "3", "2", "1", "0.6667", "0.6667", "0.6667"]


@pytest.mark.parametrize(
    ("option", "value", "read_as", "hint"),
    [
        ("-l", "abc", "0", ""),
        ("-l", "1.9", "1", " (fractional levels require --grades real)"),
        ("-M", "x", "0", ""),
        ("-N", "5 ", "5", ""),
    ],
)
def test_3_numbers_on_the_command_line_are_never_misread_in_silence(
    option: str, value: str, read_as: str, hint: str
) -> None:
    """A number that is not plain is read as C reads it, with a warning; --strict refuses it."""
    args = ("-m", "num_rel_ret", "t.qrels", "t.run")
    loose, plain = run(option, value, *args, cwd=DATA), run(option, read_as, *args, cwd=DATA)
    assert (loose.stdout, loose.status) == (plain.stdout, 0)
    problem = f"{option} '{value}' is not an integer{hint}"
    assert loose.stderr == f"irevalx: {problem}, read as {read_as}, like trec_eval\n"
    assert run("--quiet", option, value, *args, cwd=DATA).stderr == ""
    assert run("--strict", option, value, *args, cwd=DATA).status == 2


def test_3_numbers_among_parameters_are_never_misread_in_silence() -> None:
    """A parameter that is not plain is read as C reads it, with a warning; --strict refuses it."""
    loose = run("-m", "P.5x", "t.qrels", "t.run", cwd=DATA)
    assert loose.stdout == run("-m", "P.5", "t.qrels", "t.run", cwd=DATA).stdout
    assert "invalid parameter '5x' of P (not a plain number), read as 5" in loose.stderr
    assert run("--strict", "-m", "P.5x", "t.qrels", "t.run", cwd=DATA).status == 2


@pytest.mark.parametrize("score", ["abc", "1,5", "5e", "nan", "inf", "1e400", "1_0", "0x"])
def test_3_scores_are_never_misread_in_silence(score: str, tmp_path: Path) -> None:
    """The first odd score is named with file, line, topic and document, and the others are counted."""
    results = f"1 Q0 A 1 2.5 r\n1 Q0 B 2 {score} r\n1 Q0 C 3 {score} r\n1 Q0 D 3 {score} r\n"
    qrels, path = files(tmp_path, "1 0 A 1\n1 0 B 0\n", results)
    result = run("-m", "map", qrels, path)
    assert result.status == 0
    assert result.stderr.startswith(
        f"irevalx: {path}:2: topic '1': document 'B': invalid score '{score}' (not a finite number), read as "
    )
    assert "(2 more such scores in this file)" in result.stderr
    assert result.stderr.count("\n") == 1
    message = refused("--strict", "-m", "map", qrels, path, status=2)
    assert message.startswith(f"irevalx: {path}:2: ")


@pytest.mark.parametrize("score", ["0x10", "1e5", "-.5", "+7.", "1E-5", "12345678901234567890"])
def test_3_plain_scores_are_not_odd(score: str, tmp_path: Path) -> None:
    """What C reads whole, and as a finite number, is not worth a warning."""
    assert run("--strict", *files(tmp_path, "1 0 A 1\n1 0 B 0\n", f"1 Q0 A 1 {score} r\n")).stderr == ""


@pytest.mark.parametrize("grade", ["1.5", "x", "3abc", "0x5", "9223372036854775808"])
def test_3_judgments_are_never_misread_in_silence(grade: str, tmp_path: Path) -> None:
    """An odd judgment is read as C reads it, with a warning; --strict refuses it."""
    qrels, path = files(tmp_path, f"1 0 A 1\n1 0 B {grade}\n", "1 Q0 A 1 2.5 r\n")
    result = run("-m", "map", qrels, path)
    assert result.status == 0
    assert result.stderr.startswith(f"irevalx: {qrels}:2: topic '1': document 'B': invalid grade ")
    assert run("--strict", "-m", "map", qrels, path).status == 2


def test_4_topics_left_out_are_counted(tmp_path: Path) -> None:
    """One line says how many topics have no results and how many no judgments; --quiet silences it; stdout is the same."""
    qrels, results = files(tmp_path, "1 0 A 1\n2 0 A 1\n", "2 Q0 A 1 1 r\n3 Q0 A 1 1 r\n4 Q0 A 1 1 r\n")
    result = run("-m", "map", qrels, results)
    assert result.stderr == (
        f"irevalx: {results}: 1 of 2 judged topics without results are left out of the averages (-c counts them as 0); "
        "2 topics of the run have no judgments and are ignored\n"
    )
    quiet = run("--quiet", "-m", "map", qrels, results)
    assert (quiet.stdout, quiet.stderr) == (result.stdout, "")
    assert "1 of 2 judged topics without results count as 0" in run("-c", "-m", "map", qrels, results).stderr


def test_7_cutoffs_at_merge() -> None:
    """Cutoffs asked for with @ are added to each other, those after a dot follow trec_eval: the first set wins."""
    assert [row[0] for row in lines(run("-m", "P@5", "-m", "P@10", "t.qrels", "t.run", cwd=DATA).stdout)] == [
        "P_5",
        "P_10",
    ]
    ignored = run("-m", "P.5", "-m", "P.10", "t.qrels", "t.run", cwd=DATA)
    assert [row[0] for row in lines(ignored.stdout)] == ["P_5"]
    assert "only the first parameters of a measure are used: P.5 (not P.10); --names asked prints all" in ignored.stderr
    everything = run("--names", "asked", "-m", "P.5", "-m", "P.10", "t.qrels", "t.run", cwd=DATA)
    assert [row[0] for row in lines(everything.stdout)] == ["P.5", "P.10"]


@pytest.mark.parametrize(
    ("brought", "canonical"),
    [
        ("MAP", "map"),
        ("ndcg@10", "ndcg_cut.10"),
        ("P@5,10", "P.5,10"),
        ("P_10", "P.10"),
        ("ndcg_cut_10", "ndcg_cut.10"),
        ("iprec_at_recall_0.10", "iprec_at_recall.0.10"),
        ("ndcg_1=3", "ndcg.1=3"),
        ("Official", "official"),
        ("ERR@20", "ERR.20"),
        ("nDCG(dcg='exp-log2')@20", "ndcg_burges.20"),
        ('nDCG(dcg="exp-log2")@5,10', "ndcg_burges.5,10"),
        ("ERR_10_max=5", "ERR.10,max=5"),
        ("mrr_at_10", "recip_rank_cut.10"),
        ("P(judged_only=True)@10", "P.10:skip"),
    ],
)
def test_7_names_that_people_bring(brought: str, canonical: str) -> None:
    """Other spellings are understood, and printed as trec_eval prints them."""
    assert (
        run("-m", brought, "t.qrels", "t.run", cwd=DATA).stdout
        == run("-m", canonical, "t.qrels", "t.run", cwd=DATA).stdout
    )


def test_7_parameters_and_readings_of_irevalx(tmp_path: Path) -> None:
    """What trec_eval ignores after infAP, and after a colon, is irevalx's own or an error."""
    qrels, results = files(tmp_path, "1 0 A 1\n1 0 B 0\n1 0 C -1\n", "1 Q0 C 1 2 r\n1 Q0 A 1 1 r\n")
    # Rank 2, one pooled document above that was not judged: 1/2 + 1/2 x 1/c.
    printed = run("-m", "infAP", "-m", "infAP.c=4", "-m", "P.1:skip", qrels, results).stdout
    assert [line.split()[::2] for line in printed.splitlines()] == [
        [b"infAP", b"0.7500"],
        [b"infAP_c=4", b"0.6250"],
        [b"P_1:skip", b"1.0000"],
    ]
    for odd in ("infAP.5", "P.5:x", "P.5(x)"):
        assert run("-m", odd, qrels, results).status == 1


@BOTH
@pytest.mark.parametrize("gains", ["1=nan", "1=-nan"])
def test_3_gain_of_nan(gains: str, compat: str, tmp_path: Path) -> None:
    """A value that a gain of nan takes part in is nan, of either sign."""
    # trec_eval -m ndcg.GAINS
    qrels, results = files(tmp_path, "1 0 A 1\n1 0 B 2\n", "1 Q0 A 1 2 r\n1 Q0 B 1 1 r\n")
    [[_, _, value]] = lines(run("--compat", compat, "-m", f"ndcg.{gains}", qrels, results).stdout)
    assert value.lstrip("-") == "nan"


@BOTH
def test_6_standard_input_for_two_files(compat: str) -> None:
    """Standard input cannot be two files at once."""
    assert "standard input (-) can be given for only one file" in refused("--compat", compat, "-", "-")


@pytest.mark.parametrize(
    ("flags", "qrels"),
    [
        (("-m", "incomplete"), "qrels"),
        (("-m", "indAP"), "qrels"),
        (("--strict",), "qrels"),
        (("-R", "sampled"), "sampled.qrels"),
    ],
)
def test_7_what_only_irevalx_has(flags: tuple[str, ...], qrels: str) -> None:
    """Sets, measures, options and formats of irevalx give values."""
    result = run(*flags, FIXTURES / "example" / qrels, FIXTURES / "example" / "bm25.run")
    assert (result.status, result.stdout != b"") == (0, True)
