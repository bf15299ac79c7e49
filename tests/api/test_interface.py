"""``irevalx.evaluate``: the numbers of the command, its options, its errors and its warnings."""

from __future__ import annotations

import io
import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples.python_data import BM25, DENSE, EXAMPLE, QRELS, qrels_dict, run_dict
from references import recorded_answers
from running import FIXTURES, run

import irevalx
from irevalx.measures import BY_NAME

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


INPUTS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "paths": (lambda: QRELS, lambda: BM25),
    "names": (lambda: str(QRELS), lambda: str(BM25)),
    "open files": (QRELS.open, lambda: BM25.open("rb")),
    "text": (lambda: io.StringIO(QRELS.read_text()), lambda: io.BytesIO(BM25.read_bytes())),
    "dictionaries": (qrels_dict, run_dict),
    "read": (lambda: irevalx.Qrels.read(QRELS), lambda: irevalx.Run.read(BM25)),
    "read dictionaries": (lambda: irevalx.Qrels.read(qrels_dict()), lambda: irevalx.Run.read(run_dict())),
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("compat", ["9", "10"])
def test_the_numbers_of_the_command(name: str, compat: str) -> None:
    """Whatever form the data has, values and order are those that the command prints, unrounded."""
    qrels, results = (give() for give in INPUTS[name])
    scores = irevalx.evaluate(qrels, results, "all", compat=compat, complete=True)
    for stream in (qrels, results):
        if hasattr(stream, "close"):
            stream.close()
    printed = run(
        "--quiet", "-q", "-c", "--compat", compat, "-m", "all", "--format", "tsv", QRELS, BM25
    ).stdout.decode()
    expected = [line.split("\t")[1:] for line in printed.splitlines()[1:]]
    evaluated = [
        [row.topic, row.measure, row.value if isinstance(row.value, str) else repr(row.value)]
        for row in scores.to_records()
    ]
    assert evaluated == expected


def test_options() -> None:
    """Every option has the effect that it has on the command line."""
    for keywords, flags in (
        ({"level": 2}, ("-l", "2")),
        ({"judged_only": True}, ("-J",)),
        ({"max_retrieved": 3}, ("-M", "3")),
        ({"topic": "302"}, ("-D", "0.302")),
        ({"infap_c": 1.5, "infap_epsilon": 0.1}, ("--infap-c", "1.5", "--infap-epsilon", "0.1")),
        ({"sample_rate": 0.5}, ("--sample-rate", "0.5")),
        ({"unjudged": ["skip", "nonrel"]}, ("--unjudged", "skip,nonrel")),
        ({"pool": EXAMPLE / "pool"}, ("--pool", str(EXAMPLE / "pool"))),
    ):
        measures = ["map", "infAP", "subAP", "num_ret"]
        typed = [flag for name in measures for flag in ("-m", name)]
        scores = irevalx.evaluate(QRELS, BM25, measures, **keywords)
        expected = run("--quiet", *typed, *flags, QRELS, BM25).stdout.decode().splitlines()
        results = [
            f"{name:<22}\tall\t" + (f"{v:6.4f}" if not name.startswith("num_") else f"{v:g}")
            for name in scores.measures
            for v in [scores[name]]
        ]
        assert results == expected
    sampled = irevalx.evaluate(EXAMPLE / "sampled.qrels", BM25, "xinfAP", rel_format="sampled")
    assert 0 < sampled["xinfAP"] < 1


def test_several_runs() -> None:
    """A sequence of runs, or runs by name; each is found by its name."""
    both = irevalx.evaluate(QRELS, [BM25, DENSE], ["map", "P.5"])
    assert both.runs == ["bm25", "dense"]
    assert both.measures == ["map", "P_5"]
    assert both.topics("bm25") == ["301", "302", "303", "304"]
    named = irevalx.evaluate(QRELS, {"a": run_dict(), "b": DENSE, "c": irevalx.Run.read(BM25)}, "map")
    assert named.runs == ["a", "b", "c"]
    assert [named.summary("map", name) for name in "abc"] == [
        both.summary("map", run) for run in ("bm25", "dense", "bm25")
    ]


def test_a_run_read_once_serves_both_versions(tmp_path: Path) -> None:
    """Scores are rounded by the version that is followed, not by the first that was."""
    (tmp_path / "run").write_text("1 Q0 A 1 1.000000001 r\n1 Q0 B 2 1.0 r\n")
    read = irevalx.Run.read(tmp_path / "run")
    qrels = {"1": {"A": 1, "B": 0}}
    for _ in range(2):  # the second time there is no file any more
        results = [irevalx.evaluate(qrels, read, "recip_rank", compat=version)["recip_rank"] for version in ("9", "10")]
        assert results == [0.5, 1.0]
        (tmp_path / "run").unlink(missing_ok=True)


def test_errors_are_exceptions() -> None:
    """What would end the command is raised; what it would say on standard error is a warning."""
    for arguments, message in (
        ((QRELS, BM25, "P.0"), "of P: .0. is not an integer of at least 1"),
        (({"1": {"A": 1}}, {"1": {"B": 1, "A": 10**400}}, "map"), "'A': score must be a 64-bit number"),
        (({"1": {"A": 1}}, {"2": {"A": 1}}, "map"), "no topic has both"),
    ):
        with pytest.raises(irevalx.IrevalxError, match=message):
            irevalx.evaluate(*arguments)
    with pytest.warns(irevalx.IrevalxWarning, match="1 of 5 judged topics without results"):
        irevalx.evaluate(QRELS, BM25, "map")


@pytest.mark.parametrize(
    "name", ["pf_all_prefs", "pf_Rnonrel_recount", "pf_ties_docno_ascending", "pf_qrels_prefs_two_jg"]
)
@pytest.mark.parametrize(("compat", "version"), [("9", "v9.0.8"), ("10", "v10.0")])
def test_preferences(name: str, compat: str, version: str) -> None:
    """Judgments that are preferences give what trec_eval printed for them, whatever form the run has."""
    [*_, rel_format, _, measures, qrels, results] = recorded_answers.BY_NAME[name]["argv"]
    printed = [line.split("\t") for line in recorded_answers.BY_NAME[name][version]["stdout"].splitlines()]
    expected = {(topic, measure.strip()): value for measure, topic, value in printed if measure.strip() != "runid"}
    folder = FIXTURES / "golden" / "data"
    read = irevalx.Qrels.read(folder / qrels, rel_format=rel_format)
    with (folder / results).open() as stream:
        scores = irevalx.parse_run(stream)
    for result in (
        irevalx.evaluate(folder / qrels, folder / results, measures, rel_format=rel_format, compat=compat),
        irevalx.evaluate(read, scores, [measures], compat=compat),
    ):
        values = {(row.topic, row.measure): row.value for row in result.to_records()}
        assert {key: f"{v:6.4f}" if isinstance(v, float) else str(v) for key, v in values.items()} == expected


def test_errors_about_preferences() -> None:
    """Preferences cannot have a pool, measures of grades, or contradictions."""
    folder = FIXTURES / "golden" / "data"
    read = irevalx.Qrels.read(folder / "p.prefs", rel_format="prefs")
    for arguments, keywords, message in (
        ((read, folder / "p.run", "map"), {}, "measure 'map' requires judgments in the format qrels"),
        ((QRELS, BM25, "prefs"), {}, "requires judgments in the format prefs or qrels_prefs"),
        ((read, folder / "p.run", "prefs"), {"pool": {"1": ["A"]}}, "pool cannot be combined with"),
        ((folder / "p.prefs", folder / "p.run", "prefs"), {"rel_format": "nosuch"}, "'nosuch'"),
        ((folder / "p_cycle.prefs", folder / "p_tie.run", "prefs"), {"rel_format": "prefs"}, "contradict|both"),
    ):
        with pytest.raises(irevalx.IrevalxError, match=message):
            irevalx.evaluate(*arguments, **keywords)


def test_warnings_name_the_line_that_called() -> None:
    """A warning says where in the user's program it came from, however deep in irevalx it was noticed."""
    wanting = {"1": {"A": 1}, "2": {"A": 1}}
    calls: list[Callable[[], Any]] = [
        lambda: irevalx.evaluate(wanting, {"1": {"A": math.inf}}, "map"),
        lambda: irevalx.evaluate(QRELS, BM25, ["map", "map.5"]),
        lambda: irevalx.Qrels.read(io.BytesIO(b"1 0 A 1x\n")),
        lambda: irevalx.Qrels.read({"1": {"A": 1}}, pool={"2": ["A"]}),
        lambda: irevalx.evaluate(wanting, irevalx.Run.read(io.BytesIO(b"1 Q0 A 1 1x r\n")), "map"),
    ]
    for call in calls:
        with pytest.warns(irevalx.IrevalxWarning) as caught:
            call()
        places = {(warning.filename, warning.lineno) for warning in caught}
        assert places == {(__file__, call.__code__.co_firstlineno)}


def test_the_package_is_light() -> None:
    """Importing irevalx imports neither numpy nor Click; names that do not exist are missing as usual."""
    script = "import sys, irevalx; assert not {'numpy', 'click', 'tabulate'} & set(sys.modules); irevalx.evaluate; assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(AttributeError, match="has no attribute 'nosuch'"):
        irevalx.nosuch  # noqa: B018
    assert all(hasattr(irevalx, name) for name in irevalx.__all__)


class Terminal(io.StringIO):
    """Standard error, as a terminal or not."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        """Return whether it is one."""
        return self.is_terminal


@pytest.mark.parametrize(("is_terminal", "in_notebook"), [(True, False), (False, True), (False, False)])
def test_progress(monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool, in_notebook: bool) -> None:
    """A call that asks for it says how far it has come, on a terminal and in a notebook, and leaves nothing behind."""
    monkeypatch.setattr("irevalx.process.progress.PATIENCE", 0.0)
    monkeypatch.setattr("irevalx.process.progress.PAUSE", 0.0)
    if in_notebook:
        monkeypatch.setitem(sys.modules, "ipykernel", sys)
    for progress in (True, False):
        stderr = Terminal(is_terminal=is_terminal)
        monkeypatch.setattr(sys, "stderr", stderr)
        irevalx.evaluate(QRELS, [BM25, DENSE], "map", progress=progress)
        printed = stderr.getvalue()
        if progress and (is_terminal or in_notebook):
            assert "run 1 of 2" in printed
            assert "run 2 of 2" in printed
            assert printed.endswith("\r\x1b[K")
        else:
            assert printed == ""


def test_no_warnings_of_python() -> None:
    """Nothing but irevalx's own warnings comes out of an evaluation."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", irevalx.IrevalxWarning)
        irevalx.evaluate(QRELS, [BM25, DENSE], [name for name in BY_NAME if "qrels" in BY_NAME[name].formats])


def test_a_t_test_imports_little() -> None:
    """A comparison with t tests and t intervals does not import scipy.stats, which takes longer than the comparison."""
    script = (
        "import sys, irevalx.lab as lab\n"
        "qrels = {str(t): {'a': 1, 'b': 0, 'c': t % 2} for t in range(30)}\n"
        "x, y = ({t: {'a': a, 'b': b, 'c': int(t) % 3} for t in qrels} for a, b in ((2, 1), (1, 2)))\n"
        "print(len(lab.compare(qrels, {'x': x, 'y': y}, 'map').rows), 'scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "1 False\n"
