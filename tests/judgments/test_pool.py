"""The pool file, the readings of the unjudged, and what the command says about incomplete judgments."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import FIXTURES, lab, refused, run, run_process

import irevalx
from irevalx.judgments.pool import with_pool
from irevalx.measures import BY_NAME, NICKNAMES
from irevalx.reading.formats import read_pool, read_qrels
from irevalx.reading.sources.files import Source
from irevalx.trec_eval import TREC_EVAL_10

EXAMPLE = FIXTURES / "example"
QRELS, RUN, POOL = EXAMPLE / "qrels", EXAMPLE / "dense.run", EXAMPLE / "pool"
EVERYTHING = ("-q", "-m", "all")


def pooled() -> list[tuple[str, str]]:
    """Topic and document of each line of the example's pool."""
    return [tuple(line.split()) for line in POOL.read_text().splitlines()]  # type: ignore[misc]


def with_negative_judgments(tmp_path: Path) -> Path:
    """The example's judgments with a line of grade -1 for each pooled document that has none."""
    lines = QRELS.read_text().splitlines()
    known = {(line.split()[0], line.split()[2]) for line in lines}
    lines += [f"{topic} 0 {docno} -1" for topic, docno in pooled() if (topic, docno) not in known]
    (tmp_path / "negative").write_text("\n".join(lines) + "\n")
    return tmp_path / "negative"


# The pool file


@pytest.mark.parametrize("flags", [(), ("-J",), ("-l", "2"), ("-c",), ("-M", "7"), ("--unjudged", "rel,skip")])
def test_a_pooled_document_is_one_with_a_negative_judgment(flags: tuple[str, ...], tmp_path: Path) -> None:
    """The pool file says what negative judgments say, to every measure."""
    expected = run(*EVERYTHING, *flags, with_negative_judgments(tmp_path), RUN)
    result = run(*EVERYTHING, *flags, "--pool", POOL, QRELS, RUN)
    assert result.stdout == expected.stdout
    # Condensed lists hold no unjudged documents, the first seven were all judged, and rel looks at retrieved ones.
    same_without = flags in {("-J",), ("-M", "7"), ("--unjudged", "rel,skip")}
    assert (result.stdout == run(*EVERYTHING, *flags, QRELS, RUN).stdout) == same_without
    assert result.status == 0


COLUMNS: dict[str, Callable[[str, str], str]] = {
    "2": lambda topic, docno: f"{topic} {docno}",
    "3": lambda topic, docno: f"{topic} 0 {docno}",
    "4": lambda topic, docno: f"{topic} Q0 {docno} 17",
    "tabs": lambda topic, docno: f"{topic}\t0\t{docno}\t-",
    "spaces": lambda topic, docno: f"  {topic}   {docno}  ",
    "comments": lambda topic, docno: f"# made by hand\n\n{topic} {docno}",
}


@pytest.mark.parametrize("write", COLUMNS.values(), ids=list(COLUMNS))
@pytest.mark.parametrize("form", ["plain", "gz", "twice", "backwards", "no final newline"])
def test_forms_of_the_pool_file(write: Callable[[str, str], str], form: str, tmp_path: Path) -> None:
    """Two, three or four columns; any order of lines, which may repeat; compressed or not."""
    lines = [write(topic, docno) for topic, docno in pooled()]
    if form == "twice":
        lines *= 2
    if form == "backwards":
        lines.reverse()
    data = ("\n".join(lines) + ("" if form == "no final newline" else "\n")).encode()
    (tmp_path / "pool").write_bytes(gzip.compress(data) if form == "gz" else data)
    assert run(*EVERYTHING, "--pool", tmp_path / "pool", QRELS, RUN) == run(*EVERYTHING, "--pool", POOL, QRELS, RUN)


def test_pool_from_standard_input() -> None:
    """Standard input may be the pool."""
    result = run_process([*EVERYTHING, "--pool", "-", QRELS, RUN], stdin=POOL.read_bytes())
    assert result.stdout == run(*EVERYTHING, "--pool", POOL, QRELS, RUN).stdout


@pytest.mark.parametrize(
    ("text", "line", "columns"),
    [
        ("301 A\n301 0 B\n", 2, "2 columns (topic, document), but the line has 3: '301 0 B'"),
        ("301 0 A\n\n301 B\n", 3, "3 columns (topic, ignored, document), but the line has 2: '301 B'"),
        (
            "301 0 A 1\n301 0 A 1 2\n",
            2,
            "4 columns (topic, ignored, document, ignored), but the line has 5: '301 0 A 1 2'",
        ),
        ("301\n", 1, "2 columns (topic, document), 3 or 4, but the line has 1: '301'"),
        ("# a b\na b c d e\n", 2, "2 columns (topic, document), 3 or 4, but the line has 5: 'a b c d e'"),
    ],
)
def test_malformed_pool(text: str, line: int, columns: str, tmp_path: Path) -> None:
    """The first line says how many columns there are; a line that has others is named."""
    (tmp_path / "pool").write_text(text)
    assert (
        refused("--pool", tmp_path / "pool", QRELS, RUN, status=2)
        == f"irevalx: {tmp_path / 'pool'}:{line}: expected a line of this pool with {columns}\n"
    )
    assert run("--pool", tmp_path / "none", QRELS, RUN).status == 2


def test_judged_documents_that_the_pool_lacks(tmp_path: Path) -> None:
    """They are in the pool all the same; the first is named and the others are counted. Pooled ones need no mention."""
    judged = [line.split() for line in QRELS.read_text().splitlines()]
    lacking = [docno for topic, _, docno, grade in judged if topic == "302" and int(grade) >= 0]
    negative = [docno for topic, _, docno, grade in judged if topic == "302" and int(grade) < 0]
    assert negative
    remaining = [(topic, docno) for topic, docno in pooled() if docno not in {*lacking, *negative} or topic != "302"]
    (tmp_path / "pool").write_text("".join(f"{topic} {docno}\n" for topic, docno in remaining))
    result = run(*EVERYTHING, "--pool", tmp_path / "pool", QRELS, RUN)
    assert result.stdout == run(*EVERYTHING, "--pool", POOL, QRELS, RUN).stdout
    assert (
        f"{tmp_path / 'pool'}: topic '302': judged document '{lacking[0]}' is missing from the pool and "
        f"is added to it ({len(lacking) - 1} more such documents)\n"
    ) in result.stderr
    assert "missing from the pool" not in run(*EVERYTHING, "--pool", POOL, QRELS, RUN).stderr


def test_topics_that_do_not_match(tmp_path: Path) -> None:
    """Topics of one file only are counted; those without judgments change nothing."""
    (tmp_path / "pool").write_text("302 A\n999 A\n998 B\n999 C\n")
    result = run("-c", *EVERYTHING, "--pool", tmp_path / "pool", QRELS, RUN)
    assert (
        f"irevalx: {tmp_path / 'pool'}: 4 of 5 topics of the judgments are not in the pool; for these, only the "
        "documents in the judgments are pooled; "
        "2 of 3 pooled topics have no judgments and are ignored\n"
    ) in result.stderr
    (tmp_path / "pool").write_text("302 A\n")
    assert result.stdout == run("-c", *EVERYTHING, "--pool", tmp_path / "pool", QRELS, RUN).stdout
    assert run("--quiet", *EVERYTHING, "--pool", tmp_path / "pool", QRELS, RUN).stderr == ""


TOPICS_AND_DOCNOS = st.tuples(st.sampled_from("123"), st.sampled_from("ABCDEFGH"))


@given(
    st.dictionaries(TOPICS_AND_DOCNOS, st.integers(-2, 2), min_size=1, max_size=12),
    st.lists(TOPICS_AND_DOCNOS, max_size=30),
)
def test_every_document_of_the_pool_stands_once(
    tmp_path_factory: pytest.TempPathFactory,
    judged: dict[tuple[str, str], int],
    pool: list[tuple[str, str]],
) -> None:
    """Judgments stay as they are, and what the pool adds has a negative grade, for judged topics only."""
    folder = tmp_path_factory.mktemp("pool")
    (folder / "qrels").write_text("".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in judged.items()))
    (folder / "pool").write_text("".join(f"{topic} {docno}\n" for topic, docno in pool))
    qrels = read_qrels(Source(str(folder / "qrels")), TREC_EVAL_10, False, print)
    both = with_pool(qrels, read_pool(Source(str(folder / "pool")), TREC_EVAL_10, False, print)) if pool else qrels
    topics = [both.topics[place] for place in both.rows.ids.tolist()]
    result = list(zip(topics, both.docnos.texts(), both.grades.tolist(), strict=True))
    known = {topic for topic, _ in judged}
    expected = {(topic, docno): -1 for topic, docno in pool if topic in known} | judged
    assert sorted(result) == sorted((t.encode(), d.encode(), grade) for (t, d), grade in expected.items())


# Readings


def rows(*args: str | Path) -> list[tuple[str, str]]:
    """Name and value of every line of the summary."""
    result = run(*args, QRELS, RUN)
    assert result.status == 0
    return [(name, value) for name, _, value in (line.split() for line in result.stdout.decode().splitlines())]


def test_readings_are_printed_side_by_side() -> None:
    """Each reading has a block of its own, in the order asked for; nonrel has the bare name."""
    skipped, plain = dict(rows("-J", "-m", "map", "-m", "P.5")), dict(rows("-m", "map", "-m", "P.5"))
    printed = rows("-m", "P.5:skip", "-m", "runid", "-m", "map", "-m", "map:skip", "-m", "P.5:nonrel")
    assert printed == [
        ("runid", "dense"),
        ("map:skip", skipped["map"]),
        ("P_5:skip", skipped["P_5"]),
        ("map", plain["map"]),
        ("P_5", plain["P_5"]),
    ]
    assert printed == rows("--unjudged", "skip,nonrel", "-m", "map", "-m", "P.5", "-m", "runid")


def test_several_readings_of_a_measure_that_lacks_some() -> None:
    """It is printed in those that it has, and the others are named."""
    example = FIXTURES / "example"
    done = run(
        "-m", "judged.5", "-m", "infAP", "--unjudged", "nonrel,skip,rel", example / "qrels", example / "bm25.run"
    )
    assert done.status == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == [b"judged_5", b"infAP", b"infAP:skip"]
    assert "irevalx: measures that do not support the treatment skip are omitted for it: judged\n" in done.stderr
    assert "irevalx: measures that do not support the treatment rel are omitted for it: judged, infAP\n" in done.stderr


def test_relevant_as_far_as_retrieved(tmp_path: Path) -> None:
    """Retrieved unjudged documents become relevant and R grows by them; those not retrieved do not count."""
    (tmp_path / "qrels").write_text("1 0 A 1\n1 0 B 0\n1 0 C -1\n1 0 D -1\n1 0 E 2\n2 0 A 1\n2 0 B 0\n")
    (tmp_path / "run").write_text("".join(f"1 Q0 {docno} 0 {-n} r\n" for n, docno in enumerate("XACB")))
    flags = ("-q", "-m", "P.2:rel", "-m", "num_rel:rel", "-m", "recall.4:rel", "-m", "num_rel_ret:rel", "-m", "P.2")
    result = run(*flags, tmp_path / "qrels", tmp_path / "run")
    values = [tuple(line.split()) for line in result.stdout.decode().splitlines()]
    assert values[:5] == [
        ("num_rel:rel", "1", "4"),
        ("num_rel_ret:rel", "1", "3"),
        ("P_2:rel", "1", "1.0000"),
        ("recall_4:rel", "1", "0.7500"),
        ("P_2", "1", "0.5000"),
    ]
    for compat in ("9", "10"):
        complete = run("-c", "--compat", compat, *flags[1:], tmp_path / "qrels", tmp_path / "run")
        assert [line.split()[2] for line in complete.stdout.splitlines()] == [
            b"5",
            b"3",
            b"0.5000",
            b"0.3750",
            b"0.2500",
        ]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ("-m", "judged:rel"),
            "measure judged does not support the treatment 'rel' of unjudged documents, only nonrel",
        ),
        (
            ("-m", "infAP:rel"),
            "measure infAP does not support the treatment 'rel' of unjudged documents, only nonrel or skip",
        ),
        (
            ("-m", "num_q:skip"),
            "measure num_q does not support the treatment 'skip' of unjudged documents, only nonrel",
        ),
        (
            ("-m", "judged", "--unjudged", "skip"),
            "measure judged does not support the treatment 'skip' of unjudged documents, only nonrel",
        ),
        (("-m", "map:all"), "unknown treatment 'all' in 'map:all' (unjudged documents): must be nonrel, skip or rel"),
        (("--unjudged", ""), "--unjudged '': must be nonrel, skip or rel"),
        (("-J", "-m", "map:nonrel"), "-J cannot be combined with --unjudged or with a treatment such as map:rel"),
        (("-J", "--unjudged", "skip"), "-J cannot be combined with --unjudged or with a treatment such as map:rel"),
        (("-m", "map:"), "unknown treatment '' in 'map:' (unjudged documents): must be nonrel, skip or rel"),
    ],
)
def test_readings_that_make_no_sense(flags: tuple[str, ...], message: str) -> None:
    """A measure without such a reading refuses it, and so does -J, which is a reading itself."""
    assert message in refused(*flags, QRELS, RUN)


def test_members_of_a_set_that_lack_a_reading_are_left_out_of_it() -> None:
    """A set in a reading holds the measures that have it; runid and num_q stand once."""
    names = [name for name, _ in rows("--unjudged", "rel,nonrel", "-m", "incomplete")]
    assert names[:2] == ["runid", "num_q"]
    assert {"map:rel", "P_10:rel", "judged_5", "infAP", "P_10"} <= set(names)
    assert not {"judged_5:rel", "infAP:rel", "runid:rel"} & set(names)
    assert len(names) == len(set(names))
    assert [name for name, _ in rows("-m", "set:skip")][:3] == ["runid", "num_q", "num_ret:skip"]


# Parameters


def test_parameters_of_the_measures_of_the_papers() -> None:
    """Options change what is printed under the bare name, parameters print their own, side by side."""
    given = ("--pool", POOL, "--infap-epsilon", "0.5")
    plain = dict(rows("-m", "infAP", "-m", "subAP", *given))
    assert dict(rows("-m", "infAP", "--infap-c", "2", *given)) == {"infAP": plain["infAP"]}
    smooth = dict(rows("-m", "infAP", "--infap-c", "2", "--infap-epsilon", "1e-5", "--pool", POOL))
    assert smooth == dict(rows("-m", "infAP", "--pool", POOL)) != {"infAP": plain["infAP"]}
    several = rows("-m", "infAP.c=1.5", "-m", "infAP", "-m", "subAP.p=0.25", "-m", "infAP.c=1", "-m", "subAP", *given)
    assert [name for name, _ in several] == ["subAP_p=0.25", "subAP", "infAP_c=1.5", "infAP", "infAP_c=1"]
    values = dict(several)
    assert values["infAP"] == plain["infAP"] != values["infAP_c=1.5"]
    assert dict(rows("-m", "infAP", "--infap-c", "1.5", *given))["infAP"] == values["infAP_c=1.5"]
    assert dict(rows("-m", "subAP", "--sample-rate", "0.25", *given))["subAP"] == values["subAP_p=0.25"]
    both = dict(rows("-m", "infAP.c=1.5", "-m", "infAP.c=1.5,epsilon=.1", "--infap-epsilon", "0.1", "--pool", POOL))
    assert both["infAP_c=1.5"] == both["infAP_c=1.5,epsilon=.1"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--infap-c", "0.99"), "--infap-c 0.99: must be a number of at least 1"),
        (("--infap-c", "nan"), "--infap-c nan: must be a number of at least 1"),
        (("--infap-epsilon", "0"), "--infap-epsilon 0: must be a number above 0"),
        (("--sample-rate", "0"), "--sample-rate 0: must be a number above 0 and at most 1"),
        (("--sample-rate", "1.5"), "--sample-rate 1.5: must be a number above 0 and at most 1"),
        (("--sample-rate", "10%"), "--sample-rate 10%: must be a number above 0 and at most 1"),
        (("-m", "infAP.c=0"), "invalid parameter c=0 of infAP: must be a number of at least 1"),
        (("-m", "infAP.2"), "invalid parameters '2' of infAP: must be c=C,epsilon=EPSILON, each at most once"),
        (
            ("-m", "infAP.c=1,c=2"),
            "invalid parameters 'c=1,c=2' of infAP: must be c=C,epsilon=EPSILON, each at most once",
        ),
        (("-m", "subAP.c=1"), "invalid parameters 'c=1' of subAP: must be p=P, each at most once"),
        (("-m", "subAP.p=2"), "invalid parameter p=2 of subAP: must be a number above 0 and at most 1"),
    ],
)
def test_parameters_out_of_bounds(flags: tuple[str, ...], message: str) -> None:
    """The constant c is at least 1, epsilon above 0, a rate above 0 and at most 1; all else is an error of usage."""
    assert message in refused(*flags, QRELS, RUN)


# Sets


def test_measures_of_irevalx_are_in_none_of_trec_evals_sets() -> None:
    """What trec_eval does not know is printed on request only."""
    own = {"judged", "indAP", "subAP", "bpref_10", "RankEff"}
    own |= {name for name, measure in BY_NAME.items() if measure.formats == {"sampled"}}
    for nickname in ("official", "set", "all_trec"):
        assert not own & set(NICKNAMES[nickname])
    printed = {name.partition("_")[0] for name, _ in rows("-m", "all")}
    assert {"judged", "indAP", "subAP", "bpref", "RankEff", "ndcg", "rbp"} <= printed
    assert "xinfAP" not in printed


def test_all_leaves_out_what_another_format_needs() -> None:
    """The set all is all that the format of the judgments allows; an explicit measure beside it is still an error."""
    assert run("-m", "all", "-R", "sampled", EXAMPLE / "sampled.qrels", RUN).status == 0
    assert run("-m", "all", "-m", "xinfAP", QRELS, RUN).status == 4


# Warnings


def test_warnings_that_protect(tmp_path: Path) -> None:
    """Little judged at the top, and topics without judged nonrelevant documents, are said once; --quiet silences it."""
    (tmp_path / "qrels").write_text("1 0 A 1\n1 0 B 0\n2 0 A 1\n3 0 A 1\n")
    for name in ("one", "two"):
        (tmp_path / name).write_text("".join(f"{t} Q0 {d} 0 {ord(d)} {name}\n" for t in "12" for d in "ABCDEFGHIJK"))
    command: list[str | Path] = ["-c", "-M", "11", tmp_path / "qrels", tmp_path / "one", tmp_path / "two"]
    result = run(*command)
    without = (
        f"irevalx: {tmp_path / 'qrels'}: 2 of 3 topics have no document judged nonrelevant; measures that compare "
        "relevant with nonrelevant documents (bpref, RankEff) are not informative for such topics"
    )
    little = "of the documents that the run ranks among the first 10 of a topic were judged; most measures are not reliable for it"
    # Of twenty documents one was judged: A stands eleventh. What stands in for topic 3 does not count.
    both = " (2 runs have such a warning; this is the first)"
    assert result.stderr.splitlines() == [
        without,
        f"irevalx: {tmp_path / 'one'}: 1 of 3 judged topics without results count as 0{both}",
        f"irevalx: {tmp_path / 'one'}: only 5% {little}{both}",
    ]
    assert run(*command[:-1]).stderr.splitlines() == [line.removesuffix(both) for line in result.stderr.splitlines()]
    assert run("--quiet", *command) == type(result)(result.status, result.stdout, "")
    assert without not in run("-m", "P", *command).stderr
    assert without not in run("-l", "0", *command).stderr
    assert "were judged" not in run("-m", "num_q", *command).stderr
    assert f"only 5% {little}" in run("-J", *command).stderr
    assert run("-D", "0.1", *command).stderr.splitlines() == [f"irevalx: {tmp_path / 'one'}: only 10% {little}{both}"]
    assert "1 of 1 topics has no document judged nonrelevant" in run("-D", "0.2", *command).stderr
    # Half of what was looked at is enough.
    (tmp_path / "qrels").write_text("1 0 K 1\n1 0 J 0\n2 0 K 1\n2 0 H 0\n")
    assert run("-M", "4", *command[3:]).stderr == ""
    assert f"only 40% {little}" in run("-M", "5", *command[3:]).stderr


# Sets beside each other


@pytest.mark.parametrize("first", ["official", "all", "P", "incomplete"])
def test_sets_do_not_take_parameters_from_each_other(first: str) -> None:
    """In whatever order sets and measures are asked for, all are printed as each of them has them."""
    names = {name for name, _ in rows("-m", first)} | {name for name, _ in rows("-m", "incomplete")}
    assert {name for name, _ in rows("-m", first, "-m", "incomplete")} == names
    assert {name for name, _ in rows("-m", "incomplete", "-m", first)} == names
    assert "P_5" not in dict(rows("-m", "P.100", "-m", "incomplete"))


def test_the_set_for_incomplete_judgments_under_other_readings() -> None:
    """With -J, or a reading for the whole set, its own condensed lists would stand there twice."""
    condensed = [name for name, _ in rows("-J", "-m", "incomplete")]
    assert not [name for name in condensed if ":" in name]
    assert {"judged_5", "P_5", "RankEff"} <= set(condensed)
    assert {name for name, _ in rows("-m", "incomplete:rel")} == {
        "runid", "num_q", "num_rel:rel", "num_rel_ret:rel", "map:rel", *(f"P_{k}:rel" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000))
    }  # fmt: skip


def test_order_of_readings() -> None:
    """Blocks come as listed, whatever comes first among the measures; runid and num_q stand before all of them."""
    for flags in (("-m", "runid", "-m", "map"), ("-m", "map", "-m", "runid")):
        assert [name for name, _ in rows("--unjudged", "skip,nonrel", *flags)] == ["runid", "map:skip", "map"]
    names = [name for name, _ in rows("--unjudged", "rel,nonrel")]
    assert names.index("map:rel") < names.index("map")


def test_nicknames_of_irevalx_are_listed_as_they_are_printed() -> None:
    """The manual shows the members of incomplete in the order in which they are printed."""
    order = list(BY_NAME)
    members = [member for member in NICKNAMES["incomplete"] if ":" not in member]
    assert members == sorted(members, key=order.index)


def test_topics_without_relevant_documents(tmp_path: Path) -> None:
    """They are counted where the level was raised, by -l or by a measure, once for each level; otherwise it is no news."""
    grades = {"1": 1, "2": 2, "3": 1, "4": 3}
    (tmp_path / "qrels").write_text("".join(f"{t} 0 A {grade}\n{t} 0 B 0\n" for t, grade in grades.items()))
    for name in ("one", "two"):
        (tmp_path / name).write_text("".join(f"{t} Q0 A 1 1 {name}\n" for t in grades))
    files: list[str | Path] = [tmp_path / "qrels", tmp_path / "one", tmp_path / "two"]
    message = f"irevalx: {tmp_path / 'qrels'}: 2 of 4 topics have no relevant document at level 2 ("
    rest = "); measures such as {} are 0 for such topics\n"
    assert run("-m", "P.1", *files).stderr == ""
    assert run("-m", "num_ret", "-l", "1", *files).stderr == ""
    no_effect = "irevalx: -l 2 has no effect, because no requested measure uses the relevance level\n"
    assert run("-m", "ndcg", "-l", "2", *files).stderr == no_effect
    assert run("-m", "num_rel", "-m", "P.1", "-l", "2", *files).stderr == f"{message}-l{rest.format('P')}"
    [*values] = run("-q", "-m", "P.1", "-l", "2", *files[:2]).stdout.decode().split()[2::3]
    assert sum(float(value) == 0 for value in values[:-1]) == 2
    by_measure = run("-m", "AP(rel=2)", "-m", "P.1", *files).stderr
    assert by_measure == f"{message}map(rel=2){rest.format('map')}"
    assert "1 of 1 topics has no" not in by_measure
    assert "3 of 4 topics have" in run("-m", "map", "-l", "3", *files).stderr
    assert "level 2 (level)" in warned_of(tmp_path, level=2)
    message = lab("compare", "-m", "map", "-l", "2", *files).stderr
    assert "2 of 4 topics have no relevant document at level 2 (-l)" in message


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("map", "at level 1 (-l); measures such as map"),
        ("official", "at level 1 (-l); measures such as map"),
        ("num_rel", "at level 1 (-l); measures such as num_rel"),
        ("ndcg", "(grades of at least 1); measures such as ndcg"),
        ("rbp.p=0.5", "(grades of at least 1); measures such as rbp"),
    ],
)
def test_nothing_relevant_without_a_level(measure: str, words: str, tmp_path: Path) -> None:
    """If half of the topics or more have no relevant document, a line says so, in Python too; otherwise it is no news."""
    (tmp_path / "run").write_text("".join(f"{topic} Q0 A 1 1 r\n" for topic in range(1, 5)))
    for n_relevant, n_topics in ((0, 2), (1, 3), (2, 4), (3, 4)):
        grades = [int(topic < n_relevant) for topic in range(n_topics)]
        lines = [f"{topic} 0 A {grade}\n{topic} 0 B 0\n" for topic, grade in enumerate(grades, start=1)]
        (tmp_path / "qrels").write_text("".join(lines))
        message = f"{tmp_path / 'qrels'}: {n_topics - n_relevant} of {n_topics} topics have no relevant document {words} are 0"
        messages = [
            line
            for line in run("-m", measure, tmp_path / "qrels", tmp_path / "run").stderr.splitlines()
            if "0 for" in line
        ]
        assert messages == [f"irevalx: {message} for such topics"] * (n_relevant < 3)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            irevalx.evaluate(tmp_path / "qrels", tmp_path / "run", measure)
        in_python = [str(warning.message) for warning in heard if "0 for" in str(warning.message)]
        assert in_python == [f"{message.replace('(-l)', '(level)')} for such topics"] * (n_relevant < 3)
    assert "relevant" not in run("-m", "num_q", "-m", "unj.5", tmp_path / "qrels", tmp_path / "run").stderr


def warned_of(folder: Path, level: int) -> str:
    """What Python warns of."""
    with pytest.warns(irevalx.IrevalxWarning) as heard:
        irevalx.evaluate(folder / "qrels", folder / "one", "map", level=level)
    return "\n".join(str(warning.message) for warning in heard)


@pytest.mark.parametrize("flags", [(), ("-m", "all_trec")])
def test_no_warning_about_levels_on_ordinary_files(flags: tuple[str, ...], tmp_path: Path) -> None:
    """Nothing is said of levels that nobody raised: on the fixtures, and in BEIR's layout."""
    rows = [line.split() for line in QRELS.read_text().splitlines()]
    beir = tmp_path / "test.tsv"
    beir.write_text("query-id\tcorpus-id\tscore\n" + "".join(f"{t}\t{d}\t1\n" for t, _, d, _ in rows))
    calls: list[list[str | Path]] = [[QRELS, RUN], ["-R", "beir", beir, RUN]]
    for call in calls:
        assert "no relevant document" not in run(*flags, *call).stderr


@pytest.mark.parametrize("flags", [(), ("-m", "all_trec")])
def test_no_warning_about_levels_on_collections(flags: tuple[str, ...], collection: Path) -> None:
    """Nor on real collections."""
    done = run(*flags, collection / "qrels.gz", min((collection / "runs").iterdir()))
    assert "no relevant document" not in done.stderr
