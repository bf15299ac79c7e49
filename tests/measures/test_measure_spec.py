"""Names of measures: notation, lists, names of other programs, and what is refused."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from references.judges import judge
from running import FIXTURES, lab_rows, run

import irevalx
from irevalx.errors import ParameterError, UnknownMeasureError, UsageError
from irevalx.experiments.ranked_runs import requests_of
from irevalx.measures import BY_NAME, MEASURES
from irevalx.measures.foreign_requests import NEAREST, OTHER_NAMES, NearestMeasure
from irevalx.measures.requests import measures_in
from irevalx.measures.selection import parse_request, requested_measure, select_measures, split_requests
from irevalx.settings import Settings
from irevalx.trec_eval import TREC_EVAL_9, TREC_EVAL_10

EXAMPLE = FIXTURES / "example"
FILES = (EXAMPLE / "qrels", EXAMPLE / "bm25.run")


def printed(*texts: str, **settings: object) -> list[str]:
    """Return the names that values are printed under."""
    chosen = select_measures(texts, Settings.of(**settings))
    return [name for selected in chosen.measures for name in selected.names]


def asked(*texts: str, **settings: object) -> dict[str, str]:
    """Return what values are called as they were asked for, each with the name that it is printed under."""
    return select_measures(texts, Settings.of(**settings)).requested


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AP(rel=2)", ["map(rel=2)"]),
        ("P(rel=2)@10", ["P_10(rel=2)"]),
        ("P(judged_only=True)@10", ["P_10:skip"]),
        ("P(judged_only=True,rel=2)@5,10", ["P_5(rel=2):skip", "P_10(rel=2):skip"]),
        ("P(rel=1)@10", ["P_10"]),
        ("P( rel = 2 )@10", ["P_10(rel=2)"]),
        ("AP(cutoff=10)", ["map_cut_10"]),
        ("AP()", ["map"]),
        ("IPrec@0.1", ["iprec_at_recall_0.10"]),
        ("IPrec(recall=0.1,rel=-1)", ["iprec_at_recall_0.10(rel=-1)"]),
        ("SetP(relative=True)", ["set_relative_P"]),
        ("SetF(beta=0.5)", ["set_F_0.5"]),
        ("SetF(beta=1.)", ["set_F"]),
        ("NumRet(rel=2)", ["num_rel_ret(rel=2)"]),
        ("nDCG(gains={1:3,2:9})", ["ndcg_1=3,2=9"]),
        ("nDCG(gains={0:.5,1:3.})", ["ndcg_0=.5,1=3."]),
        ("nDCG(gains={1:3})@10,5", ["ndcg_cut_5(gains={1:3})", "ndcg_cut_10(gains={1:3})"]),
        ("ndcg_cut_5(gains={1:3})", ["ndcg_cut_5(gains={1:3})"]),
        ("nDCG(dcg='log2')@20", ["ndcg_cut_20"]),
        ('nDCG(dcg="log2",judged_only=True)', ["ndcg:skip"]),
        ("map@100-l2", ["map_cut_100(rel=2)"]),
        ("mrr-l3", ["recip_rank(rel=3)"]),
        ("P10", ["P_10"]),
        ("R5", ["recall_5"]),
        ("mrr_10", ["recip_rank_cut_10"]),
        ("NDCG_cut_10", ["ndcg_cut_10"]),
        ("ndcg_10:skip", ["ndcg_cut_10:skip"]),
        ("recall_cap@2", ["relative_P_2"]),
        ("ircl_prn.0.10", ["iprec_at_recall_0.10"]),
        ("RBP(p=0.8)", ["rbp_p=0.8"]),
        ("ERR(max=5)@20", ["ERR_20_max=5"]),
        ("ndcg_at_10", ["ndcg_cut_10"]),
        ("P(judged_only=False)@5", ["P_5"]),
        # What is printed may be asked for.
        ("map(rel=2)", ["map(rel=2)"]),
        ("P_10(rel=2):skip", ["P_10(rel=2):skip"]),
        ("infAP_c=4(rel=2)", ["infAP_c=4(rel=2)"]),
        ("recip_rank_cut_10(rel=2)", ["recip_rank_cut_10(rel=2)"]),
    ],
)
def test_notation(text: str, names: list[str]) -> None:
    """Level, cutoff and reading belong to the one measure, and stand after its name."""
    assert printed(text) == names


def test_a_level_of_its_own_stands_after_the_plain_measure() -> None:
    """The lowest level first; the level of -l is none of its own, and one that differs from it is."""
    texts = ("P@5", "AP(rel=3)", "AP(rel=2)", "AP", "P(rel=2)@5", "AP(rel=-1)")
    assert printed(*texts) == ["map", "map(rel=-1)", "map(rel=2)", "map(rel=3)", "P_5", "P_5(rel=2)"]
    assert printed(*texts, level=2) == ["map", "map(rel=-1)", "map(rel=3)", "P_5"]
    assert printed("AP(rel=1)", level=2) == ["map(rel=1)"]


def test_cutoffs_of_a_level_add_up() -> None:
    """Cutoffs after @ add to those of the same level and reading, however they are spelt."""
    assert printed("P@5", "P(rel=2)@10", "P(rel=2)@5", "P@005") == ["P_5", "P_5(rel=2)", "P_10(rel=2)"]
    assert printed("IPrec@0.5", "IPrec@.1", "IPrec@0.10") == ["iprec_at_recall_0.10", "iprec_at_recall_0.50"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AP(2)", "arguments have the form NAME(name=value,...)"),
        ("AP(rel=2,rel=3)", "each at most once"),
        ("AP(rel=2,)", "arguments have the form NAME(name=value,...)"),
        ("AP(cutoff=5)@10", "each at most once"),
        ("AP(rel=two)", "invalid measure 'AP(rel=two)': invalid 'rel=two'; parameters of AP: rel=N, judged_only=True"),
        (
            "AP(rel=2.0)",
            "invalid level in 'AP(rel=2.0)': must be an integer; fractional levels require grades=\"real\"",
        ),
        ("AP(level=2)", "AP has no parameter 'level'"),
        ("AP(judged_only=yes)", "invalid 'judged_only=yes'"),
        (
            "nDCG(rel=2)@5",
            "nDCG has no parameter 'rel'; parameters of nDCG: judged_only=True, gains={N:X,...}, dcg='log2'",
        ),
        ("nDCG(rel=2)", "; measures with a relevance level, such as P, R and AP, have the parameter rel"),
        ("nDCG(dcg='exp-log2')", "dcg='exp-log2' requires a cutoff, as in nDCG(dcg='exp-log2')@20"),
        ("P(gains={1:3})@10", "; gains by grade are for ndcg, with or without a cutoff"),
        ("nDCG(gains={-1:3})", "invalid 'gains={-1:3}'"),
        ("ndcg.1=3(gains={1:4})", "invalid 'gains={1:4}'"),
        ("SetF(beta=x)", "parameters of SetF: rel=N, judged_only=True, beta=X"),
        ("SetP(relative=1)", "invalid 'relative=1'"),
        ("NumQ(rel=2)", "NumQ has no parameter 'rel'; parameters of NumQ: none; measures with"),
        ("official(rel=2)", "official has no parameter 'rel'; parameters of official: judged_only=True"),
        ("Judged(judged_only=True)@10", "parameters of Judged: none"),
        ("RBP(p=x)", "the nearest is rbp.p=0.8: p is 0.9 unless given"),
        ("P(judged_only=True)@10:rel", "only one treatment of unjudged documents is possible"),
    ],
)
def test_arguments_that_make_no_sense(text: str, message: str) -> None:
    """What a measure may have in brackets is said, and what comes nearest."""
    with pytest.raises(UsageError, match=re.escape(message)):
        select_measures((text,), Settings())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Hit@3",
            "unknown measure 'Hit@3'; the nearest is success.3: 1 where a relevant document is among the first 3, otherwise 0",
        ),
        ("hits@5", "the nearest is P.5: the relevant documents among the first 5, divided by 5"),
        ("F1@10", "the nearest is set_F: F1 of all retrieved documents; with -M 10 of the first 10"),
        ("accuracy", "the nearest is success.10: 1 where a relevant document is among the first 10, as in BEIR"),
        ("Hole@10", "the nearest is unj.10"),
        (
            "dcg@10",
            "unknown measure 'dcg@10'; dcg has no cutoff, but -M 10 evaluates the first 10 documents of each topic",
        ),
        ("bpref_at_5", "bpref has no cutoff, but -M 5"),
        ("SetP@10", "set_P has no cutoff"),
        ("R", "unknown measure 'R'; a cutoff is required, as in R@10"),
        ("IPrec", "a cutoff is required, as in IPrec@0.1"),
        ("mrr@k", "unknown measure 'mrr@k'; a cutoff is required, as in mrr@10"),
        ("P@0.5", "a cutoff is required, as in P@10"),
        ("recal@10", "did you mean recall"),
        ("P(rel=2", "unknown measure 'P(rel=2'"),
        ("INSQ(max_rel=3)", "the nearest is rbp.p=0.8"),
    ],
)
def test_unknown_measures_say_what_to_type(text: str, message: str) -> None:
    """What people ask for that irevalx has not, or not so, ends with status 1 and a name that irevalx has."""
    done = run("-m", text, *FILES)
    assert (done.stdout, done.status) == (b"", 1)
    assert done.stderr.startswith("irevalx: unknown measure ")
    assert message in done.stderr


@pytest.mark.parametrize("nearest", NEAREST, ids=lambda nearest: nearest.name)
def test_the_nearest_measures_exist(nearest: NearestMeasure) -> None:
    """What comes nearest is a measure, and what it is nearest to is none."""
    assert parse_request(nearest.measure.format(k=10), TREC_EVAL_10).name in BY_NAME
    assert nearest.name not in BY_NAME
    assert "{k}" not in nearest.difference.format(k=10)


def test_unknown_columns_need_no_similar_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Similar names are searched for only if an error displays them."""
    monkeypatch.setattr("difflib.get_close_matches", lambda *args, **options: pytest.fail("a search"))
    assert [requested_measure(name) for name in ("recal", "my_score@10", "P(rel=2) @ 5x")] == [None] * 3
    assert requested_measure("P(rel=2) @ 5") is not None


def test_other_names_are_those_of_measures() -> None:
    """Each other name stands for a measure that exists, and in any case."""
    for other in OTHER_NAMES:
        assert {other.alone, other.at} <= {"", *BY_NAME}
        for spelling in (other.name, other.name.lower(), other.name.upper()):
            if other.alone:
                assert (
                    parse_request(spelling if other.name not in BY_NAME else other.name, TREC_EVAL_10).name
                    == other.alone
                )
            if other.at:
                assert parse_request(f"{spelling}@5", TREC_EVAL_10).name == other.at
                assert parse_request(f"{spelling}_at_5", TREC_EVAL_10).name == other.at


def test_names_of_measures_that_a_version_lacks() -> None:
    """The error says so, whatever the name was."""
    for text, name in (("unj@5", "unj"), ("RBP", "rbp"), ("DCG", "dcg")):
        with pytest.raises(UsageError, match=f"the measure '{name}' does not exist in trec_eval 9.0.8"):
            parse_request(text, TREC_EVAL_9)


def test_what_may_be_meant() -> None:
    """Parameters of a measure that takes none, or others, name the one that has cutoffs; the values stay."""
    plain = run("--quiet", "-m", "recip_rank", *FILES)
    done = run("-m", "recip_rank.10", *FILES)
    assert done.stdout == plain.stdout
    assert (
        "irevalx: the parameters '10' of recip_rank are ignored: the measure has no parameters; recip_rank_cut.10 may be meant\n"
        in done.stderr
    )
    assert "; map_cut.5,10 may be meant" in run("-m", "map.5,10", *FILES).stderr
    assert "may be meant" not in run("-m", "Rprec.10", "-m", "map.x", *FILES).stderr
    assert "; ndcg_cut.10 may be meant\n" in run("-m", "ndcg.10", *FILES).stderr


def test_a_reading_in_brackets_excludes_the_option(tmp_path: Path) -> None:
    """As NAME:skip it must not stand beside -J; gains, which have colons too, may."""
    assert run("-J", "-m", "P(judged_only=True)@5", *FILES).status == 1
    assert run("-J", "-m", "nDCG(gains={1:3})", *FILES).status == 0
    assert run("-R", "sampled", "-m", "P(judged_only=True)@5", *FILES).status == 1


def test_asked_names() -> None:
    """Names and order as they were asked for; one that was asked for twice is there once."""
    texts = ("nDCG@10", "AP(rel=2)", "AP", "map", "P@5,10", "P(judged_only=True)@10", "IPrec@0.1", "P.20", "AP")
    assert list(asked(*texts).items()) == [
        ("nDCG@10", "ndcg_cut_10"),
        ("AP(rel=2)", "map(rel=2)"),
        ("AP", "map"),
        ("map", "map"),
        ("P@5", "P_5"),
        ("P@10", "P_10"),
        ("P(judged_only=True)@10", "P_10:skip"),
        ("IPrec@0.1", "iprec_at_recall_0.10"),
        ("P.20", "P_20"),
    ]


def test_asked_names_of_several_values() -> None:
    """Each cutoff of a list is asked for; what has no list, and members of sets, keep the names of trec_eval."""
    assert list(asked("recall.10,5")) == ["recall.10", "recall.5"]
    assert list(asked("P(rel=2)@10,5:skip")) == ["P(rel=2)@10:skip", "P(rel=2)@5:skip"]
    assert list(asked("Success", "AP")) == ["success_1", "success_5", "success_10", "AP"]
    assert list(asked("AP", "set")) == ["AP", *printed("set")]
    assert list(asked("MAP", "P@5,10", unjudged=("nonrel", "skip"))) == [
        *("MAP", "MAP:skip", "P@5", "P@10", "P@5:skip", "P@10:skip")
    ]
    assert list(asked("P@5", judged_only=True)) == ["P@5"]
    assert list(asked("recip_rank.10", "P.5", "P.10", "ndcg", "ndcg.1=5")) == [
        *("recip_rank", "P.5", "P.10", "ndcg", "ndcg.1=5")
    ]
    assert list(asked("infAP", "infAP.c=4", "set_F.2", "utility")) == ["infAP", "infAP.c=4", "set_F.2", "utility"]


def test_everything_printed_has_been_asked_for() -> None:
    """Whatever is asked for, nothing that trec_eval's way prints is lost in the other."""
    for texts in (("all",), ("official", "P.5"), ("P", "P@7"), *((measure.name,) for measure in MEASURES)):
        assert set(asked(*texts).values()) == set(printed(*texts)), texts


COLLIDING = (
    ("ndcg.1=1,2=10", "ndcg"),
    ("rbp.p=0.5", "rbp.p=0.8", "rbp"),
    ("P.5", "P.10", "P@7", "P@5"),
    ("P.3", "P"),
    ("set_F", "SetF(beta=0.5)"),
    ("utility.1,-1,0,0", "utility"),
    ("ERR.20,max=5", "ERR(max=5)@10", "ERR@10", "ERR(max=4)@10"),
    ("iprec_at_recall.0.251", "iprec_at_recall@0.254"),
    ("official", "P.3"),
)
"""Requests for the same measure with different parameters, of which trec_eval prints only a part."""


@pytest.mark.parametrize("names", ["trec_eval", "asked"])
@pytest.mark.parametrize("texts", COLLIDING)
def test_every_requested_measure_is_in_the_result(texts: tuple[str, ...], names: str) -> None:
    """Together, measures have the values that they have alone, under the requested spelling; no name is lost."""
    # Recall 0.25 is reached at a lower rank than recall 0.254, so that the two measures of recall levels differ.
    documents = [f"d{number:03}" for number in range(400)]
    qrels = {"1": {name: 1 + (place % 3 == 0) for place, name in enumerate(documents)} | {"n": 0}}
    results = {"1": {f"{'x' * (place > 100)}{name}": -float(place) for place, name in enumerate(documents)}}
    together = irevalx.evaluate(qrels, results, texts, names=names)
    for text in texts:
        alone = irevalx.evaluate(qrels, results, text)
        if len(alone.measures) == 1:
            assert together[text] == alone[alone.measures[0]]
            assert together.per_topic(text).tolist() == alone.per_topic(text).tolist()
        else:
            assert [together[name] for name in alone.measures] == [alone[name] for name in alone.measures]
    assert len(set(together.measures)) == len(together.measures)
    assert set(together.measures) == set(together.to_dict()["run"]["all"]) - {"runid"}


def test_names_change_only_where_two_are_equal() -> None:
    """Recall levels have all digits in the names of levels whose first two digits are equal, and only in those."""
    assert printed("iprec_at_recall.0.251") == ["iprec_at_recall_0.25"]
    assert printed("iprec_at_recall.0.251,0.5", "iprec_at_recall@0.254") == [
        *("iprec_at_recall_0.251", "iprec_at_recall_0.254", "iprec_at_recall_0.50")
    ]
    assert printed("P@20,5", "P.5,10") == ["P_5", "P_10", "P_20"]
    with pytest.raises(ParameterError, match="the cutoff 5 occurs twice"):
        printed("P.5,5")


@pytest.mark.parametrize(
    ("requests", "line"),
    [
        (("rbp", "rbp.p=0.95"), "rbp.p=0.95 (not rbp)"),
        (("ndcg.1=1,2=10", "ndcg", "P.5", "P.10"), "ndcg.1=1,2=10 (not ndcg) and P.5 (not P.10)"),
        (("SetF", "SetF(beta=0.5)", "SetF(beta=0.25)"), "SetF(beta=0.5) (not SetF, SetF(beta=0.25))"),
        (("P", "P@5"), "P@5 (not P)"),
        (("official", "P.3"), "P.3 (not P)"),
    ],
)
def test_one_line_names_what_is_merged(requests: tuple[str, ...], line: str) -> None:
    """The three columns merge like trec_eval, with one line; its remedy and the other formats print everything."""
    options = [word for text in requests for word in ("-m", text)]
    done = run(*options, *FILES)
    merged = f"irevalx: like in trec_eval, only the first parameters of a measure are used: {line}; "
    assert [each for each in done.stderr.splitlines() if "parameters" in each] == [f"{merged}--names asked prints all"]
    for way in (("--names", "asked"), ("--format", "csv"), ("--format", "csv", "--names", "asked")):
        every = run(*way, *options, *FILES)
        assert "parameters" not in every.stderr
        assert every.stdout.count(b"all") > done.stdout.count(b"all") >= 1


@pytest.mark.judges
@pytest.mark.parametrize("texts", [("nDCG", "nDCG(gains={1:3,2:9})"), ("SetF", "SetF(beta=0.5)")])
def test_measures_that_ir_measures_prints_side_by_side(texts: tuple[str, str]) -> None:
    """With --names asked, all of them are printed, with the values of ir_measures."""
    program = judge("ir_measures")
    with FILES[0].open() as judged, FILES[1].open() as ranked:
        qrels, results = irevalx.parse_qrel(judged), irevalx.parse_run(ranked)
    # Each measure has a call of its own, because ir_measures 0.4.3 exchanges the values of nDCG and nDCG(gains=...).
    expected = {}
    for text in texts:
        measure = program.parse_measure(text)
        expected[text] = f"{program.calc_aggregate([measure], qrels, results)[measure]:.4f}"
    done = run("-c", "--names", "asked", *[word for text in texts for word in ("-m", text)], *FILES)
    rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert {name.strip(): value for name, _, value in rows} == expected


def test_gains_at_a_cutoff() -> None:
    """They are those of ndcg for the ranking and for the best possible one, side by side with the grades themselves."""
    requests = ("-m", "nDCG(gains={1:3,2:1})@2", "-m", "nDCG@2", "-m", "nDCG(gains={1:3,2:1})")
    result = run("--format", "json", *requests, *FILES).stdout
    qrels = {"1": {"A": 2, "B": 1, "C": 1}}
    scores = irevalx.evaluate(qrels, {"1": {"A": 3.0, "D": 2.0, "B": 1.0}}, ["nDCG(gains={1:3,2:1})@2", "nDCG@2"])
    discount = 1 / math.log2(3)
    assert scores["ndcg_cut_2(gains={1:3,2:1})"] == pytest.approx(1 / (3 + 3 * discount), abs=1e-12)
    assert scores["ndcg_cut_2"] == pytest.approx(2 / (2 + discount), abs=1e-12)
    assert b"ndcg_cut_2(gains={1:3,2:1})" in result


def test_gains_among_cutoffs() -> None:
    """They are cutoffs, as trec_eval reads them, and the message names what takes gains; the lab refuses them."""
    result = run("-m", "ndcg_cut.20,2=1", *FILES)
    assert [line.split()[0] for line in result.stdout.decode().splitlines()] == ["ndcg_cut_2", "ndcg_cut_20"]
    assert (
        "invalid parameter '2=1' of ndcg_cut (not a plain number), read as 2, like trec_eval; 'nDCG(gains={2:1})@20' accepts gains"
        in result.stderr
    )
    with pytest.raises(
        ParameterError,
        match=r"invalid parameter '2=1' of ndcg_cut \(not a plain number\); 'nDCG\(gains=\{2:1\}\)@20' accepts gains",
    ):
        requests_of(["ndcg_cut.20,2=1"])


def test_the_lab_keeps_measures_with_equal_names_apart() -> None:
    """Two recall levels have different names; a measure that is requested twice is an error, in any spelling."""
    levels = requests_of(["iprec_at_recall.0.251", "map", "iprec_at_recall@0.254", "ndcg", "ndcg.1=5"])
    assert [name for request in levels for name in request.names] == [
        *("iprec_at_recall_0.251", "map", "iprec_at_recall_0.254", "ndcg", "ndcg_1=5")
    ]
    with pytest.raises(UsageError, match="measure 'P_5' is requested twice"):
        requests_of(["P.5", "P@5"])


@pytest.mark.parametrize("text", ["bpref10", "P0", "Rprec10", "map0.5", "recall_x", "11pt10", "RBP(p=0.8,p=0.9)"])
def test_numbers_behind_names_are_not_guessed(text: str) -> None:
    """Only a measure that has cutoffs takes one, and only a whole number from 1 up."""
    with pytest.raises((UsageError, ParameterError)):
        printed(text)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["map P.10"], ("map", "P.10")),
        (["map,P.10"], ("map", "P.10")),
        ([" map,  P.5,10 , nDCG@3 "], ("map", "P.5,10", "nDCG@3")),
        (["map:skip P.10", "ndcg"], ("map:skip", "P.10", "ndcg")),
        (["nDCG(gains={1:3,2:9})@20,map"], ("nDCG(gains={1:3,2:9})@20", "map")),
        (["P.5,10"], ("P.5,10",)),  # one measure for trec_eval
        (["P.5 10"], ("P.5 10",)),
        (["P.5 map"], ("P.5 map",)),  # of which trec_eval reads P_5
        (["P.5,map"], ("P.5", "map")),  # which trec_eval refuses
        (["alpha_nDCG.5,alpha=0.3 map"], ("alpha_nDCG.5,alpha=0.3", "map")),
        (["no such measure", ""], ("no such measure", "")),
        (["ndcg.1=3,2=9"], ("ndcg.1=3,2=9",)),
    ],
)
def test_lists_in_one_text(texts: list[str], expected: tuple[str, ...]) -> None:
    """White space and commas divide measures where the whole is none."""
    assert split_requests(texts, TREC_EVAL_10) == expected


def test_one_measure_is_not_selected_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that contain no separator are not measures of a list, so that small evaluations stay fast."""
    monkeypatch.setattr("irevalx.measures.selection.select_measures", None)
    assert split_requests(["map", "P.5,10", "nDCG@10"], TREC_EVAL_10) == ("map", "P.5,10", "nDCG@10")


def test_lists_with_a_part_that_nobody_knows() -> None:
    """The part is named."""
    with pytest.raises(UnknownMeasureError, match="unknown measure 'nope'"):
        split_requests(["map,nope"], TREC_EVAL_10)


def test_a_list_is_evaluated_as_its_parts() -> None:
    """By the command as by trec_eval with several -m."""
    several = run("-m", "map", "-m", "P.5,10", *FILES)
    for text in ("map P.5,10", "map,P.5,10"):
        assert run("-m", text, *FILES).stdout == several.stdout
    assert "unknown option '-a'; -m all_trec prints all" in run("-a", *FILES).stderr


EXPERIMENT = FIXTURES / "experiment"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map", ["map"]),
        ("map P.10", ["map", "P.10"]),
        ("map,P.10", ["map", "P.10"]),
        ("map, P.10", ["map", "P.10"]),
        (" map\tP.5,10  bpref ", ["map", "P.5,10", "bpref"]),
        ("map,P.5,10,bpref,", ["map", "P.5,10", "bpref"]),
        ("ndcg.1=5,2=3,map", ["ndcg.1=5,2=3", "map"]),
        ("alpha_nDCG.5,alpha=0.3, map", ["alpha_nDCG.5,alpha=0.3", "map"]),
        ("P.5 bpref,P.5, 10", ["P.5", "bpref", "P.5, 10"]),
        ("utility.1,-1,0,0", ["utility.1,-1,0,0"]),
        ("AP(rel=2),nDCG@10", ["AP(rel=2)", "nDCG@10"]),
        ("P(rel=2,judged_only=True)@10,map", ["P(rel=2,judged_only=True)@10", "map"]),
        ("nDCG(gains={1:3,2:9})@20 nDCG@20", ["nDCG(gains={1:3,2:9})@20", "nDCG@20"]),
        ("", []),
        (",", []),
    ],
)
def test_measures_in_a_text(text: str, expected: list[str]) -> None:
    """A comma before a letter parts measures; one before a number, or between brackets, is within a measure."""
    assert list(measures_in(text)) == expected


@pytest.mark.parametrize("text", ["map P.5,10", "map,P.5,10", "map, P.5,10"])
def test_lists_in_the_lab(text: str) -> None:
    """Blanks and commas give the same rows as -m for each measure."""
    files = (EXPERIMENT / "qrels", EXPERIMENT / "runs" / "count1", EXPERIMENT / "runs" / "count2")
    assert lab_rows("compare", *files, "-m", text) == lab_rows("compare", *files, "-m", "map", "-m", "P.5,10")
