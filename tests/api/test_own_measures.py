"""Measures of users: declared in a program, offered by a package, asked for wherever measures are."""

from __future__ import annotations

import math
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doc_pages import PAGES, blocks
from running import FIXTURES, run

import irevalx
import irevalx.lab
from irevalx.api.custom_measures import declarations, declare_again
from irevalx.arrays.segments import Segments
from irevalx.cli.explanations import effects
from irevalx.errors import ArgumentError, EvaluationError, UsageError
from irevalx.experiments.ranked_runs import GEOMETRIC_MEAN, scale_named
from irevalx.lab.plotting.ranges import measure_printed_as
from irevalx.measures import declaration
from irevalx.measures.declaration import Measure
from irevalx.process import workers
from irevalx.statistics.significance import TOTAL

EXAMPLE = FIXTURES / "example"
RUNS = [str(EXAMPLE / "bm25.run"), str(EXAMPLE / "dense.run")]
PAGE = PAGES["docs/your-own-measure.md"]

GRADES = {"1": {"A": 1, "B": 0, "C": 2}, "2": {"A": 1}, "3": {"A": 1, "D": 1}}
RETRIEVED = {"1": {"A": 3.0, "B": 2.0, "C": 1.0}, "2": {"X": 1.0}, "3": {"X": 2.0, "D": 1.0}}

pytestmark = [pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning"), pytest.mark.slow]


def precision_with(name: str = "my_P", **arguments: Any) -> Measure:
    """Return precision as a user would write it."""

    @irevalx.measure(name, **({"cutoffs": [5, 10], "value_range": (0, 1)} | arguments))
    def kernel(t: irevalx.Topics, k: int) -> Any:
        """Precision again.

        Formula: rel(K)/K.
        """
        return t.rows.count(t.relevant & (t.rank <= k)) / k

    return kernel


def literal_precision(topic: str, k: int) -> float:
    """Return the share of relevant documents among the first k, counted one by one."""
    retrieved = sorted(RETRIEVED[topic], key=lambda docno: -RETRIEVED[topic][docno])
    return len([docno for docno in retrieved[:k] if GRADES[topic].get(docno, 0) > 0]) / k


def test_asked_for_like_any_other() -> None:
    """By itself, at cutoffs, by its name in any case, in readings, at a level; values are those of a loop."""
    mine = precision_with()
    for request in (mine @ 2, "my_P@2", "MY_p@2", "my_P.2", "my_P_2", "my_P_at_2"):
        scores = irevalx.evaluate(GRADES, RETRIEVED, ["map", request])
        assert scores.per_topic("my_P_2").tolist() == [literal_precision(topic, 2) for topic in "123"]
        assert scores.summary("my_P_2") == sum(literal_precision(topic, 2) for topic in "123") / 3
    assert irevalx.evaluate(GRADES, RETRIEVED, mine).measures == ["my_P_5", "my_P_10"]
    assert irevalx.evaluate(GRADES, RETRIEVED, {mine, "map"}).measures == ["map", "my_P_5", "my_P_10"]
    spelt = ["my_P@3:skip", "my_P(rel=2)@3", "my_P@3:rel"]
    ours = irevalx.evaluate(GRADES, RETRIEVED, spelt).to_dict()["run"]
    theirs = irevalx.evaluate(GRADES, RETRIEVED, [text.replace("my_P", "P") for text in spelt]).to_dict()["run"]
    assert [list(values.values()) for values in ours.values()] == [list(values.values()) for values in theirs.values()]


def test_same_values_everywhere() -> None:
    """Precision of one's own has the values of P in files, -c, -J, -M, frames, z-scores, and comparisons."""
    mine = precision_with()
    for options in (
        {},
        {"complete": True},
        {"judged_only": True},
        {"max_retrieved": 3},
        {"compat": "9"},
        {"topic": 301},
    ):
        scores = irevalx.evaluate(EXAMPLE / "qrels", RUNS, ["P@5", mine @ 5], **options)
        for name in scores.runs:
            assert scores.per_topic("P_5", name).tolist() == scores.per_topic("my_P_5", name).tolist()
            assert scores["P_5", name] == scores["my_P_5", name]
    frame = irevalx.evaluate(EXAMPLE / "qrels", RUNS, ["P@5", mine @ 5]).to_frame(wide=True)
    assert frame["P_5"].tolist() == frame["my_P_5"].tolist()
    of_p, of_mine = (irevalx.lab.compare(EXAMPLE / "qrels", RUNS, measure).rows for measure in ("P@5", mine @ 5))
    assert [(row.difference, row.p) for row in of_p] == [(row.difference, row.p) for row in of_mine]
    swaps = irevalx.lab.swap_rate(EXAMPLE / "qrels", RUNS, ["P@5", mine @ 5], seed=1, sizes=[2]).rows
    assert {row.measure for row in swaps} == {"P_5", "my_P_5"}


def test_zscores(tmp_path: Path) -> None:
    """-Z converts its values by the name that they are printed under."""
    precision_with()
    (tmp_path / "z").write_text("301 P_5 0.5 0.1\n301 my_P_5 0.5 0.1\n")
    lines = run(
        "-q", "-n", "-Z", tmp_path / "z", "-D", "0.301", "-m", "P@5", "-m", "my_P@5", EXAMPLE / "qrels", RUNS[0]
    )
    assert [line.split()[1:] for line in lines.stdout.splitlines()] == [[b"301", b"1.0000"]] * 2


def test_parameters() -> None:
    """Numbers with names come after the cutoff, in their order."""
    seen = []

    @irevalx.measure("with_all", cutoffs=[4], parameters={"p": 0.5, "q": 2})
    def with_all(t: irevalx.Topics, k: int, p: float, q: float) -> Any:
        seen.append((k, p, q))
        return [0] * t.rows.n

    @irevalx.measure("with_p", parameters={"p": 0.5})
    def with_p(t: irevalx.Topics, p: float) -> Any:
        return np.full(t.rows.n, p)

    scores = irevalx.evaluate(GRADES, RETRIEVED, [with_all, "with_all.q=3,7", "with_p.p=0.25", with_p])
    assert seen == [(4, 0.5, 2.0), (7, 0.5, 3.0)]
    assert scores.to_dict()["run"]["all"] == {
        "with_all_4": 0,
        "with_all_7_q=3": 0,
        "with_p_p=0.25": 0.25,
        "with_p": 0.5,
    }
    with pytest.raises(UsageError, match=r"^invalid parameters 'r=1' of with_p: must be p=P, each at most once$"):
        irevalx.evaluate(GRADES, RETRIEVED, "with_p.r=1")


def test_summary_range_and_direction() -> None:
    """What is declared is what tables, figures and comparisons go by."""
    declared = {
        measure.name: measure
        for measure in (
            precision_with("my_gm", summary="geometric mean"),
            precision_with("my_sum", summary="sum", better="neither"),
            precision_with("my_low", better="lower", value_range=(-2, 3)),
        )
    }
    scores = irevalx.evaluate(GRADES, RETRIEVED, [measure @ 1 for measure in declared.values()])
    values = [literal_precision(topic, 1) for topic in "123"]
    assert scores["my_sum_1"] == sum(values)
    assert scores["my_gm_1"] == pytest.approx(np.prod(np.maximum(values, 0.00001)) ** (1 / 3), rel=1e-12)
    assert [scale_named("my_gm"), scale_named("my_sum")] == [GEOMETRIC_MEAN, TOTAL]
    printed = measure_printed_as("my_low_10:skip")
    assert printed is declared["my_low"]
    assert (printed.value_range.low, printed.value_range.high) == (-2, 3)
    assert (printed.higher_is_better, printed.lower_is_better) == (False, True)


def failing(result: Any) -> Callable[[Any], Any]:
    """Return a function that returns or raises this."""

    def kernel(t: irevalx.Topics) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    return kernel


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([1.0], r"not shape \(1,\)$"),
        (np.zeros((3, 2)), r"not shape \(3, 2\)$"),
        (5.0, r"not 5\.0$"),
        (None, "not None$"),
        ([[1], [1, 2], []], "not (an object of type list|values of type object)"),  # the latter before numpy 1.24
        (["a", "b", "c"], "not values of type <U1$"),
        ([None, 1, 2], "not values of type object$"),
        ([1j, 1, 2], "not values of type complex128$"),
        ([0.0, float("nan"), float("nan")], "it returned nan for 2 of them$"),
        (ZeroDivisionError("no"), "raised ZeroDivisionError: no"),
        (ValueError("two\nlines"), "raised ValueError: two$"),
    ],
    ids=str,
)
def test_errors_name_the_measure(result: Any, message: str) -> None:
    """Whatever a function does wrong is told in words, and ends the command with 4."""
    mine = irevalx.measure("broken")(failing(result))
    rule = "" if message.startswith("raised") else "must return one number for each of 3 topics[,;] "
    with pytest.raises(EvaluationError, match=f"^the measure 'broken' {rule}{message}"):
        irevalx.evaluate(GRADES, RETRIEVED, mine)
    failed = run("-m", "broken", EXAMPLE / "qrels", RUNS[0])
    assert failed.status == 4
    assert "irevalx: the measure 'broken' " in failed.stderr


@pytest.mark.parametrize(
    "result", [[True, False, True], [1, 0, 1], np.array([1, 0, 1], np.float32), (1.0, 0.0, np.inf)]
)
def test_what_counts_as_a_number(result: Any) -> None:
    """Truth values, whole numbers and any size of real numbers do."""
    scores = irevalx.evaluate(GRADES, RETRIEVED, irevalx.measure("fine")(failing(result)))
    assert scores.per_topic("fine").tolist() == [float(value) for value in result]


def test_declared_again() -> None:
    """A later declaration of the same module counts; the earlier one and another module's are refused."""
    before = irevalx.measure("again")(failing([1, 1, 1]))
    irevalx.measure("again")(failing([2, 2, 2]))
    assert irevalx.evaluate(GRADES, RETRIEVED, "again")["again"] == 2
    with pytest.raises(ArgumentError, match=r"^measures contains two different declarations of again; pass"):
        irevalx.evaluate(GRADES, RETRIEVED, before)
    elsewhere = failing([3, 3, 3])
    elsewhere.__module__ = "somewhere.else"
    with pytest.raises(UsageError, match=r"'again' is already taken by a measure of .*test_own_measures"):
        irevalx.measure("again")(elsewhere)
    with pytest.raises(ArgumentError, match=r"^the measure 'again' must be a function, not 5$"):
        irevalx.measure("again")(5)  # type: ignore[arg-type]


def test_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that share runs, or one run, have the measure, and send back what is known of it."""
    precision_with()
    monkeypatch.setattr(workers, "BIG", 1)
    alone, shared = (run("--threads", number, "-q", "-m", "my_P", EXAMPLE / "qrels", *RUNS) for number in ("1", "2"))
    assert alone.stdout == shared.stdout != b""
    assert pickle.loads(pickle.dumps(declaration.ADDED["my_P"])) is declaration.ADDED["my_P"]  # noqa: S301 - it is ours


def test_declared_in_another_process() -> None:
    """What Spark's workers are sent declares the same measure there, and nothing here."""
    mine = precision_with(parameters=None, better="lower", summary="sum")
    sent = declarations()
    declare_again(sent)
    assert declaration.ADDED["my_P"] is mine
    values = irevalx.evaluate(GRADES, RETRIEVED, "my_P").to_dict()
    declaration.ADDED.clear()
    declare_again(sent)
    there = declaration.ADDED["my_P"]
    assert there is not mine
    assert irevalx.evaluate(GRADES, RETRIEVED, "my_P").to_dict() == values
    assert (there.lower_is_better, there.summary, there.kind.usage) == (True, mine.summary, mine.kind.usage)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder in which the package of the page is installed, as pip would, beside one that cannot be imported."""
    [module] = [block for _, block in blocks("python", PAGE) if "test_late" in block]
    [project] = [block for _, block in blocks("toml", PAGE)]
    entry = re.search(r'\[project\.entry-points\."(.+)"\]\n(.+)\n', project)
    assert entry
    installed = {
        "late_measures": (entry[1], entry[2].replace('"', "")),
        "broken": (declaration.GROUP, "gone = broken:gone"),
    }
    for name, (group, line) in installed.items():
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[{group}]\n{line}\n")
    (tmp_path / "late_measures.py").write_text(module.partition("def test_late")[0])
    (tmp_path / "broken.py").write_text('import irevalx\nirevalx.measure("map")\n')
    return tmp_path


def installed(site: Path, *words: str | Path, module: str = "irevalx") -> tuple[int, str, str]:
    """Return status, output and messages of a command in an environment where the packages are installed."""
    environment = os.environ | {"PYTHONPATH": str(site)}
    command = [sys.executable, "-m", module, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_offered_by_a_package(site: Path) -> None:
    """The command finds, explains, lists and completes it; one that cannot be loaded is told where it may be meant."""
    files = (EXAMPLE / "qrels", RUNS[0])
    status, printed, _ = installed(site, "-m", "LATE", "-D", "0.301", *files)
    assert (status, printed.split()[-1]) == (0, f"{late_by_hand():.4f}")
    status, printed, _ = installed(site, "-h", "-m", "late")
    assert printed.startswith("late: Mean rank of the relevant documents that were retrieved; 0 where there is none\n")
    _, printed, _ = installed(site, "--list-measures")
    assert "Provided by installed packages:\n    late     " in printed
    assert "the measure 'gone' of broken cannot be loaded: it raised ArgumentError: name: " in " ".join(printed.split())
    status, _, message = installed(site, "-m", "lat", *files)
    assert status == 1
    assert "; did you mean late?" in message
    assert "; the measure 'gone' of broken cannot be loaded" in message
    environment = {"_IREVALX_COMPLETE": "bash_complete", "COMP_WORDS": "irevalx -m lat", "COMP_CWORD": "2"}
    program = (
        "import sys; sys.argv = ['irevalx']; from irevalx.cli.command import command; command(prog_name='irevalx')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "plain,late" in done.stdout
    status, printed, _ = installed(site, "compare", "-m", "map late", *files, RUNS[1], module="irevalx.lab")
    assert status == 0
    assert "\nlate " in printed


def late_by_hand() -> float:
    """Return the mean rank of the relevant documents of topic 301 that the first run has."""
    grades = {
        words[2]: int(words[3])
        for words in map(str.split, (EXAMPLE / "qrels").read_text().splitlines())
        if words[0] == "301"
    }
    scores = {
        words[2]: float(words[4])
        for words in map(str.split, Path(RUNS[0]).read_text().splitlines())
        if words[0] == "301"
    }
    ranked = sorted(scores, key=lambda docno: (scores[docno], docno), reverse=True)
    ranks = [rank for rank, docno in enumerate(ranked, 1) if grades.get(docno, 0) > 0]
    return sum(ranks) / len(ranks)


def test_packages_are_left_alone(site: Path) -> None:
    """A call whose names are known does not look for packages, be it that one has a name of irevalx's."""
    program = (
        "import sys; from irevalx.cli.command import main\n"
        "status = main(sys.argv[1:])\n"
        "sys.exit(status or 'importlib.metadata' in sys.modules or 'late_measures' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "-m", "map", "-m", "AP@5", EXAMPLE / "qrels", RUNS[0]],
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


PUBLIC = {
    irevalx.Topics: "rows rank grade judged relevant nonrelevant relevant_above nonrelevant_above n_ret n_rel n_nonrel "
    "n_judged n_rel_ret n_judged_ret hits_within judged_within pool pool_grade weight pool_weight ideal ideal_grade level collection_size",
    Segments: "n size lengths ids position spread sum count max first running_count running_sum",
}
"""What measures of users may use: removing a name breaks their programs."""


def rows_of(table: str) -> Iterator[str]:
    """Yield the names in the first column of the table whose head begins so."""
    lines = iter(PAGE.partition(f"| {table} |")[2].splitlines()[2:])
    for line in lines:
        if not line.startswith("|"):
            return
        yield from (re.match(r"\w+", code)[0] for code in re.findall("`(.+?)`", line.split("|")[1]))  # type: ignore[index]


def test_what_is_public() -> None:
    """The page lists what is public, and it is there with the meaning that the page gives."""
    assert list(rows_of("attribute of `t: Topics`")) == PUBLIC[irevalx.Topics].split()
    assert list(rows_of("attribute of `rows`")) == PUBLIC[Segments].split()
    seen = []

    @irevalx.measure("looking")
    def looking(t: irevalx.Topics) -> Any:
        seen.append(t)
        return t.n_ret

    irevalx.evaluate(GRADES, RETRIEVED, looking)
    [t] = seen
    listed = {name: getattr(t, name) for name in PUBLIC[irevalx.Topics].split()}
    arrays = {name: value.tolist() for name, value in listed.items() if isinstance(value, np.ndarray)}
    assert arrays == {
        "rank": [1, 2, 3, 2],
        "grade": [1, 0, 2, 1],
        "judged": [True] * 4,
        "relevant": [True, False, True, True],
        "nonrelevant": [False, True, False, False],
        "relevant_above": [0, 1, 1, 0],
        "nonrelevant_above": [0, 0, 1, 0],
        "n_ret": [3, 1, 2],
        "n_rel": [2, 1, 2],
        "n_nonrel": [1, 0, 0],
        "n_judged": [3, 1, 2],
        "n_rel_ret": [2, 0, 1],
        "n_judged_ret": [3, 0, 1],
        "pool_grade": [1, 0, 2, 1, 1, 1],
        "weight": [],
        "pool_weight": [],
        "ideal_grade": [2, 1, 1, 1, 1],
    }
    assert [t.hits_within(2).tolist(), t.judged_within(2).tolist()] == [[1, 0, 1], [2, 0, 1]]
    assert (t.level, t.collection_size) == (1, 0)
    rows = t.rows
    assert [rows.n, rows.size, rows.lengths.tolist()] == [3, 4, [3, 0, 1]]
    assert [rows.ids.tolist(), rows.position.tolist()] == [[0, 0, 0, 2], [0, 1, 2, 0]]
    assert rows.spread(np.array([7, 8, 9])).tolist() == [7, 7, 7, 9]
    x = np.array([1.0, 2.0, 4.0, 8.0])
    assert [rows.sum(x).tolist(), rows.running_sum(x).tolist()] == [[7, 0, 8], [1, 3, 7, 8]]
    assert [rows.count(t.relevant).tolist(), rows.running_count(t.relevant).tolist()] == [[2, 0, 1], [1, 1, 2, 1]]
    assert [rows.max(x, empty=0).tolist(), rows.first(t.relevant).tolist()] == [[4, 0, 8], [0, -1, 0]]
    assert [t.pool.lengths.tolist(), t.ideal.lengths.tolist()] == [[3, 1, 2], [2, 1, 2]]


@pytest.mark.parametrize("options", [{"ties": "expected"}, {"grades": "probability"}], ids=str)
def test_options_without_a_formula(options: dict[str, Any]) -> None:
    """Where values are expectations a function of a user is refused by name: it would see only one of the cases."""
    mine = precision_with()
    with pytest.raises(
        UsageError, match="^my_P cannot be combined with " + '{}="{}"'.format(*next(iter(options.items())))
    ):
        irevalx.evaluate({"1": {"A": 1}}, {"1": {"A": 1.0}}, mine, **options)


def test_real_grades() -> None:
    """With real grades, they are what the function sees."""

    @irevalx.measure("gained")
    def gained(t: irevalx.Topics) -> Any:
        return t.rows.sum(np.maximum(t.grade, 0.0))

    scores = irevalx.evaluate({"1": {"A": 0.25, "B": 0.5}}, {"1": {"A": 1.0, "B": 0.5}}, gained, grades="real")
    assert scores["gained"] == 0.75


def test_geometric_means_of_negative_values_are_told() -> None:
    """Values below 0 count as 0.00001, in evaluate and in compare; exp of the mean of the logarithms, by hand."""

    @irevalx.measure("below_0", value_range=(-2, 1), summary="geometric mean")
    def below_0(t: irevalx.Topics) -> Any:
        return t.n_rel_ret - 1.5

    qrels = {"1": {"A": 1}, "2": {"A": 1, "B": 1}}
    run = {"1": {"A": 1.0}, "2": {"A": 1.0, "B": 0.5}}
    message = "below_0: 1 of 2 values are negative; the geometric mean replaces them by 0.00001"
    with pytest.warns(irevalx.IrevalxWarning, match=message):
        scores = irevalx.evaluate(qrels, run, below_0)
    assert scores["below_0"] == pytest.approx(math.sqrt(0.00001 * 0.5))
    with pytest.warns(irevalx.IrevalxWarning) as heard:
        irevalx.lab.compare(qrels, {"one": run, "two": run}, below_0)
    assert any("2 of 4 values are negative" in str(warning.message) for warning in heard)
    assert "no effect" not in "\n".join(line for line in effects(below_0) if line.startswith("Pool:"))
