"""The recorded answers of trec_eval 9.0.8 and 10.0: same bytes on standard output, same status."""

from __future__ import annotations

from typing import Any

import pytest
from references.recorded_answers import BY_NAME, CASES, GOLDEN, VERSIONS, Expected, recorded
from running import run


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
