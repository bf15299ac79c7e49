"""The help of -h -m NAME is complete for each measure, and agrees with its values."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from formulas import Ranked
from rules import RULES
from running import repeats, run

import irevalx
import irevalx.measures
from irevalx.cli.explanations import SYMBOLS, effects, families, formula_words, measure_lines
from irevalx.frozen import replace
from irevalx.measures import BY_NAME, MEASURES
from irevalx.measures.inclusion_probabilities import variance_of_mean
from irevalx.measures.parameter_kinds import Gains
from irevalx.measures.summaries import (
    Population,
    Summary,
    Values,
    geometric_mean,
    mean,
    relevant_total,
    root_of_squares,
    summary,
    topic_count,
    total,
    total_of_all_judged,
)

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

TOPICS = ("1", "2", "3", "4")
MISSING = "4"
"""The topic without results."""

PLAIN = frozenset(
    re.findall(
        r"\w+",
        """above all and are as at average below by character documents each exp first for from gain groups how if in is it
        its judged left log log2 many max mean min none not of one ordered otherwise over pairs product relevant
        retrieved rounded sampled sqrt square strata stratum subtopics sum that the these those times topics unjudged were
        where with""",
    )
)
"""Words of formulas that need no explanation."""

CASES = 30
FORMATS = ("qrels", "sampled", "qrels_jg", "prefs", "subtopics", "prels")


@dataclass
class Case:
    """Random judgments in one format, a run, and documents to add to the pool."""

    rel_format: str
    lines: list[str] = field(default_factory=list)
    run: dict[str, dict[str, float]] = field(default_factory=dict)
    pool: dict[str, list[str]] = field(default_factory=dict)

    def scores(self, measures: list[str] | str = "all", **keywords: Any) -> irevalx.Scores:
        """Evaluate with all measures that the format supports."""
        qrels = irevalx.Qrels.read(io.BytesIO("".join(self.lines).encode()), rel_format=self.rel_format)
        return irevalx.evaluate(qrels, self.run, measures, **keywords)

    def values(self, measures: list[str] | str = "all", **keywords: Any) -> dict[str, list[Any]]:
        """Return all values of each measure, under any printed name."""
        values: dict[str, list[Any]] = {}
        for row in self.scores(measures, **keywords).to_records():
            values.setdefault(owner(row.measure), []).append((row.topic, repr(row.value)))
        return values


def owner(printed: str) -> str:
    """Return the measure that prints this name."""
    return max((name for name in BY_NAME if printed == name or printed.startswith(f"{name}_")), key=len)


def cases(rel_format: str) -> Iterator[Case]:
    """Small topics; half of the retrieved documents are judged, a quarter are pooled, and the others are unpooled."""
    for seed in range(CASES):
        chance = Random(f"{rel_format} {seed}")
        case = Case(rel_format)
        for topic in TOPICS:
            docnos = [f"D{n}" for n in range(16)]
            judged = chance.sample(docnos, 9)
            for docno in judged:
                grade = chance.choice([-1, 0, 0, 1, 1, 2, 3])
                if rel_format == "prels":
                    case.lines.append(f"{topic} {docno} {grade} 1 {chance.uniform(0.1, 1)}\n")
                    continue
                if rel_format == "prefs":
                    case.lines.append(f"{topic} {chance.choice('ab')} s {docno} {max(grade, 0)}\n")
                    continue
                columns = {"qrels": f"0 {docno}", "sampled": f"0 {docno} {chance.choice('12')}"}
                jg = f"{chance.choice('ab')} {docno}"
                case.lines.append(f"{topic} {columns.get(rel_format, jg)} {grade}\n")
            # A topic without any judgment has no measure to speak of in trec_eval.
            if rel_format == "prels":
                case.lines.append(f"{topic} D16 1 1 0.5\n")
            elif rel_format != "prefs":
                column = {"qrels": "0 D16", "sampled": "0 D16 1"}.get(rel_format, "a D16")
                case.lines.append(f"{topic} {column} 1\n")
            case.pool[topic] = chance.sample(docnos, 5)
            if topic != MISSING:
                case.run[topic] = {docno: chance.random() for docno in chance.sample(docnos, chance.randint(1, 14))}
        yield case


def measures_of(rel_format: str) -> set[str]:
    """Return the measures that have values for judgments in this format."""
    return {measure.name for measure in MEASURES if measure.kernel and rel_format in measure.formats}


def said(start: str) -> set[str]:
    """Return the measures whose help has a line that starts with this text."""
    return {measure.name for measure in MEASURES if any(line.startswith(start) for line in effects(measure))}


def hold(option: str, changed: set[str], said_to_change: set[str], *, if_it_does: str, if_not: str) -> None:
    """Compare the measures whose values an option changed with the documented ones."""
    silent, wrong = sorted(changed - said_to_change), sorted(said_to_change - changed)
    assert not silent, f"{option} changes values of {silent}, and the help says that it does not: declare {if_it_does}"
    assert not wrong, f"{option} changes no value of {wrong} in {CASES} random cases: declare {if_not}"


def test_every_measure_is_explained() -> None:
    """The help has title, definition, formula, range, source, and the effects of -l, -c, -J and the pool, in this order."""
    for measure in MEASURES:
        lines = "\n".join(measure_lines([measure]))
        patterns = [rf"^{re.escape(measure.name)}: .+$", r"^    [A-Z-].+$"]
        patterns += [rf"^    {key}: .+$" for key in ("Formula", "Range", "Source", "-l", "-c", "-J", "Pool")]
        place = 0
        for pattern in patterns:
            result = re.compile(pattern, re.MULTILINE).search(lines, place)
            assert result, f"the docstring of {measure.name} must have, in its place, a line such as {pattern}"
            place = result.start()
        assert len(measure.paragraphs) >= 2, f"define {measure.name} in its docstring, after the title"


def test_every_family_is_listed() -> None:
    """Each measure belongs to one family, which has a title."""
    listed = [measure for measures in families().values() for measure in measures]
    assert sorted(measure.name for measure in listed) == sorted(BY_NAME)
    assert all(families())


def test_the_symbols_of_formulas_are_explained() -> None:
    """A formula consists of explained symbols, names that it defines, measures and plain words."""
    used: set[str] = set()
    for measure in MEASURES:
        formula = measure.formula
        words = formula_words(formula)
        own = set(re.findall(r"\b(\w+) (?:=|<)", formula)) | {"x"} | set("BCD")
        unknown = sorted(word for word in words - PLAIN - own if word.removesuffix("_X") not in {*SYMBOLS, *BY_NAME})
        assert not unknown, (
            f"say what {unknown} are in the formula of {measure.name}: in the formula itself (', {unknown[0]} = ...' "
            "after it, 'over j < k'), or in SYMBOLS in irevalx/cli/explanations.py; plain words belong into PLAIN in this file"
        )
        used |= words
    assert set(SYMBOLS) <= used, f"no formula needs these SYMBOLS: {set(SYMBOLS) - used}"


def test_the_rules_say_what_the_papers_say() -> None:
    """The table has a row for each treatment of unjudged documents, and each measure is in one row."""
    rows = {
        name: cells
        for subject, cells in RULES
        for name in re.split(r", | and ", subject.partition(" (")[0])
        if name in BY_NAME
    }
    expected = {
        "map": ("relevant", "nonrelevant", "treated as nonrelevant", "treated as nonrelevant"),
        "ndcg": (*["given its gain"] * 2, "given the gain of -2 (default 0)", "given the gain of -1 (default 0)"),
        "bpref": ("relevant", "nonrelevant", "removed from the ranking", "removed from the ranking"),
        "indAP": ("relevant", "nonrelevant", "removed from the ranking", "treated as nonrelevant"),
        "unj": (*["counted as judged"] * 2, *["counted as unjudged"] * 2),
        "num_rel": ("relevant", "nonrelevant", "ignored", "ignored"),
    }
    assert {name: rows[name] for name in expected} == expected
    prefs = {measure.name for measure in MEASURES if "prefs" in measure.formats}
    assert set(BY_NAME) - prefs - {"runid", "num_q", "relstring"} <= set(rows)


@pytest.mark.slow
def test_which_measures_depend_on_the_level() -> None:
    """-l changes values of exactly the measures for which the help describes an effect."""
    for rel_format in FORMATS:
        changed: set[str] = set()
        for case in cases(rel_format):
            default = case.values()
            for level in (0, 2, 3):
                other = case.values(level=level)
                changed |= {name for name, values in default.items() if other[name] != values}
        with_effect = measures_of(rel_format) - said("-l: no effect")
        hold("-l", changed, with_effect, if_it_does="uses_level=True", if_not="uses_level=False")


@pytest.mark.slow
def test_which_measures_depend_on_unjudged_documents() -> None:
    """-J changes values of exactly the measures for which the help describes an effect."""
    for rel_format in ("qrels", "qrels_jg", "prefs", "subtopics", "prels"):
        changed: set[str] = set()
        for case in cases(rel_format):
            default, condensed = case.values(), case.values(judged_only=True)
            changed |= {name for name, values in default.items() if condensed[name] != values}
        with_effect = measures_of(rel_format) - said("-J: no effect")
        hold(
            "-J",
            changed,
            with_effect,
            if_it_does="what they count as (unjudged)",
            if_not="unjudged=UnjudgedEffect.NOTHING",
        )
    refused = {measure.name for measure in MEASURES if measure.formats == {"sampled"}}
    assert said("-J: cannot be combined") == refused
    with pytest.raises(irevalx.IrevalxError, match='judged_only cannot be combined with rel_format="sampled"'):
        next(cases("sampled")).values(judged_only=True)


@pytest.mark.slow
def test_which_measures_depend_on_the_pool() -> None:
    """A larger pool changes values of exactly the measures for which the help describes an effect."""
    declare = {
        "if_it_does": "what those count as that were pooled and not judged (pooled), and those outside the pool (outside)",
        "if_not": "that those pooled and not judged and those outside the pool count as the same (unjudged)",
    }
    gains = [f"{measure.name}.-2=1,-1=3" for measure in MEASURES if isinstance(measure.kind, Gains)]
    changed: set[str] = set()
    for case in cases("qrels"):
        for measures in ("all", gains):
            default, pooled = case.values(measures), case.values(measures, pool=case.pool)
            changed |= {name for name, values in default.items() if pooled[name] != values}
    hold("--pool", changed, measures_of("qrels") - said("Pool: no effect"), **declare)
    # Elsewhere the pool is what has a line in the judgments, with a negative grade.
    for rel_format in ("sampled", "qrels_jg"):
        changed = set()
        for case in cases(rel_format):
            default = case.values()
            column = "0 {} 1" if rel_format == "sampled" else "b {}"
            there = {(line.split()[0], line.split()[2]) for line in case.lines}
            more = [(topic, docno) for topic, docnos in case.pool.items() for docno in docnos]
            case.lines += [
                f"{topic} {column.format(docno)} -1\n" for topic, docno in more if (topic, docno) not in there
            ]
            changed |= {name for name, values in case.values().items() if default[name] != values}
        hold("a larger pool", changed, measures_of(rel_format) - said("Pool: no effect"), **declare)


def of_missing(case: Case, name: str, compat: str) -> float:
    """Return the documented value of a topic without results, for measures where it is not 0."""
    lines = [line.split() for line in case.lines if line.startswith(f"{MISSING} ")]
    if name == "statR":
        return 0.0 if compat == "9" else math.fsum(1 / float(line[-1]) for line in lines if int(line[2]) > 0)
    relevant = sorted((int(line[-1]) for line in lines if float(line[-1]) > 0), reverse=True)
    if compat == "9" or name == "utility":
        return 0.0
    if name == "ideal_dcg":
        return math.fsum(grade / math.log2(k + 1) for k, grade in enumerate(relevant, 1))
    assert name == "yaap", f"say in this function what a topic without results counts for {name}"
    return math.log(1 / (1 + len(relevant)))


def logarithmic_mean(values: list[float]) -> float:
    """Return the geometric mean, in which the topic without results counts 0.00001."""
    return math.exp(math.fsum(math.log(max(value, 0.00001)) for value in [*values, 0.0]) / len(TOPICS))


def expected_under_complete(case: Case, default: irevalx.Scores, printed: str, compat: str) -> float:
    """Return the `all` row under -c, as documented by the help of the measure."""
    measure = BY_NAME[owner(printed)]
    values = default.per_topic(printed).tolist() if measure.kernel else []
    zero = measure.without_results == "0"
    rules: dict[Summary | None, Callable[[], float]] = {
        topic_count: lambda: len(TOPICS),
        relevant_total: lambda: sum(int(line.split()[-1]) > 0 for line in case.lines),
        total: lambda: default.summary(printed) + (0 if zero else of_missing(case, measure.name, compat)),
        total_of_all_judged: lambda: default.summary(printed),
        root_of_squares: lambda: default.summary(printed),
        variance_of_mean: lambda: math.fsum(values) / len(TOPICS) ** 2,
        geometric_mean: lambda: logarithmic_mean(values),
        mean: lambda: math.fsum([*values, 0.0 if zero else of_missing(case, measure.name, compat)]) / len(TOPICS),
    }
    assert measure.summary in rules, f"say in this table what -c makes of the summary of {measure.name}"
    return rules[measure.summary]()


@pytest.mark.parametrize("compat", repeats(["10", "9"]))
def test_what_a_topic_without_results_counts(compat: str) -> None:
    """-c changes the `all` row of each measure as described in the help."""
    seen: set[str] = set()
    for rel_format in FORMATS:
        for case in islice(cases(rel_format), 15):
            default, complete = (case.scores(complete=wish, compat=compat) for wish in (False, True))
            for printed in default.measures:
                name = owner(printed)
                if BY_NAME[name].summary is None or name == "prefs_num_prefs_poss":
                    continue
                seen.add(name)
                expected = expected_under_complete(case, default, printed, compat)
                assert complete.summary(printed) == pytest.approx(expected, rel=1e-12, abs=1e-12), (
                    f"-c makes {complete.summary(printed)} of {printed} and not {expected}: declare what a topic without "
                    "results counts as (without_results), or another summary"
                )
    absent = {"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"} if compat == "9" else set()
    assert seen == set(BY_NAME) - {"runid", "relstring", "prefs_num_prefs_poss"} - absent


def test_a_new_summary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Help, evaluation and z-scores derive everything from the declaration of a summary."""

    def halves(values: Values) -> Values:
        return np.asarray(values, np.float64) / 2

    def greater(total: float, values: Values) -> float:
        return float(np.asarray(values).max(initial=total))

    @summary(
        "a topic without results is worth {missing} of the greatest", scale=halves, combine=greater, start=-math.inf
    )
    def greatest(total: float, population: Population) -> float:
        return total

    changed = replace(BY_NAME["map"], summary=greatest)
    monkeypatch.setitem(BY_NAME, "map", changed)
    monkeypatch.setattr(
        irevalx.measures, "MEASURES", tuple(changed if measure.name == "map" else measure for measure in MEASURES)
    )
    assert b"-c: a topic without results is worth 0 of the greatest." in run("-h", "-m", "map").stdout
    (tmp_path / "qrels").write_text("1 0 A 1\n2 0 A 1\n")
    (tmp_path / "run").write_text("1 Q0 A 1 9 x\n2 Q0 B 1 9 x\n2 Q0 A 2 8 x\n")
    (tmp_path / "zscores").write_text("1 map 0.25 0.5\n2 map 0.5 0.5\n")
    files = (tmp_path / "qrels", tmp_path / "run")
    rows = [line.split() for line in run("-q", "-m", "map", *files).stdout.splitlines()]
    assert rows == [[b"map", b"1", b"1.0000"], [b"map", b"2", b"0.5000"], [b"map", b"all", b"0.5000"]]
    # (1/2 - 1/4) / (1/2) and (1/4 - 1/2) / (1/2): z-scores are made on the scale of the summary, and not scaled again.
    rows = [line.split() for line in run("-q", "-Z", tmp_path / "zscores", "-m", "map", *files).stdout.splitlines()]
    assert rows == [[b"Zmap", b"1", b"0.5000"], [b"Zmap", b"2", b"-0.5000"], [b"Zmap", b"all", b"0.5000"]]


@pytest.mark.parametrize(("compat", "adds"), [("9", False), ("10", True)])
def test_exceptions_of_topics_without_results(compat: str, adds: bool) -> None:
    """The number of preferences counts all judged topics, and utility with parameters one document."""
    grew = set()
    for case in cases("prefs"):
        default, complete = (
            case.scores("prefs_num_prefs_poss", complete=wish, compat=compat) for wish in (False, True)
        )
        grew.add(complete["prefs_num_prefs_poss"] > default["prefs_num_prefs_poss"])
    assert (True in grew) == adds
    case = next(cases("qrels"))
    default, complete = (case.scores("utility.0,-1,0,0", complete=wish, compat=compat) for wish in (False, True))
    values = default.per_topic("utility_0,-1,0,0").tolist()
    assert complete["utility_0,-1,0,0"] == (sum(values) - adds) / len(TOPICS)


COMPUTED = """
    num_ret num_rel num_rel_ret num_nonrel_judged_ret map map_cut.5 yaap P.5 recall.5 relative_P.5 unj.5 judged.5 Rprec
    recip_rank recip_rank_cut.5 set_P set_recall set_relative_P set_map utility dcg ideal_dcg ndcg_cut.5 binG bpref
    bpref_10 RankEff infAP indAP
"""
"""Measures with formulas that can be computed literally."""


@pytest.mark.parametrize("item", COMPUTED.split())
def test_formulas_give_the_values(item: str) -> None:
    """The formula of a measure yields its values."""
    name = item.partition(".")[0]
    for case in islice(cases("qrels"), 10):
        scores = case.scores([item])
        for topic, value in zip(scores.topics(), scores.per_topic(item.replace(".", "_")), strict=True):
            lines = [line.split() for line in case.lines if line.startswith(f"{topic} ")]
            ranked = Ranked({docno: int(grade) for _, _, docno, grade in lines}, case.run[topic])
            assert ranked.value(BY_NAME[name].formula) == pytest.approx(value, rel=1e-9), topic


def test_help_shows_it() -> None:
    """-h -m NAME prints the formula, its symbols and the effects."""
    text = " ".join(run("-h", "-m", "indAP").stdout.decode().split())
    assert "Formula: (1/R) sum over relevant retrieved of (r + 1)/(k - u)." in text
    assert "u: number of documents above it that were pooled but not judged" in text
    shown_of_p = " ".join(run("-h", "-m", "P").stdout.decode().split())
    assert "rel(K)/K. rel(x): number of relevant documents among the first x K: the cutoff" in shown_of_p
    assert (
        "Pool: a pooled but unjudged document is removed from the ranking; "
        "a document outside the pool is treated as nonrelevant." in text
    )
    assert "-l: no effect." in " ".join(run("-h", "-m", "ndcg").stdout.decode().split())


def test_what_is_said_of_the_reading_rel() -> None:
    """The help calls the treatment rel an upper bound only for measures to which this applies."""
    for name in ("num_rel", "dcg", "ideal_dcg"):
        readings = next(line for line in effects(BY_NAME[name]) if line.startswith("Treatments"))
        assert f"The value of {name}:rel is not an upper bound" in readings
        assert "fall" not in readings


def test_help_of_an_unknown_format() -> None:
    """A message lists the formats, before the general help."""
    for option, message in (
        ("-R", "unknown format of judgments 'nosuch'; -R accepts qrels, "),
        ("-T", "unknown format of runs 'nosuch'; -T accepts trec_results, "),
    ):
        result = run("-h", option, "nosuch")
        assert (result.status, b"Usage:" in result.stdout) == (0, True)
        assert message in " ".join(result.stderr.split())
