"""Every measure says what the reference says, to the last bit; and the registry holds together."""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest
from examples.random_topics import NOT_RETRIEVED, ORDERS, RANKINGS, Shared, Version, topics_of
from hypothesis import example, given
from hypothesis import strategies as st
from references import family as reference_family  # noqa: F401 - loops for gains that grow exponentially
from references import incomplete_judgments as reference_incomplete  # loops for incomplete judgments
from references import measures as reference
from references.measures import OUTSIDE, UNJUDGED, Topic, graded
from running import examples

import irevalx.measures
from irevalx.errors import EvaluationError
from irevalx.measures import BY_NAME, MEASURES, NICKNAMES, counts
from irevalx.measures.declaration import Measure
from irevalx.measures.parameter_kinds import (
    Cutoffs,
    Gains,
    MeasureParameter,
    NamedReals,
    NoParameters,
    Parameters,
    RealCutoffs,
    Reals,
)
from irevalx.measures.requests import split_treatment
from irevalx.measures.summaries import Population, as_list, geometric_mean, mean
from irevalx.settings import Settings
from irevalx.trec_eval import COMPAT, TREC_EVAL_9, TREC_EVAL_10, Compat

BY_GAIN = ("ndcg", "dcg", "ideal_dcg", "ndcg_rel", "Rndcg", "ndcg_cut", "G", "rbp")


def exactly(values: Sequence[Any]) -> list[str]:
    """Show every bit of the values (but of a nan only that it is one), and whether they are whole numbers."""
    return [repr(value) for value in values]


NEARLY = {"subAP", "compatibility", "INST"}
"""Measures that add up in another order than the reference: an integral, and sums over ranks without documents."""


def nearly(values: Sequence[float]) -> list[Any]:
    """Compare only as exactly as an integral can be evaluated."""
    return [pytest.approx(value, rel=1e-12, abs=1e-12) for value in values]


@st.composite
def topics(draw: st.DrawFn, version: Version) -> list[Topic]:
    """No to six topics."""
    shared = Shared(draw(st.integers(-2, 4)), draw(st.sampled_from([0, 7, 1000, 10**9])), version)
    random = draw(ORDERS)
    drawn = draw(st.lists(st.tuples(RANKINGS, NOT_RETRIEVED), max_size=6))
    return [shared.topic(ranking, others, random) for ranking, others in drawn]


# Parameters


@dataclass(frozen=True)
class Typed:
    """Parameters as typed, and what they mean."""

    text: str | None
    numbers: tuple[float, ...] = ()
    pairs: tuple[tuple[int | None, float], ...] = ()
    p: float = reference.PERSISTENCE
    named: tuple[tuple[str, float], ...] = ()


TYPED_REALS = [
    ("0", 0.0), ("-0.0", -0.0), (".1", 0.1), ("0.25", 0.25), ("1", 1.0), ("+1.5", 1.5), ("2.", 2.0), ("-0.2", -0.2),
    ("-1", -1.0), ("-3e2", -300.0), ("1e300", 1e300), ("-1E300", -1e300), ("5e18", 5e18), ("inf", math.inf),
    ("-inf", -math.inf), ("1e400", math.inf), ("x", 0.0), ("", 0.0), ("0x.8", 0.5),
]  # fmt: skip

REALS = st.one_of(
    st.sampled_from(TYPED_REALS),
    st.floats(0, 1.2).map(lambda x: (repr(x), x)),
    st.integers(0, 20).map(lambda n: (f"{n / 20}", n / 20)),
)
"""Real numbers as typed, and as read."""

TYPED_GAINS = [
    ("0", 0.0), ("1", 1.0), ("3", 3.0), ("9", 9.0), ("-1", -1.0), ("-2.5", -2.5), ("", 0.0), ("abc", 0.0), ("0.5", 0.5),
    (".9", 0.9), ("1.9", 1.9), ("2.25", 2.25), ("3e9", 3e9), ("-3e9", -3e9), ("1e300", 1e300), ("-1e300", -1e300),
    ("1e-300", 1e-300), ("inf", math.inf), ("nan", math.nan),
]  # fmt: skip

GAIN_VALUES = st.one_of(
    st.sampled_from(TYPED_GAINS),
    st.integers(0, 9).map(lambda n: (f"{n}.0", float(n))),
    st.floats(-3, 6).map(lambda x: (repr(x), x)),
)
"""Gains as typed, and as read."""

TYPED_KEYS = [
    ("0", 0, 0), ("1", 1, 1), ("1", 1, 1), ("2", 2, 2), ("+2", 2, 2), ("03", 3, 3), ("4", 4, 4), ("7", 7, 7),
    ("-1", -1, -1), ("-2", -2, -2), ("-3", -3, -3), ("", 0, None), ("x", 0, None), ("1.5", 1, None), (" 2", 2, None),
]  # fmt: skip

KEYS = st.sampled_from(TYPED_KEYS)
"""Keys of gains as typed, and the grade that 9.0.8 and that 10.0 reads."""

CLOSE_GAIN_VALUES = st.sampled_from(
    [("0", 0.0), ("0.1", 0.1), ("0.25", 0.25), ("0.5", 0.5), ("0.9", 0.9), ("1", 1.0), ("-0.5", -0.5)]
)
"""Gains that trec_eval does not know how to sort."""

PERSISTENCES = st.sampled_from(
    [("0.5", 0.5), ("0.8", 0.8), (".95", 0.95), ("0", 0.0), ("1", 1.0), ("-.5", -0.5), ("2", 2.0), ("1e300", 1e300)]
)
"""p of rbp as typed, and as read."""


@st.composite
def ranks(draw: st.DrawFn) -> Typed:
    """Different whole numbers in any order."""
    rank = st.one_of(st.integers(1, 30), st.sampled_from([1000, 2**40]))
    form = st.sampled_from(["%d", "%d", "+%d", "0%d", "%d.7", "%dx"])
    chosen = draw(st.lists(st.tuples(rank, form), min_size=1, max_size=5, unique_by=lambda pair: pair[0]))
    return Typed(",".join(form % rank for rank, form in chosen), tuple(sorted(rank for rank, _ in chosen)))


@st.composite
def real_cutoffs(draw: st.DrawFn) -> Typed:
    """Different real numbers in any order."""
    chosen = draw(st.lists(REALS, min_size=1, max_size=6, unique_by=lambda real: real[1]))
    return Typed(",".join(text for text, _ in chosen), tuple(sorted(value for _, value in chosen)))


@st.composite
def reals(draw: st.DrawFn, least: int, most: int) -> Typed:
    """Real numbers whose order matters."""
    chosen = draw(st.lists(REALS, min_size=least, max_size=most))
    return Typed(",".join(text for text, _ in chosen), tuple(value for _, value in chosen))


@st.composite
def gains(draw: st.DrawFn, version: Version) -> Typed:
    """Gains for grades that occur or do not, once or twice; among them, sometimes, p."""
    items: list[str] = []
    pairs: list[tuple[int | None, float]] = []
    p = reference.PERSISTENCE
    gain_values = draw(st.sampled_from([GAIN_VALUES, GAIN_VALUES, CLOSE_GAIN_VALUES]))
    for _ in range(draw(st.integers(1, 5))):
        if draw(st.integers(0, 4)) == 0:
            number, p = draw(PERSISTENCES)
            items.append(f"p={number}")
            pairs.append((0 if version == "9" else None, p))
        else:
            key, level_9, level_10 = draw(KEYS)
            number, value = draw(gain_values)
            items.append(f"{key}={number}")
            pairs.append((level_9 if version == "9" else level_10, value))
    return Typed(",".join(items), (), tuple(pairs), p)


NAMED_VALUES = st.one_of(st.sampled_from([1.0, 0.1, 1e-3, 2.5, 7.0]), st.floats(0.001, 3))
"""Numbers that parameters with names may be, as far as their bounds allow."""


def accepts(parameter: MeasureParameter, x: float) -> bool:
    """Whether a parameter can have this value."""
    with suppress(ValueError):
        return bool(parameter.kind.check(x) == x)
    return False


@st.composite
def named_reals(draw: st.DrawFn, kind: NamedReals) -> Typed:
    """Some of the parameters, in any order."""
    chosen = draw(st.lists(st.sampled_from(kind.parameters), min_size=1, unique=True))
    named = tuple((parameter.name, draw(NAMED_VALUES.filter(partial(accepts, parameter)))) for parameter in chosen)
    return Typed(",".join(f"{name}={value!r}" for name, value in named), named=named)


def parameters(measure: Measure, version: Version) -> st.SearchStrategy[Typed]:
    """Parameters of the measure's kind."""
    if isinstance(measure.kind, NamedReals):
        return named_reals(measure.kind)
    if isinstance(measure.kind, Cutoffs):
        return ranks()
    if isinstance(measure.kind, RealCutoffs):
        return real_cutoffs()
    if isinstance(measure.kind, Gains):
        return gains(version)
    if isinstance(measure.kind, Reals):
        return reals(4, 4) if measure.name == "utility" else reals(1, 6)
    return st.just(Typed("ignored"))


def default(name: str) -> Typed:
    """No parameters."""
    return Typed(None, graded.defaults[name])


def awkward(measure: Measure) -> Typed:
    """Parameters that make every rounding and the order of all operations show."""
    if isinstance(measure.kind, Cutoffs):
        return Typed("3000,7,1700,333", (7, 333, 1700, 3000))
    if isinstance(measure.kind, RealCutoffs):
        return Typed("0.7,0.003,0.33", (0.003, 0.33, 0.7))
    if isinstance(measure.kind, Gains):
        return Typed("1=0.3,p=0.7,2=1.7,3=4.1,-1=0.1", (), ((1, 0.3), (None, 0.7), (2, 1.7), (3, 4.1), (-1, 0.1)), 0.7)
    if isinstance(measure.kind, Reals):
        return Typed("0.7,0.1,1.3,0.003", (0.7, 0.1, 1.3, 0.003))
    if isinstance(measure.kind, NamedReals):
        kinds = measure.kind.parameters
        named = tuple((kind.name, next(x for x in (0.3, 1.7) if accepts(kind, x))) for kind in kinds)
        return Typed(",".join(f"{name}={value}" for name, value in named), named=named)
    return Typed(None)


def read(measure: Measure, text: str | None, compat: Compat = TREC_EVAL_10) -> Parameters:
    """Read parameters, whatever they look like."""
    return measure.kind.parse(measure.name, text, Settings(compat=compat), lambda item, value: None)


# Kernels and the reference


def expected_values(measure: Measure, topic: Topic, typed: Typed) -> list[Any]:
    """Call the reference as the measure's kind of parameters says; one value for each printed name."""
    literal = graded.by_name[measure.name]
    if isinstance(measure.kind, NoParameters):
        return [literal(topic)]
    if isinstance(measure.kind, Cutoffs):
        return [literal(topic, k) for k in typed.numbers]
    if isinstance(measure.kind, RealCutoffs):
        values: list[Any] = literal(topic, typed.numbers)
        return values
    if isinstance(measure.kind, Reals | NamedReals):
        return [literal(topic, *typed.numbers, **dict(typed.named))]
    if measure.name in {"rbp", "rbp_resid"}:
        return [literal(topic, typed.pairs, typed.p)]
    return [literal(topic, typed.pairs)]


def check(measure: Measure, drawn: Sequence[Topic], typed: Typed, compat: Compat = TREC_EVAL_10) -> None:
    """Hold the kernel to the reference, with all rows and, where those of the pool are enough, with only those."""
    given_parameters = read(measure, typed.text, compat)
    show: Callable[[Sequence[Any]], list[Any]] = nearly if measure.name in NEARLY else exactly
    expected = [show(expected_values(measure, topic, typed)) for topic in drawn]
    pool_is_enough = all(topic.level >= 0 for topic in drawn) and not given_parameters.look_outside
    for all_rows in (True, False) if pool_is_enough else (True,):
        columns = [as_list(values) for values in measure(topics_of(drawn, all_rows=all_rows), given_parameters)]
        assert len(columns) == len(given_parameters.names)
        assert [show(by_name) for by_name in zip(*columns, strict=True)] == expected


def check_drawn(name: str, data: st.DataObject) -> None:
    """Hold a kernel to the reference on drawn topics, without parameters and with drawn ones."""
    measure = BY_NAME[name]
    versions: list[Version] = ["10"] if name in TREC_EVAL_9.absent_measures else ["9", "10"]
    version = data.draw(st.sampled_from(versions))
    drawn = data.draw(topics(version))
    check(measure, drawn, default(name), COMPAT[version])
    check(measure, drawn, data.draw(parameters(measure, version)), COMPAT[version])


@pytest.mark.parametrize("name", graded.by_name)
@examples(40)
@given(data=st.data())
def test_kernel_is_the_reference(name: str, data: st.DataObject) -> None:
    """A kernel gives every topic what the walk through its ranking gives, whatever the parameters."""
    check_drawn(name, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", graded.by_name)
@examples(160)
@given(data=st.data())
def test_kernel_is_the_reference_on_many_topics(name: str, data: st.DataObject) -> None:
    """The same for four times as many examples."""
    check_drawn(name, data)


@pytest.mark.parametrize("name", sorted(set(graded.by_name) - {"subAP"}))
def test_long_rankings(name: str) -> None:
    """Over thousands of documents logarithms, powers and sums are still those of the C library."""
    random = Random(1)
    drawn = [
        Shared(collection_size=10**6).topic(
            random.choices([OUTSIDE, UNJUDGED, 0, 1, 2, 3], weights, k=n_ret), [3] * 100 + [1] * 900, random
        )
        for n_ret, weights in [(4000, [9, 1, 4, 3, 1, 1]), (0, [1] * 6), (2500, [0, 0, 5, 1, 0, 0])]
    ]
    check(BY_NAME[name], drawn, default(name))
    check(BY_NAME[name], drawn, awkward(BY_NAME[name]))


def test_reference_has_every_kernel() -> None:
    """The reference knows the measures that have a value for a topic with graded judgments, and no others."""
    computed = {measure.name for measure in MEASURES if measure.kernel and measure.formats & {"qrels", "sampled"}}
    loops = {*graded.by_name, *reference_incomplete.sampled.by_name}
    assert not computed - loops, (
        f"write a loop in tests/references/measures.py, under @graded, for {sorted(computed - loops)}"
    )
    assert not loops - computed, f"add to MEASURES, or remove from tests/references, {sorted(loops - computed)}"


@pytest.mark.parametrize("weights", ["1", "1,2,3", "1,2,3,4,5"])
def test_utility_with_the_wrong_number_of_weights(weights: str) -> None:
    """The measure utility has four weights."""
    utility = BY_NAME["utility"]
    with pytest.raises(EvaluationError, match="utility requires 4 parameters"):
        utility(topics_of([Topic([1], [1])], all_rows=True), read(utility, weights))


def test_measures_of_the_summary_alone() -> None:
    """Only runid and num_q have no value for a topic, and say so."""
    without = [measure for measure in MEASURES if not measure.kernel]
    assert [measure.name for measure in without] == ["runid", "num_q"]
    for measure in without:
        with pytest.raises(TypeError, match=f"{measure.name} has no value for a topic"):
            measure(topics_of([], all_rows=True), read(measure, None))


# Grades and gains far above what trec_eval is made for


@pytest.mark.parametrize("name", BY_GAIN)
@examples(20)
@given(st.lists(st.sampled_from([*range(-2, 5), 40, 127, 299, 300]), max_size=12), st.randoms(use_true_random=False))
def test_large_grades(name: str, ranking: list[int], random: Random) -> None:
    """Grades of some hundreds are gains like others."""
    check(BY_NAME[name], [Shared().topic(ranking, [299, 7], random)], default(name))


@pytest.mark.parametrize("name", BY_GAIN)
def test_grades_about_a_thousand(name: str) -> None:
    """Where the table of gains begins to leave out the grades that do not occur, the values do not change."""
    drawn = [Topic([0, top, OUTSIDE, 3, top - 1], [top - 1, 3, 0, top, 998, 1]) for top in (999, 1000, 1001, 1100)]
    check(BY_NAME[name], drawn, default(name))
    if name != "ndcg_cut":
        check(BY_NAME[name], drawn, Typed("3=2000,-1=1,0=5", (), ((3, 2000.0), (-1, 1.0), (0, 5.0))))


@pytest.mark.parametrize("name", BY_GAIN)
@pytest.mark.parametrize("text", [None, "1=2,-1=1"])
def test_huge_grades(name: str, text: str | None) -> None:
    """Grades up to the largest 64-bit integer take no time and give finite values."""
    measure = BY_NAME[name]
    huge = [2**63 - 1, 2**53 + 1, 10**9, 10**7, 5]
    drawn = [Topic([0, *huge, OUTSIDE], [*huge, 0, 2**62]), Topic([OUTSIDE, *huge[::-1]], [0, *huge])]
    columns = measure(topics_of(drawn, all_rows=True), read(measure, None if name == "ndcg_cut" else text))
    values = [value for column in columns for value in as_list(column)]
    assert all(math.isfinite(value) and value >= 0 for value in values), values


def test_huge_grades_as_text() -> None:
    """The string of grades shows any grade above 9 as >."""
    relstring = BY_NAME["relstring"]
    drawn = [Topic([2**63 - 1, 10, 9, OUTSIDE, UNJUDGED], [2**63 - 1, 10, 9, -(2**63)])]
    assert relstring(topics_of(drawn, all_rows=False), read(relstring, None)) == [[b">>9-."]]


@pytest.mark.parametrize(
    "gain",
    [
        4503599627370496.0,
        9007199254740992.0,
        1e16,
        4503599627370495.0,
        4503599627370497.0,
    ],
)
def test_g_where_one_is_too_small_to_add(gain: float) -> None:
    """G's lag grows by 1 a document only as long as adding 1.0 changes the sum: up to 2**53, or once more after it."""
    drawn = [Topic([1, *[0] * 7, 1], [1, *[0] * 7, 1])]
    check(BY_NAME["G"], drawn, Typed(f"0=0,1={gain!r}", (), ((0, 0.0), (1, gain))))


# The registry


ONLY_IN_10 = frozenset({"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"})

TABLE = """
    runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring recall infAP
    gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel Rndcg ndcg_cut map_cut relative_P success
    set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret prefs_num_prefs_poss prefs_num_prefs_ful
    prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret
    prefs_avgjg_ret prefs_avgjg_Rnonrel_ret prefs_simp_imp prefs_pair_imp prefs_avgjg_imp map_avgjg P_avgjg
    Rprec_mult_avgjg yaap rbp rbp_resid unj
"""
"""The measures that trec_eval 10.0 has, in the order in which it prints them."""


@pytest.mark.parametrize("version", ["9", "10"])
def test_every_measure_of_trec_eval_is_there(version: Version) -> None:
    """Each version has its measures, in trec_eval's order; among them stand those of irevalx."""
    absent = COMPAT[version].absent_measures
    table = [name for name in TABLE.split() if version == "10" or name not in ONLY_IN_10]
    assert len(table) == {"9": 52, "10": 57}[version]
    assert [
        measure.name for measure in MEASURES if measure.name in TABLE.split() and measure.name not in absent
    ] == table


def test_names_are_unique() -> None:
    """No two measures have the same name, and no nickname is also the name of a measure."""
    names = [*(measure.name for measure in MEASURES), *NICKNAMES]
    assert sorted(names) == sorted(set(names))


def test_every_declared_measure_is_registered() -> None:
    """A measure declared in any module of the package stands in MEASURES."""
    modules = [
        importlib.import_module(f"irevalx.measures.{module.name}")
        for module in pkgutil.iter_modules(irevalx.measures.__path__)
    ]
    declared = {thing for module in modules for thing in vars(module).values() if isinstance(thing, Measure)}
    lacking = sorted(measure.name for measure in declared - set(MEASURES))
    assert not lacking, f"add to MEASURES, where they are to be printed: {lacking}"
    assert declared == set(MEASURES)


@pytest.mark.parametrize("nickname", NICKNAMES)
def test_nickname_members_exist(nickname: str) -> None:
    """A nickname stands for measures that exist, each once."""
    members = [split_treatment(member)[0] for member in NICKNAMES[nickname]]
    assert set(members) <= set(BY_NAME)
    assert len(NICKNAMES[nickname]) == len(set(NICKNAMES[nickname]))


def test_absent_measures_exist() -> None:
    """What a version of trec_eval is said to lack is a measure that irevalx has."""
    assert all(compat.absent_measures <= set(BY_NAME) for compat in COMPAT.values())


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_prose(measure: Measure) -> None:
    """Every measure has a title line, and except for mere counts a source."""
    title, _, rest = measure.prose.partition("\n")
    assert title.rstrip(".").strip() == measure.title != ""
    assert rest.startswith("\n"), f"leave a line empty after the title in the docstring of {measure.name}"
    if measure not in vars(counts).values():
        assert "\nSource: " in rest, f"end the docstring of {measure.name} with a line that begins with Source:"


# Averages


TOPIC_VALUES = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1e-6, 0.00001, 0.1, 0.2, 0.3, 1.0, math.inf])), max_size=30
)
"""Values that a measure might have for topics."""


@given(TOPIC_VALUES, st.integers(0, 5))
@example([0.1] * 10, 0)
def test_mean(values: list[float], absent: int) -> None:
    """The mean is the sum from left to right, divided once by the number of topics."""
    n_topics = max(len(values) + absent, 1)
    population = Population(b"tag", n_topics, len(values))
    assert repr(mean(np.array(values, np.float64), population)) == repr(reference.mean(values, n_topics))


@given(TOPIC_VALUES, st.integers(0, 5))
@example([0.1] * 10, 0)
def test_geometric_mean(values: list[float], absent: int) -> None:
    """The geometric mean adds up logarithms from left to right, those of topics without a value at last."""
    n_topics = max(len(values) + absent, 1)
    population = Population(b"tag", n_topics, len(values))
    actual = geometric_mean(np.array(values, np.float64), population)
    assert repr(actual) == repr(reference.geometric_mean(values, n_topics, len(values)))


def test_residual_with_infinite_weights() -> None:
    """A judged document adds nothing, where its weight is infinite too: trec_eval 10 prints inf, not nan."""
    run = {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}
    with pytest.warns(irevalx.IrevalxWarning) as warned:
        scores = irevalx.evaluate({"1": {"a": 1, "b": 1}}, run, "rbp_resid.p=1e300")
    assert any("p=1e+300 is not between 0 and 1" in str(warning.message) for warning in warned)
    assert scores["rbp_resid_p=1e300"] == math.inf
