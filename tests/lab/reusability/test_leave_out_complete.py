"""irevalx-lab leave-out --complete: completed judgments for groups that are left out."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from shlex import split
from typing import Any

import numpy as np
import pytest
from running import ROOT, lab, lab_json, refusal, succeeded

import irevalx
import irevalx.lab
from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.experiments.run_groups import UniqueDocuments
from irevalx.lab.completion.classifiers import Classification, Collection
from irevalx.lab.completion.completion_options import CLASSIFIERS
from irevalx.lab.completion.documents import Document
from irevalx.lab.completion.predictions import Completion, CompletionRun
from irevalx.reading.formats import read_qrels
from irevalx.reading.sources.files import Source
from irevalx.trec_eval import TREC_EVAL_10

pytestmark = pytest.mark.slow


MEASURES = ("map", "bpref", "P.20:skip", "RankEff", "recip_rank")

TEXTS = {
    "w0": "wing lift flow",
    "w1": "lift of wing",
    "w2": "wing and lift again",
    "p0": "heat in plate",
    "p1": "plate heat slab",
    "p2": "slab dry heat",
    "deep": "wing lift",
    "o0": "other words",
    "o1": "in many of other documents",
}

QRELS = """\
1 0 w0 1
1 0 w1 1
1 0 p0 0
1 0 p1 0
1 0 w2 1
1 0 p2 0
1 0 deep 1
"""

RUNS = {"a1": ["w0", "p0", "w1", "p1"], "a2": ["w0", "w1", "p0", "p1", "deep"], "b1": ["p2", "w2", "w0", "p0"]}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with qrels, docs and runs."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("docs").write_text("".join(json.dumps({"id": docno, "text": text}) + "\n" for docno, text in TEXTS.items()))
    for name, docnos in RUNS.items():
        lines = (f"1 Q0 {docno} 0 {-place} {name}\n" for place, docno in enumerate(docnos))
        Path(name).write_text("".join(lines))


def summary(*args: str | Path) -> list[dict[str, Any]]:
    """Return the rows of the summary."""
    done = succeeded("leave-out", *args, "--summary", "--format", "json", stderr="")
    rows: list[dict[str, Any]] = json.loads(done.stdout)["summary"]
    return rows


SMALL = ("qrels", *RUNS, "--group-by", "[a-z]", "--depth", "4", "-m", "map num_rel")


@pytest.mark.parametrize("classifier", ["svm", "kld"])
def test_predictions_for_a_group(classifier: str) -> None:
    """Documents unique to b are predicted from the rest of the pool, and correct predictions restore its score."""
    rows = summary(*SMALL, "--complete", classifier, "--docs", "docs", "--write", "groups")
    written = sorted(Path("groups/b.qrels").read_text().splitlines())
    assert written == ["1 0 p0 0", "1 0 p1 0", "1 0 p2 0", "1 0 w0 1", "1 0 w1 1", "1 0 w2 1"]
    assert [(row["measure"], row["judgments"]) for row in rows] == [
        (measure, judgments) for measure in ("map", "num_rel") for judgments in ("biased", "nonrelevant", classifier)
    ]
    of_map = {row["judgments"]: row for row in rows if row["measure"] == "map"}
    # b has (1/2 + 2/3) / 3 with all judgments, (1/3) / 2 without what it found, and a completion without errors restores it.
    bias_of_b = (1 / 3) / 2 - (1 / 2 + 2 / 3) / 3
    # Without a's p1 and w1, the latter relevant, there is nothing to tell w1 by but w0 and w2.
    bias_of_a = [1 / 2 - (1 + 2 / 3) / 3, 1 / 2 - 2 / 3]
    assert of_map["biased"]["bias"] == pytest.approx((bias_of_b + sum(bias_of_a)) / 3)
    assert of_map["nonrelevant"]["bias"] == pytest.approx((bias_of_b + sum(bias_of_a)) / 3)
    assert of_map[classifier]["bias"] == pytest.approx(0)
    assert of_map[classifier]["rms"] == pytest.approx(0)


def test_counts_of_predictions() -> None:
    """A table counts predictions by group, and a message documents without one."""
    docs = [line for line in Path("docs").read_text().splitlines() if '"p2"' not in line]
    Path("docs").write_text("\n".join(docs) + "\n")
    done = lab("leave-out", *SMALL, "--complete", "svm", "--docs", "docs", "--format", "json")
    counts = {"only_there": 2, "relevant": 1, "predicted": 2, "predicted_relevant": 1, "right": 1}
    assert json.loads(done.stdout)["predictions"] == [
        {"group": "a"} | counts,
        {"group": "b"} | counts | {"predicted": 1},
    ]
    assert done.stderr == (
        "irevalx-lab: 1 of 4 documents that are unique to a group stay unjudged: they have no text, or there are no "
        "relevant or no nonrelevant documents to learn from\n"
    )


def test_nonrelevant() -> None:
    """--complete nonrelevant requires no documents and gives removed documents grade 0."""
    rows = summary(*SMALL, "--complete", "nonrelevant", "--write", "groups")
    assert [row["judgments"] for row in rows] == ["biased", "nonrelevant"] * 2
    written = sorted(Path("groups/b.qrels").read_text().splitlines())
    assert written == ["1 0 p0 0", "1 0 p1 0", "1 0 p2 0", "1 0 w0 1", "1 0 w1 1", "1 0 w2 0"]


def test_no_completion() -> None:
    """Without --complete the summary has no column for judgments."""
    assert all("judgments" not in row for row in summary(*SMALL))


def test_errors_of_decisions_are_named_in_words() -> None:
    """The displayed rates of leave-out, agree and labels say what they are a share of; CSV columns keep their names."""
    Path("labels").write_text(LABELS)
    under = "of the pairs that are not significantly different under the {}, the share that are under the {}"
    for words, names in (
        (("leave-out", *SMALL), ("full judgments", "reduced judgments")),
        (("labels", "qrels", "labels", *RUNS, "--resamples", "0"), ("human labels", "machine labels")),
        (("agree", "qrels", "labels", *RUNS, "-m", "map"), ()),
    ):
        done = lab(*words)
        printed = done.stdout.decode()
        assert "false differences    missed differences" in printed
        assert not {"c11", "c12", "fpr", "fnr"} & {*printed.split()}
        assert not names or under.format(*names) in done.words
    assert {"fpr", "fnr"} < set(summary(*SMALL)[0])


LABELS = "1 0 w2 1\n1 0 p2 0\n1 0 w1 1\n1 0 p1 0\n1 0 w0 0\n1 0 x 1\n"
"""All that only one group has found, as the judgments have it; another grade for w0, and a document of no run."""


def test_labels() -> None:
    """Correct labels restore every score; contradicting labels are ignored and reported."""
    Path("labels").write_text(LABELS)
    done = lab(
        "leave-out", *SMALL, "--complete", "labels", "--labels", "labels", "--format", "json", "--write", "groups"
    )
    tables = json.loads(done.stdout)
    of_map = {row["judgments"]: row for row in tables["summary"] if row["measure"] == "map"}
    assert list(of_map) == ["biased", "nonrelevant", "labels"]
    assert of_map["labels"]["rms"] == 0 < of_map["nonrelevant"]["rms"]
    assert sorted(Path("groups/b.qrels").read_text().splitlines()) == [
        *("1 0 p0 0", "1 0 p1 0", "1 0 p2 0", "1 0 w0 1", "1 0 w1 1", "1 0 w2 1")
    ]
    [a, b] = tables["predictions"]
    assert a == {"group": "a", "only_there": 2, "relevant": 1, "predicted": 2, "predicted_relevant": 1, "right": 1}
    assert b["right"] == 1
    [quality] = tables["quality of predictions"]
    assert [quality[name] for name in ("precision", "recall", "f1")] == [1, 1, 1]
    assert done.stderr == (
        "irevalx-lab: labels contradicts qrels in 1 of the 5 documents that both judge; qrels counts\n"
        "irevalx-lab: 1 labels of labels are for documents outside the pool and are left out\n"
    )


def test_labels_replace_judgments() -> None:
    """With --labels-replace labels replace grades, and unlabelled documents are unjudged."""
    Path("labels").write_text(LABELS)
    flags = ("--complete", "labels", "--labels", "labels", "--labels-replace")
    done = lab("leave-out", *SMALL, *flags, "--write", "groups", "--summary")
    assert sorted(Path("groups/b.qrels").read_text().splitlines()) == [
        *("1 0 p0 -1", "1 0 p1 0", "1 0 p2 0", "1 0 w0 0", "1 0 w1 1", "1 0 w2 1")
    ]
    assert "contradicts qrels in 1 of the 5 documents that both judge; labels counts" in done.stderr
    assert "labels does not label 1 documents that qrels judges; with --labels-replace they are unjudged" in done.stderr


def test_bias_against_unjudged_documents() -> None:
    """Shares of unjudged documents, biases and the regression line equal those by hand."""
    Path("labels").write_text(LABELS)
    flags = ("--complete", "labels", "--labels", "labels", "--holes", "2", "--quiet")
    tables = lab_json("leave-out", *SMALL, *flags)
    rows = [row for row in tables["runs"] if row["measure"] == "map" and row["judgments"] == "biased"]
    assert [(row["run"], row["holes"]) for row in rows] == [("a1", 0.0), ("a2", 0.5), ("b1", 1.0)]
    bias = [row["left_out"] - row["score"] for row in rows]
    assert [row["bias"] for row in rows] == pytest.approx(bias)
    slope, intercept = np.polyfit([0, 0.5, 1], bias, 1)
    table = tables["bias against the share of holes"]
    assert [(row["measure"], row["judgments"]) for row in table[:3]] == [
        ("map", kind) for kind in ("biased", "nonrelevant", "labels")
    ]
    assert [table[0][name] for name in ("intercept", "slope")] == pytest.approx([intercept, slope])
    assert table[0]["correlation"] == pytest.approx(np.corrcoef([0, 0.5, 1], bias)[0, 1])
    assert [table[2][name] for name in ("bias", "slope", "correlation")] == [0, 0, None]


def test_unjudged_documents_without_completion() -> None:
    """--holes adds two columns without --complete too."""
    done = lab("leave-out", *SMALL, "--holes", "4", "--format", "csv")
    head = "run,group,measure,score,left_out,rank,rank_left_out,significant"
    assert done.stdout.decode().splitlines()[0] == f"{head},holes,bias"
    assert lab("leave-out", *SMALL, "--format", "csv").stdout.decode().splitlines()[0] == head


def test_several_completions() -> None:
    """Tables have a column for judgments, in the order of the options."""
    Path("labels").write_text(LABELS)
    flags = (
        *split("--docs docs --labels labels"),
        *(word for name in ("kld", "labels", "svm") for word in ("--complete", name)),
    )
    tables = lab_json("leave-out", *SMALL, *flags, "--quiet")
    kinds = ["biased", "nonrelevant", "kld", "labels", "svm"]
    assert [row["judgments"] for row in tables["summary"] if row["measure"] == "map"] == kinds
    assert [row["judgments"] for row in tables["quality of predictions"]] == kinds[2:]
    assert [(row["group"], row["judgments"]) for row in tables["predictions"]] == [
        (group, kind) for group in "ab" for kind in kinds[2:]
    ]


def test_labels_of_other_documents() -> None:
    """Labels for no removed document are an error; unlabelled ones stay unjudged."""
    Path("labels").write_text("1 0 x 1\n1 0 w2 -1\n")
    flags = ("--complete", "labels", "--labels", "labels")
    assert "labels has no label for any of the 4 documents that are unique to a group" in refusal(
        "leave-out", *SMALL, *flags, status=2
    )
    Path("labels").write_text("1 0 w2 3\n")
    done = lab("leave-out", *SMALL, *flags)
    assert "3 of 4 documents that are unique to a group stay unjudged: labels does not label them" in done.stderr
    assert "grades reach 1 in qrels and 3 in labels: measures with gains by grade mix two scales" in done.stderr


def test_expected_precision() -> None:
    """Expected P and recip_rank follow from the probabilities that complete writes."""
    rows = json.loads(
        lab(
            *("leave-out", *SMALL[:-1], "P.2 recip_rank", "--complete", "svm-expected", "--docs", "docs"),
            *("--write", "groups", "--format", "json"),
        ).stdout
    )
    assert [row["judgments"] for row in rows["summary"]] == ["biased", "nonrelevant", "svm-expected"] * 2
    [precision, reciprocal] = [
        row["left_out"] for row in rows["runs"] if (row["run"], row["judgments"]) == ("b1", "svm-expected")
    ]
    remaining = [line for line in QRELS.splitlines() if not {"w2", "p2", "deep"} & set(line.split())]
    Path("left").write_text("\n".join(remaining) + "\n")
    options = ("--docs", "docs", "--depth", "4", "--calibrated", "--mark", "mark", "--seed", "0", "-o", "filled")
    assert lab("complete", "left", *RUNS, *options).status == 0
    p = {line.split()[2]: float(line.split()[3]) for line in remaining}
    p |= {line.split()[2]: float(line.split()[4]) for line in Path("mark").read_text().splitlines()}
    first, second, third, _ = (p[docno] for docno in RUNS["b1"])
    assert 0 < first < second < 1 == third
    assert precision == pytest.approx((first + second) / 2, abs=1e-6)
    expected = first + (1 - first) * second / 2 + (1 - first) * (1 - second) / 3
    assert reciprocal == pytest.approx(expected, abs=1e-6)


class Optimist:
    """A classifier that finds everything relevant and records its training sets."""

    def __init__(self) -> None:
        self.learned: list[dict[int, bool]] = []

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Say yes."""
        self.learned.append(dict(zip(judged.tolist(), relevant.tolist(), strict=True)))
        return Classification(np.ones(unknown.size, np.bool_), np.ones(unknown.size))


def test_unpredicted_documents() -> None:
    """Removed documents without text or training set are pooled but unjudged."""
    qrels = Source("qrels", (QRELS + "1 0 gone 1\n1 0 o0 -1\n2 0 w0 1\n2 0 w1 0\n").encode())
    judgments = read_qrels(qrels, TREC_EVAL_10, strict=True, warn=pytest.fail)
    documents = [Document(docno.encode(), text, "docs:1") for docno, text in TEXTS.items()]
    collection = Collection.of(documents, set(judgments.docnos.texts()))
    optimist = Optimist()
    treatment = CompletionRun(Completion(judgments, collection, optimist))
    docnos = judgments.docnos.texts()
    removed = np.array([docno in {b"p2", b"gone", b"w1"} for docno in docnos])
    in_pool = np.array([docno != b"deep" for docno in docnos])
    removal = UniqueDocuments("b", np.array([False, True]), in_pool, removed, removed)
    for _ in range(2):
        grades, pooled = treatment(removal, judgments.grades)
        # topic 1: w0 w1 p0 p1 w2 p2 deep gone o0; topic 2: w0 w1
        assert grades.tolist() == [1, 1, 0, 0, 1, 1, 1, -1, -1, 1, -1]
        assert pooled.tolist() == in_pool.tolist()
    names = [docno.decode() for docno in collection.docnos]
    learned = [{names[place]: relevant for place, relevant in answers.items()} for answers in optimist.learned]
    assert learned == [{"w0": True, "p0": False, "p1": False, "w2": True}]  # once; without deep, w1, p2 and o0


@pytest.fixture(scope="module")
def change(cranfield: Path) -> dict[tuple[str, int, str], float]:
    """The mean change of rank of left-out runs on cranfield, by measure, depth and judgments."""
    files: dict[str, Any] = {"qrels": cranfield / "qrels.gz", "runs": sorted((cranfield / "runs").iterdir())}
    results: dict[tuple[str, int, str], float] = {}
    for depth in (10, 20):
        options: dict[str, Any] = {"complete": [*CLASSIFIERS], "documents": cranfield / "docs.jsonl.gz", "depth": depth}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", irevalx.IrevalxWarning)
            left_out = irevalx.lab.leave_out(**files, measures=MEASURES, group_by="^[a-z]+", **options)
        requested = [measure for measure in MEASURES for _ in left_out.evaluations]
        rows = zip(requested, left_out.summary, strict=True)
        results |= {(measure, depth, row.judgments): row.rank_change for measure, row in rows}
    return results


def test_completion_helps_on_cranfield(change: dict[tuple[str, int, str], float]) -> None:
    """At depth 10 completion reduces changes of rank (Büttcher et al. 2007, section 5.3 and Table 7)."""
    for measure in ("map", "bpref"):
        assert change[measure, 10, "svm"] < change[measure, 10, "biased"]
        assert change[measure, 10, "svm"] < change[measure, 10, "nonrelevant"]
    # What the definitions measured without completion.
    assert change["map", 10, "biased"] == pytest.approx(0.500, abs=5e-4)
    assert change["bpref", 10, "biased"] == pytest.approx(0.967, abs=5e-4)
    assert change["bpref", 10, "nonrelevant"] == pytest.approx(0.267, abs=5e-4)


def test_table_of_the_documentation(change: dict[tuple[str, int, str], float]) -> None:
    """The table in docs/predicted-judgments.md has the measured numbers."""
    kinds = [(depth, judgments) for depth in (10, 20) for judgments in ("biased", "nonrelevant", "svm", "kld")]
    section = (
        (ROOT / "docs" / "predicted-judgments.md")
        .read_text()
        .partition("\n## Whether predictions reduce the bias\n")[2]
    )
    rows = [line for line in section.splitlines() if line.startswith("| `")][:5]
    assert rows == [
        f"| `{measure}` | {' | '.join(f'{change[measure, depth, kind]:.2f}' for depth, kind in kinds)} |"
        for measure in MEASURES
    ]
