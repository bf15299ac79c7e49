"""irevalx-lab estimate with human judgments of a random sample of each topic's documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import log2
from pathlib import Path
from random import Random
from statistics import mean, variance

import pytest
from examples.experiment import EXPERIMENT, MACHINE, QRELS
from references.ranked_files import ranked
from running import lab, lab_told, refusal
from scipy import stats

import irevalx
from irevalx.lab import degrade, estimate

RUNS = [EXPERIMENT / "runs" / name for name in ("count2", "vector1")]
STRATA = "depth 1-5:50% 6-20:30% rest:20%"

COLUMNS = [
    *("measure", "run", "against", "estimate", "low", "high", "standard_error", "document_error", "lambda"),
    *("classical", "classical_low", "classical_high", "machine", "topics", "documents", "effective_documents"),
    *("p", "corrected_p", "differ", "simultaneous_low", "simultaneous_high"),
]


estimates = partial(lab_told, "estimate")


@pytest.fixture
def samples(tmp_path: Path) -> dict[str, Path]:
    """Return the same sample of the judgments in both formats."""
    paths = {}
    for form in ("sampled", "prels"):
        paths[form] = tmp_path / form
        every = sorted((EXPERIMENT / "runs").iterdir())
        result = degrade(QRELS, every, strata=STRATA, seed=3, sample_format=form)
        paths[form].write_bytes(result.text)
    return paths


WEIGHTS: dict[str, Callable[[int], float]] = {
    "P_10": lambda rank: 0.1 if rank <= 10 else 0.0,
    "dcg": lambda rank: 1 / log2(rank + 1),
    "rbp_p=0.8,2=1": lambda rank: 0.2 * 0.8 ** (rank - 1),
}


def literal(prels: Path, measure: str, runs: Sequence[Path]) -> dict[str, list[float]]:
    """Return estimates with weight 1, from the sample alone and from labels alone, of runs and differences."""

    def gain(grade: int) -> float:
        return float(grade) if measure == "dcg" else float(grade > 0)

    machine = {(topic, docno): gain(int(g)) for topic, _, docno, g in map(str.split, MACHINE.read_text().splitlines())}
    drawn = {
        (topic, docno): (gain(int(grade)), float(chance))
        for topic, docno, grade, _, chance in map(str.split, prels.read_text().splitlines())
        if int(grade) >= 0
    }
    results: dict[str, list[float]] = {name: [] for name in ("estimate", "classical", "machine")}
    for run in runs:
        sums = dict.fromkeys(results, 0.0)
        every = ranked(run)
        for topic, docnos in every.items():
            for rank, docno in enumerate(docnos, start=1):
                weight, label = WEIGHTS[measure](rank), machine.get((topic, docno), 0.0)
                sums["machine"] += weight * label
                sums["estimate"] += weight * label
                if (topic, docno) in drawn:
                    human, chance = drawn[topic, docno]
                    sums["classical"] += weight * human / chance
                    sums["estimate"] += weight * (human - label) / chance
        for name, total in sums.items():
            results[name].append(total / len(every))
    return {name: [*values, values[0] - values[1]] for name, values in results.items()}


def test_estimates_by_loops(samples: dict[str, Path]) -> None:
    """Estimates equal sums over documents, in both formats."""
    for form, path in samples.items():
        given = ("-m", "P.10 dcg rbp.p=0.8,2=1", "--lambda", "1", "-R", form)
        rows, stderr = estimates("--human", path, "--machine", MACHINE, *RUNS, *given)
        assert list(rows[0]) == COLUMNS
        assert "with so few topics (12, fewer than 25), intervals can be too short" in stderr
        for number, measure in enumerate(WEIGHTS):
            of_measure = rows[3 * number : 3 * number + 3]
            assert {row["measure"] for row in of_measure} == {measure}
            assert [row["run"] + row["against"] for row in of_measure] == ["count2", "vector1", "count2vector1"]
            for name, expected in literal(samples["prels"], measure, RUNS).items():
                assert [float(row[name]) for row in of_measure] == pytest.approx(expected)
        n_drawn = sum(not line.split()[2].startswith("-") for line in samples["prels"].read_text().splitlines())
        assert {(row["topics"], row["documents"], row["lambda"]) for row in rows} == {("12", str(n_drawn), "1.0")}


def test_full_sample(tmp_path: Path) -> None:
    """If all documents are judged, estimates are the human scores, without sampling error."""
    path = tmp_path / "sample"
    path.write_bytes(degrade(QRELS, RUNS, strata="depth 1-10:100% rest:100%", seed=1).text)
    rows, _ = estimates("-R", "sampled", "--human", path, "--machine", MACHINE, *RUNS, "-m", "P.10")
    assert [row["estimate"] for row in rows] == [row["classical"] for row in rows]
    assert [float(row["estimate"]) for row in rows[:2]] == pytest.approx([0.58333333, 0.70833333])
    assert {(row["document_error"], row["effective_documents"]) for row in rows} == {("0.0", "")}


def test_fitted_lambda(samples: dict[str, Path]) -> None:
    """The fitted lambda minimises the sampling error, which is nearly 0 for perfect labels."""
    common: list[str | Path] = ["-R", "sampled", "--human", samples["sampled"], *RUNS, "-m", "P.10"]
    rows, _ = estimates(*common, "--machine", MACHINE)
    for weight in ("0", "0.5", "1"):
        others, _ = estimates(*common, "--machine", MACHINE, "--lambda", weight)
        for row, other in zip(rows, others, strict=True):
            assert float(row["document_error"]) <= float(other["document_error"]) + 1e-12
            assert weight != "0" or (other["estimate"], other["low"]) == (other["classical"], other["classical_low"])
    perfect, _ = estimates(*common, "--machine", QRELS, "--lambda", "1")
    assert max(float(row["document_error"]) for row in perfect) < 0.03 < float(rows[0]["document_error"])
    assert [float(row["estimate"]) for row in perfect[:2]] == pytest.approx([0.58333333, 0.70833333])


def test_samples_in_python(samples: dict[str, Path]) -> None:
    """A sample returned by degrade is accepted, with baselines and corrections."""
    sample = degrade(QRELS, sorted((EXPERIMENT / "runs").iterdir()), strata=STRATA, seed=3)
    with pytest.warns(UserWarning, match="so few topics"):
        result = estimate(sample, MACHINE, RUNS, "P.10", baseline="count2", correction="bonferroni")
    given: list[str | Path] = ["--human", samples["sampled"], "--machine", MACHINE, *RUNS]
    given += ["-R", "sampled", "-m", "P.10", "--baseline", "count2", "--correction", "bonferroni"]
    rows, _ = estimates(*given)
    assert [row.estimate for row in result.rows] == [float(row["estimate"]) for row in rows]
    assert (rows[2]["run"], rows[2]["against"]) == ("vector1", "count2")
    assert rows[2]["simultaneous_low"] == rows[2]["low"]  # a single pair
    assert "values under machine labels alone" in " ".join(repr(result).split())


def test_messages_about_missing_documents(tmp_path: Path) -> None:
    """Messages count topics of one file, unlabelled documents, and documents that could not be drawn."""
    human, machine, run = tmp_path / "human", tmp_path / "machine", tmp_path / "run"
    human.write_text("".join(f"{topic} 0 {docno} 1 1\n" for topic in (1, 2, 3) for docno in "ab"))
    machine.write_text("".join(f"{topic} 0 {docno} 1\n" for topic in (1, 2, 4) for docno in "axy"))
    run.write_text("".join(f"{t} Q0 {docno} 1 {9 - n} r\n" for t in (1, 2, 3, 4) for n, docno in enumerate("abxyz")))
    rows, stderr = estimates("-R", "sampled", "--human", human, "--machine", machine, run, "-m", "P.3")
    assert f"1 of 3 topics are in {human} only" in stderr
    assert f"1 of 3 topics are in {machine} only" in stderr
    assert f"{machine} does not label 2 of the 4 documents that {human} labels" in stderr
    assert "P_3: 2 documents that count could not be sampled: the estimate uses their machine labels" in stderr
    assert [float(rows[0][name]) for name in ("estimate", "classical")] == pytest.approx([1, 2 / 3])
    assert "1 of 1 rows have no interval, because all topics have the same estimate" in stderr


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["-m", "ndcg"], "'ndcg' divides by the gain of an ideal ranking, which depends on the grades of all"),
        (["-m", "ndcg_cut.10"], "'ndcg_cut_10' divides by the gain of an ideal ranking"),
        (["-m", "map"], "measure 'map' is not supported: it must be a weighted sum of gains over ranks (P, rbp or dcg"),
        (["-m", "P.10", "--baseline", "x"], "no such run; the runs are count2 and vector1"),
        (["-m", "P.10", "--labels-format", "sampled"], "--labels-format"),
    ],
)
def test_refusals(samples: dict[str, Path], arguments: list[str], rule: str) -> None:
    """Measures that a sample cannot estimate are refused by name."""
    common: list[str | Path] = ["-R", "sampled", "--human", samples["sampled"], "--machine", MACHINE, *RUNS]
    assert rule in refusal("estimate", *common, *arguments)


def test_too_few_topics(tmp_path: Path) -> None:
    """At least two topics are required."""
    human, run = tmp_path / "human", tmp_path / "run"
    human.write_text("1 a 1 1 0.5\n")
    run.write_text("1 Q0 a 1 1 r\n")
    assert "at least two topics must have both human and machine labels; the number is 1" in refusal(
        "estimate", "-R", "prels", "--human", human, "--machine", MACHINE, run, "-m", "P.10", status=2
    )


@pytest.mark.parametrize("grade", ["-1", "-2", "-998"])
def test_negative_grades(samples: dict[str, Path], tmp_path: Path, grade: str) -> None:
    """Every negative grade means not sampled, like -999, and one warning explains it."""
    lines = samples["prels"].read_text().splitlines()
    drawn = [line for line in lines if not line.split()[2].startswith("-")]
    others = [line.split() for line in drawn[::7]]
    files = {}
    for name, text in (("known", "-999"), ("other", grade)):
        files[name] = tmp_path / name
        changed = {tuple(words[:2]): f"{words[0]} {words[1]} {text} {words[3]} {words[4]}" for words in others}
        files[name].write_text("".join(changed.get(tuple(line.split()[:2]), line) + "\n" for line in drawn))
    words: list[str | Path] = ["-R", "prels", "--machine", MACHINE, *RUNS, "-m", "P.10", "--lambda", "1", "--human"]
    known, stderr = estimates(*words, files["known"])
    assert "is negative" not in stderr
    result, stderr = estimates(*words, files["other"])
    assert result == known
    assert [float(row["estimate"]) for row in result] == pytest.approx(
        literal(files["other"], "P_10", RUNS)["estimate"]
    )
    [line] = [line for line in stderr.splitlines() if "is negative" in line]
    assert f"{files['other']}:1: grade {grade} is negative but above -999" in line
    assert "like statAP_MQ_eval; irevalx-lab estimate treats it as not sampled" in line
    assert f"({len(others) - 1} more such lines)" in line


def judged_in_part(folder: Path, frame: dict[tuple[str, str], str], seed: int) -> tuple[Path, set[tuple[str, str]]]:
    """Write human judgments of at least two documents of each topic and stratum, and of some documents elsewhere."""
    grades = {(t, docno): int(grade) for t, _, docno, grade in map(str.split, QRELS.read_text().splitlines())}
    random, judged = Random(seed), set()
    for part in {(topic, stratum) for (topic, _), stratum in frame.items()}:
        members = sorted(pair for pair, stratum in frame.items() if (pair[0], stratum) == part)
        judged |= set(random.sample(members, max(min(2, len(members)), len(members) // 3)))
    rest = sorted(set(grades) - set(frame))
    others = random.sample(rest, min(20, len(rest)))
    path = folder / "judged"
    path.write_text("".join(f"{t} 0 {docno} {max(0, grades.get((t, docno), 0))}\n" for t, docno in [*judged, *others]))
    return path, judged


@pytest.mark.parametrize("form", ["sampled", "prels"])
@pytest.mark.parametrize("n_strata", [1, 3])
def test_judged_sample(tmp_path: Path, n_strata: int, form: str) -> None:
    """Degrade writes human judgments as a sample of a pool; estimate and irevalx read it as the literal estimate."""
    depth = 12
    frame: dict[tuple[str, str], int] = {}
    for path in EXPERIMENT.glob("runs/*"):
        for topic, docnos in ranked(path).items():
            for rank, docno in enumerate(docnos[:depth], start=1):
                frame[topic, docno] = min(rank, frame.get((topic, docno), rank))
    strata = {pair: f"s{rank * n_strata // (depth + 1)}" for pair, rank in frame.items()}
    judged, sampled = judged_in_part(tmp_path, strata, n_strata)
    pool, sample = tmp_path / "pool", tmp_path / "sample"
    if n_strata == 1:
        assert lab("pool", *sorted(EXPERIMENT.glob("runs/*")), "--depth", str(depth), "-o", pool).status == 0
    else:
        pool.write_text("".join(f"{topic} {docno} {name}\n" for (topic, docno), name in strata.items()))
    done = lab("degrade", judged, "--strata-file", pool, "--as", form, "-o", sample)
    assert done.status == 0
    assert (
        done.stderr
        == f"irevalx-lab: {judged}: 20 of {len(sampled) + 20} judged documents are in no stratum and are left out\n"
    )
    with pytest.warns(UserWarning, match="20 of .* judged documents are in no stratum"):
        assert degrade(judged, strata_file=pool, sample_format=form).text == sample.read_bytes()
    sizes = Counter((topic, stratum) for (topic, _), stratum in strata.items())
    drawn = Counter((topic, strata[topic, docno]) for topic, docno in sampled)
    grades = {(t, docno): int(grade) for t, _, docno, grade in map(str.split, judged.read_text().splitlines())}
    weight = {pair: sizes[pair[0], strata[pair]] / drawn[pair[0], strata[pair]] for pair in sampled}
    rows, _ = estimates("-R", form, "--human", sample, "--machine", MACHINE, *RUNS, "-m", "P.10", "--lambda", "0")
    for row, run in zip(rows[:2], RUNS, strict=True):
        total = sum(
            weight.get((topic, docno), 0) * (grades.get((topic, docno), 0) > 0)
            for topic, docnos in ranked(run).items()
            for docno in docnos[:10]
        )
        assert float(row["classical"]) == pytest.approx(total / 10 / 12)
    if form == "sampled":
        total = sum(weight[pair] * (grades[pair] > 0) for pair in sampled)
        assert irevalx.evaluate(sample, RUNS[0], "inum_rel", rel_format=form)["inum_rel"] == pytest.approx(total)


def test_judged_sample_without_design(tmp_path: Path) -> None:
    """A pool of all labelled documents gives the estimates of --human-labels random."""
    frame = {(t, docno): "1" for t, _, docno, _ in map(str.split, MACHINE.read_text().splitlines())}
    judged, sampled = judged_in_part(tmp_path, frame, 1)
    human = "".join(f"{t} 0 {docno} 1\n" for t, docno in sorted(sampled))
    judged.write_text(human)
    pool, sample = tmp_path / "pool", tmp_path / "sample"
    pool.write_text("".join(f"{topic} {docno}\n" for topic, docno in frame))
    assert lab("degrade", judged, "--strata-file", pool, "-o", sample).stderr == ""
    given: list[str | Path] = ["--machine", MACHINE, *RUNS, "-m", "P.10"]
    written, _ = estimates("-R", "sampled", "--human", sample, *given)
    assert written == estimates("--human", judged, "--human-labels", "random", *given)[0]


def test_messages_about_judged_samples(tmp_path: Path) -> None:
    """Messages count topics without judgments and strata without a judged document."""
    strata, judged = tmp_path / "strata", tmp_path / "judged"
    strata.write_text("1 A a\n1 B a\n1 C b\n2 A a\n2 B a\n3 X a\n")
    judged.write_text("1 0 A 1\n2 0 B -1\n2 0 A 0\n")
    done = lab("degrade", judged, "--strata-file", strata)
    assert done.stdout == b"1 0 A a 1\n2 0 B a -1\n2 0 A a 0\n1 0 B a -1\n1 0 C b -1\n"
    assert done.stderr.splitlines() == [
        f"irevalx-lab: {strata}: 1 of 3 topics have no judgments and are left out",
        f"irevalx-lab: {strata}: 1 strata of topics contain no judged document, the first being stratum 'b' of topic "
        "'1'; the sample cannot represent them",
    ]
    assert "--drop cannot be combined with --as sampled" in refusal(
        "degrade", judged, "--strata-file", strata, "--drop"
    )
    strata.write_text("1 A a b\n")
    assert f"{strata}:1: expected 2 columns (topic, document) or 3 columns (topic, document, stratum)" in refusal(
        "degrade", judged, "--strata-file", strata, status=2
    )


def test_human_labels_of_a_sample_with_a_design() -> None:
    """In Python, the treatment of unlabelled documents cannot be combined with judgments that were read as a sample."""
    sample = degrade(QRELS, sorted((EXPERIMENT / "runs").iterdir()), strata=STRATA, seed=3)
    with pytest.raises(irevalx.IrevalxError, match=r'^human_labels="random" cannot be combined with .* sampled'):
        estimate(sample, MACHINE, RUNS, "P.10", human_labels="random")
    with pytest.raises(irevalx.IrevalxError, match=r"^plan cannot be combined with .* sampled"):
        estimate(sample, MACHINE, RUNS, "P.10", plan=[100])


def planned_by_loops(
    run: Path, machine: dict[str, dict[str, float]], human: dict[str, dict[str, float]], n: float
) -> float:
    """Return the half-width of P.10 with weight 1 that is expected from ``n`` documents of each topic."""
    totals, now, then, unseen = [], [], [], []
    for topic, docnos in ranked(run).items():
        first, size, drawn = set(docnos[:10]), len(machine[topic]), human[topic]
        errors = [0.1 * (grade - machine[topic][docno]) * (docno in first) for docno, grade in drawn.items()]
        labels = [0.1 * machine[topic].get(docno, 0) for docno in first]
        totals.append(sum(labels) + size * mean(errors))
        at_end = min(n, size)
        now.append(size**2 * variance(errors) * (1 / len(drawn) - 1 / size))
        then.append(size**2 * variance(errors) * (1 / at_end - 1 / size))
        share = at_end / size
        unseen += [(1 - share) / share**2 * 0.01 for docno in drawn if docno in first]
    between = max(0.0, variance(totals) - mean(now))
    n_topics, another = len(totals), sum(each**2 for each in unseen) / sum(unseen) if any(unseen) else 0.0
    error = ((between + mean(then)) / n_topics + another / n_topics**2) ** 0.5
    return float(stats.t.ppf(0.975, n_topics - 1) * error)


def test_plan(tmp_path: Path) -> None:
    """Half-widths for numbers of documents equal loops, and become shorter; other samples and numbers are rejected."""
    rng = Random(5)
    machine, human = dict[str, dict[str, float]](), dict[str, dict[str, float]]()
    for topic, _, docno, grade in map(str.split, MACHINE.read_text().splitlines()):
        machine.setdefault(topic, {})[docno] = float(int(grade) > 0)
    relevant = {(t, docno) for t, _, docno, grade in map(str.split, QRELS.read_text().splitlines()) if int(grade) > 0}
    for topic, labels in machine.items():
        human[topic] = {docno: float((topic, docno) in relevant) for docno in rng.sample(sorted(labels), 9)}
    path = tmp_path / "human"
    path.write_text("".join(f"{t} 0 {docno} {grade:.0f}\n" for t, of in human.items() for docno, grade in of.items()))
    given: list[str | Path] = ["--human", path, "--machine", MACHINE, *RUNS, "-m", "P.10"]
    given += ["--human-labels", "random"]
    n_most = sum(map(len, machine.values()))
    rows, _ = estimates(*given, "--lambda", "1", "--plan", f"60 240 {n_most}")
    assert list(rows[0]) == ["measure", "run", "against", "documents", "half_width"]
    for number, run in enumerate(RUNS):
        of_run = rows[3 * number : 3 * number + 3]
        assert [row["documents"] for row in of_run] == ["60", "240", str(n_most)]
        expected = [planned_by_loops(run, machine, human, n / 12) for n in (60, 240, n_most)]
        assert [float(row["half_width"]) for row in of_run] == pytest.approx(expected)
    assert rows[-1]["against"] == "vector1"
    assert float(rows[-3]["half_width"]) > float(rows[-2]["half_width"])
    rule = f"must be from 12, the number of topics, to {n_most}, the number of documents"
    for number in (11, n_most + 1):
        assert f"--plan {number}: {rule}" in refusal("estimate", *given, "--plan", str(number))
    topic = path.read_text().split()[0]
    path.write_text("".join(path.read_text().splitlines(keepends=True)[8:]))
    assert topic in path.read_text()
    message = refusal("estimate", *given, "--plan", "100", status=2)
    assert (
        "a plan requires at least two documents with human labels in each topic, but 1 of 12 topics have fewer"
        in message
    )
    assert "--plan cannot be combined with" in refusal("estimate", *given[:-2], "-R", "sampled", "--plan", "100")
