"""Recorded answers of trec_eval, byte for byte, and of gdeval, ndeval and statAP_MQ_eval, value by value."""

from __future__ import annotations

import csv
import gzip
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from references.recorded_answers import BY_NAME, CASES, GOLDEN, VERSIONS, Expected, recorded
from references.recorded_family import CASES as FAMILY_CASES
from references.recorded_family import Case, agrees
from running import FIXTURES, run

from irevalx.evaluation.evaluate import evaluate
from irevalx.measures import NICKNAMES
from irevalx.measures.selection import select_measures
from irevalx.reading.formats import read_qrels, read_trec_results
from irevalx.reading.sources.files import Source
from irevalx.settings import Settings
from irevalx.trec_eval import TREC_EVAL_10


def line(name: str, topic: str, value: str) -> bytes:
    """One line of output."""
    return f"{name:<22}\t{topic}\t{value}\n".encode()


def two_blocks(version: str) -> Expected:
    """What trec_eval prints for one run, once for each of two: the tags are the same and so are the stems."""
    expected = recorded("cli_default_official", version).stdout
    names = (line("runid", "all", "t.run"), line("runid", "all", "t.run#2"))
    return Expected(b"".join(expected.replace(line("runid", "all", "tiny"), name) for name in names), 0)


REFUSED = Expected(b"", 2)
NOTHING_EVALUATED = Expected(b"", 7)


def zscores(first: str, second: str, mean: str) -> Expected:
    """What is printed for the z-scores of map in two topics."""
    return Expected(
        b"".join(
            b"Z" + line("map", topic, value)
            for topic, value in zip(("1", "2", "all"), (first, second, mean), strict=True)
        ),
        0,
    )


DEPARTURES: dict[tuple[str, str], Expected] = {
    # 2: own version text, on standard error
    **{
        (name, version): Expected(b"", 0)
        for name in ("cli_version", "cli_version_long", "cli_version_wins_left_to_right")
        for version in VERSIONS
    },
    # 2: every line that starts with # is a comment; what the judgments without them give is recorded elsewhere
    ("in_qrels_comment_two", "v10.0"): recorded("in_qrels_comment_one", "v10.0"),
    ("in_qrels_comment_fourtok", "v10.0"): recorded("in_qrels_comment_one", "v10.0"),
    ("in_qrels_comment_last", "v10.0"): recorded("in_qrels_comment_one", "v10.0"),
    ("in_qrels_comment_only", "v10.0"): NOTHING_EVALUATED,
    # 2: NUL bytes
    **{
        (name, version): REFUSED
        for name in ("in_qrels_nul_line_start", "in_run_nul_line_start", "in_qrels_nul_inside")
        for version in VERSIONS
    },
    # 2: a negative -M
    **{("cli_M_negative", version): Expected(b"", 1) for version in VERSIONS},
    # 2: preferences that contradict each other
    **{
        (name, version): Expected(b"", 4)
        for name in ("pf_inconsistent_abort", "pf_cycle_abort")
        for version in VERSIONS
    },
    # 2: what lies after the entries of a topic in a z-score file; expected is what trec_eval prints when the file gets an
    # entry for a measure zzz in each topic, and one for a topic 9
    **{
        (name, version): zscores("-1000000.0000", second, mean)
        for version in VERSIONS
        for name, second, mean in (
            ("z_neighbour_topic_leak", "8.0000", "-499996.0000"),
            ("z_out_of_bounds_measure", "-1000000.0000", "-1000000.0000"),
            ("z_out_of_bounds_topic", "-1000000.0000", "-1000000.0000"),
        )
    },
    # 2: comments in a z-score file; as above
    ("z_comment_not_supported", "v10.0"): Expected(b"Z" + line("map", "all", "-499999.8333"), 0),
    # 2: topics with negative judgments only; expected is what trec_eval prints where such a topic has a document more,
    # judged 0 and retrieved
    **{
        ("jn_first_topic_all_unjudged", version): Expected(
            line("map", "1", "0.0000") + line("map", "2", "1.0000") + line("map", "all", "0.5000"), 0
        )
        for version in VERSIONS
    },
    ("jn_later_topic_all_unjudged_stale", "v10.0"): recorded("jn_later_topic_all_unjudged_stale", "v10.0").replaced(
        (line("ideal_dcg", "2", "2.6309"), line("ideal_dcg", "2", "0.0000")),
        (line("ideal_dcg", "all", "1.7540"), line("ideal_dcg", "all", "0.8770")),
    ),
    **{
        ("jn_later_topic_all_unjudged_stale_gain", version): recorded(
            "jn_later_topic_all_unjudged_stale_gain", version
        ).replaced(
            (line("ndcg_-2=1", "2", "0.6199"), line("ndcg_-2=1", "2", "0.0000")),
            (line("ndcg_-2=1", "all", "0.4932"), line("ndcg_-2=1", "all", "0.2866")),
        )
        for version in VERSIONS
    },
    # 6: standard input in both versions, for either file; more runs than one
    ("cli_stdin_dash", "v9.0.8"): recorded("cli_stdin_dash", "v10.0"),
    ("cli_stdin_any_dash_name", "v10.0"): REFUSED,
    ("cli_qrels_dash", "v9.0.8"): recorded("cli_stdin_dash", "v10.0"),
    ("cli_qrels_dash", "v10.0"): recorded("cli_stdin_dash", "v10.0"),
    ("cli_stdin_empty_c", "v9.0.8"): NOTHING_EVALUATED,
    ("in_long_lines_stdin", "v9.0.8"): recorded("in_long_lines", "v9.0.8"),
    ("cli_three_positionals", "v9.0.8"): two_blocks("v9.0.8"),
    ("cli_three_positionals", "v10.0"): two_blocks("v10.0"),
    # 7: names that people bring
    ("cli_measure_case_sensitive", "v9.0.8"): recorded("cli_long_equals", "v9.0.8"),
    ("cli_measure_case_sensitive", "v10.0"): recorded("cli_long_equals", "v10.0"),
}
"""Where irevalx departs from the recorded answer: what it prints instead, which wherever possible is another recorded
answer. A case whose ``departure`` says itself what to print is not repeated here."""


def expectations() -> list[Any]:
    """Every case with something to hold irevalx to, for both versions."""
    missing = []
    for case in CASES:
        for version, compat in VERSIONS.items():
            row, key = case[version], (case["name"], version)
            departure = row.get("departure", {})
            if key in DEPARTURES:
                expected = DEPARTURES[key]
            elif "stdout" in departure:
                expected = Expected(departure["stdout"].encode(), departure["rc"])
            elif row["conformance"] == "exact" and not departure:
                expected = recorded(*key)
            else:
                assert row["conformance"] in {"hash", "debug", "spec"}, f"nothing is expected of {key}"
                continue
            missing.append(pytest.param(case, version, expected, id=f"{case['name']}-{compat}"))
    return missing


@pytest.mark.parametrize(("case", "version", "expected"), expectations())
def test_recorded_answer(case: dict[str, Any], version: str, expected: Expected) -> None:
    """Irevalx prints the recorded bytes and ends with the recorded status."""
    data = GOLDEN / "data"
    stdin = data / case["stdin"] if case["stdin"] else None
    result = run("--compat", VERSIONS[version], *case["argv"], cwd=data, stdin=stdin, env=case["env"])
    assert (result.stdout, result.status) == (expected.stdout, expected.status), result.stderr
    assert all(line.startswith("irevalx") for line in result.stderr.splitlines())


def test_every_departure_is_marked_or_unreproducible() -> None:
    """A case may be departed from only where its row says so, or where the program crashed or read stray memory."""
    for name, version in DEPARTURES:
        row = BY_NAME[name][version]
        assert "departure" in row or row["conformance"] == "spec", name


def test_number_of_cases() -> None:
    """The recorded cases are all there."""
    assert len(CASES) == 443
    assert len(expectations()) == 853


EXAMPLE = FIXTURES / "example"
SUMMATION = FIXTURES / "summation"

BOTH = pytest.mark.parametrize("compat", ["9", "10"])


@BOTH
@pytest.mark.parametrize("name", ["bm25", "dense"])
def test_example(name: str, compat: str) -> None:
    """The example in the README prints what trec_eval prints."""
    official = run("--compat", compat, EXAMPLE / "qrels", EXAMPLE / f"{name}.run")
    assert official.stdout == (EXAMPLE / f"{name}.official.v{compat}").read_bytes()
    everything = run("--compat", compat, "-q", "-c", "-m", "all_trec", EXAMPLE / "qrels", EXAMPLE / f"{name}.run")
    assert everything.stdout == (EXAMPLE / f"{name}.q_c_all_trec.v{compat}").read_bytes()


SUMMATION_MEASURES = ("P.20", "map", "recall.5")


@BOTH
def test_sums_run_from_left_to_right(compat: str) -> None:
    """Means over a thousand topics are rounded as trec_eval rounds them."""
    flags = [word for name in SUMMATION_MEASURES for word in ("-m", name)]
    result = run("--compat", compat, *flags, SUMMATION / "qrels.gz", SUMMATION / "run.gz")
    assert result.stdout == (SUMMATION / f"expected.v{compat}").read_bytes()


def test_the_order_of_addition_shows() -> None:
    """The case above is one where numpy's pairwise mean would print other digits, for each of its measures."""
    judgments = read_qrels(Source(str(SUMMATION / "qrels.gz")), TREC_EVAL_10, True, pytest.fail)
    results = read_trec_results(Source(str(SUMMATION / "run.gz")), TREC_EVAL_10, True, pytest.fail)
    selection = select_measures(SUMMATION_MEASURES, Settings())
    evaluation = evaluate(judgments, results, selection, Settings())
    assert len(evaluation.topics) == 1000
    expected = [line.split()[2] for line in (SUMMATION / "expected.v10").read_text().splitlines()]
    for column, printed in zip(evaluation.columns, expected, strict=True):
        assert f"{np.mean(np.asarray(column.values)):.4f}" != printed, column.name


REAL_RUNS = (
    *("InexpC2", "MU03rob01", "NLPR03vb10", "SABIR03BASE", "THUIRr0301", "UAmsT03RDesc", "UIUC03Rd1", "fub03IeOLKe3"),
    *("oce03noXbmD", "pircRBa1", "uic0301", "uwmtCR0"),
)
"""The runs of the TREC 2003 Robust track whose output by trec_eval is recorded."""


@pytest.mark.parametrize("version", ["v9.0.8", "v10.0"])
@pytest.mark.parametrize(("name", "what"), [*((name, "all_trec") for name in REAL_RUNS), ("THUIRr0301", "JlM")])
def test_real_runs(name: str, what: str, version: str, robust03: Path) -> None:
    """Real runs print what trec_eval prints."""
    flags = {"all_trec": ["-q"], "JlM": ["-q", "-J", "-l2", "-M100"]}[what]
    compat = {"v9.0.8": "9", "v10.0": "10"}[version]
    files = robust03 / "qrels.gz", robust03 / "runs" / f"{name}.gz"
    result = run("--compat", compat, *flags, "-m", "all_trec", *files)
    assert result.stdout == gzip.decompress((robust03 / "expected" / f"{name}.{what}.{version}.gz").read_bytes())


def test_all_recorded_outputs_are_compared(robust03: Path) -> None:
    """Two versions of twelve runs, and one run with more flags."""
    recorded = [path.name for path in (robust03 / "expected").iterdir()]
    assert len(recorded) == 26
    assert {name.partition(".")[0] for name in recorded} == set(REAL_RUNS)


@pytest.mark.parametrize("case", FAMILY_CASES, ids=lambda case: case.id)
def test_recorded_answers(case: Case, tmp_path: Path) -> None:
    """Each value is there and none that must not be; what must be refused is refused with the name of the file."""
    for name, text in case.files.items():
        (tmp_path / name).write_text(text)
    result = run(*case.irevalx, "--format", "csv", "-q", case.judgments, "run", cwd=tmp_path)
    if case.refuses:
        assert result.status > 0
        assert result.stdout in {b"", b"run,topic,measure,value\n"}
        assert any(line.startswith(f"irevalx: {case.refuses}:") for line in result.stderr.splitlines())
        return
    assert result.status == 0, result.stderr
    rows = csv.DictReader(io.StringIO(result.stdout.decode()))
    values = {(row["topic"], row["measure"]): float(row["value"]) for row in rows}
    for topic, expected in case.expect.items():
        for measure, printed in expected.items():
            if printed is None:
                assert (topic, measure) not in values
            else:
                assert agrees(values[topic, measure], printed), (topic, measure, values[topic, measure], printed)


def test_every_value_is_used() -> None:
    """The 77 cases hold 2,549 values, some of which must not be printed, and 8 refusals: 2,557 answers."""
    n_values = sum(len(values) for case in FAMILY_CASES for values in case.expect.values())
    assert (len(FAMILY_CASES), n_values, sum(case.refuses is not None for case in FAMILY_CASES)) == (77, 2549, 8)
    assert not any(case.expect for case in FAMILY_CASES if case.refuses)
    recorded_names = " ".join(name for case in FAMILY_CASES for values in case.expect.values() for name in values)
    measures = {"ERR", "ndcg_burges", "recip_rank_cut", *NICKNAMES["subtopics"], *NICKNAMES["prels"]} - {
        "runid",
        "num_q",
    }
    assert all(re.search(rf"\b{name}(_|\b)", recorded_names) for name in measures)
