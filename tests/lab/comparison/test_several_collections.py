"""Several collections in compare: means, collections, families, missing runs, refusals and formats."""

from __future__ import annotations

import csv
import io
import math
import pickle
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from references.cluster_robust import cluster_robust
from running import lab, lab_json, refusal, succeeded
from scipy import stats

import irevalx
import irevalx.lab
from irevalx.errors import ArgumentError, InputError, IrevalxWarning, UsageError
from irevalx.lab.comparison.pairs import ComparedPair
from irevalx.lab.comparison.several_collections import LIKE_THESE, SINGLE, THESE, ComparedCollections

Values = Mapping[str, Mapping[str, list[float]]]

SIZES = {"bio": 12, "news": 20, "law": 16, "code": 9, "wiki": 30, "faq": 14, "chat": 25}
FOLDER = Path(__file__).parents[3] / "fixtures" / "collections"
QRELS, RUNS = str(FOLDER / "qrels" / "{collection}.tsv"), str(FOLDER / "runs" / "{collection}" / "{run}.trec")


def values(runs: str = "abc", *, seed: int = 1, without: Mapping[str, str] | None = None) -> Values:
    """Return random values {collection: {run: values}} with other effects in each collection."""
    rng = np.random.default_rng(seed)
    drawn = {
        name: {run: (rng.normal(0.4 + 0.05 * k + rng.normal(0, 0.1), 0.2, n)).tolist() for k, run in enumerate(runs)}
        for name, n in SIZES.items()
    }
    return {
        name: {run: of[run] for run in of if run not in (without or {}).get(name, "")} for name, of in drawn.items()
    }


def scores(drawn: Values, lower_is_better: str = "") -> dict[str, irevalx.Scores]:
    """Return the values as scores of the measure quality."""
    return {
        name: irevalx.Scores.from_frame(
            {
                "run": [run for run, of_run in of.items() for _ in of_run],
                "topic": [str(topic) for of_run in of.values() for topic in range(len(of_run))],
                "quality": [value for of_run in of.values() for value in of_run],
            },
            lower_is_better=lower_is_better or (),
        )
        for name, of in drawn.items()
    }


def holm(p: list[float]) -> list[float]:
    """Return Holm's corrected p-values, by the definition."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    return [min(1.0, max((len(p) - j) * p[order[j]] for j in range(order.index(i) + 1))) for i in range(len(p))]


def compared(drawn: Values, **options: object) -> ComparedCollections:
    """Return the comparison of these values."""
    result = irevalx.lab.compare(scores(drawn), **options)  # type: ignore[arg-type]
    assert isinstance(result, ComparedCollections)
    return result


def rows_of(result: ComparedCollections, scope: str) -> list[ComparedPair]:
    """Return the rows of a scope."""
    return [row for row in result.rows if row.scope == scope]


def test_values_are_loops() -> None:
    """Both means, each collection, both corrections, wins and the range, from loops and scipy."""
    drawn = values()
    result, pairs = compared(drawn), [*combinations("abc", 2)]
    single = {(row.run, row.against, row.collection): row for row in rows_of(result, SINGLE)}
    tests = {
        (x, y, name): stats.ttest_1samp(np.subtract(of[x], of[y]), 0.0) for x, y in pairs for name, of in drawn.items()
    }
    corrected = dict(zip(tests, holm([float(test.pvalue) for test in tests.values()]), strict=True))
    assert [*single] == [*tests]
    for key, test in tests.items():
        row, (low, high) = single[key], test.confidence_interval(0.95)
        assert (row.p, row.low, row.high, row.corrected_p) == pytest.approx((test.pvalue, low, high, corrected[key]))
        assert (row.topics, row.df, row.differ) == (SIZES[key[2]], SIZES[key[2]] - 1, corrected[key] < 0.05)
    assert any(row.differ for row in single.values())
    p: dict[str, list[float]] = {THESE: [], LIKE_THESE: []}
    for number, (x, y) in enumerate(pairs):
        d = {name: np.subtract(of[x], of[y]) for name, of in drawn.items()}
        means = [sum(each.tolist()) / each.size for each in d.values()]
        v = [float(each.var(ddof=1)) / each.size for each in d.values()]
        freedom = sum(v) ** 2 / sum(of**2 / (each.size - 1) for of, each in zip(v, d.values(), strict=True))
        error, delta = math.sqrt(sum(v)) / 7, sum(means) / 7
        these, like = rows_of(result, THESE)[number], rows_of(result, LIKE_THESE)[number]
        p[THESE].append(2 * float(stats.t.sf(abs(delta) / error, freedom)))
        p[LIKE_THESE].append(float(stats.ttest_1samp(means, 0.0).pvalue))
        half = float(stats.t.isf(0.025, freedom)) * error
        assert (these.difference, these.low, these.high) == pytest.approx((delta, delta - half, delta + half))
        assert (these.df, these.p, like.p) == pytest.approx((freedom, p[THESE][-1], p[LIKE_THESE][-1]))
        assert like.difference == pytest.approx(delta)
        assert (like.df, these.topics, these.collections) == (6, 126, 7)
        rest = [(sum(means) - mean) / 6 for mean in means]
        assert (these.least, these.greatest) == pytest.approx((min(rest), max(rest)))
        signs = [sum(mean > 0 for mean in means), 0, sum(mean < 0 for mean in means)]
        assert [these.wins, these.ties, these.losses] == signs
        significant = [mean for name, mean in zip(drawn, means, strict=True) if corrected[x, y, name] < 0.05]
        assert (these.better, these.worse) == (sum(m > 0 for m in significant), sum(m < 0 for m in significant))
    for scope, of_scope in p.items():
        assert [row.corrected_p for row in rows_of(result, scope)] == pytest.approx(holm(of_scope))


def test_families() -> None:
    """Families are the clusters of the test for collections like these, from a dictionary or a file."""
    drawn = values("ab")
    families = {name: "web" if name in {"news", "wiki", "faq"} else name for name in SIZES}
    [row] = rows_of(compared(drawn, families=families), LIKE_THESE)
    means = [float(np.mean(np.subtract(of["a"], of["b"]))) for of in drawn.values()]
    variance, freedom = cluster_robust([*families.values()], means)
    assert (row.df, row.p) == pytest.approx(
        (freedom, 2 * float(stats.t.sf(abs(sum(means) / 7) / math.sqrt(variance), freedom)))
    )
    [few] = rows_of(compared(drawn, families={name: str(name > "l") for name in SIZES}), LIKE_THESE)
    assert math.isnan(few.p)
    assert few.differ is None
    with pytest.raises(InputError, match=r"^families: 1 of 7 collections have no family, such as 'faq'; add an entry"):
        compared(drawn, families={name: name for name in SIZES if name != "faq"})
    with pytest.raises(ArgumentError, match="families requires several collections"):
        irevalx.lab.compare(scores(drawn)["bio"], families={"bio": "a"})


def test_families_in_a_file(tmp_path: Path) -> None:
    """Lines COLLECTION FAMILY."""
    (tmp_path / "families").write_text("claims a\nfinance b\n")
    done = lab("compare", QRELS, RUNS, "-m", "map", "--families", tmp_path / "families")
    assert "families: 1 of 3 collections have no family, such as 'nutrition'; add a line" in done.stderr
    (tmp_path / "families").write_text("claims a\nfinance b\nnutrition b\n")
    done = succeeded("compare", QRELS, RUNS, "-m", "map", "--families", tmp_path / "families")
    assert "fewer than 3 collections or families" in done.words


def test_missing_runs() -> None:
    """A pair uses the collections of both runs, and means of runs the collections that all runs have."""
    drawn = values(without={"news": "c", "law": "bc", "faq": "a"})
    with pytest.warns(IrevalxWarning, match="fewer than two runs to compare are left out: law"):
        result = compared(drawn)
    assert [(row.run, row.against, row.collections) for row in rows_of(result, THESE)] == [
        *[("a", "b", 5), ("a", "c", 4), ("b", "c", 5)]
    ]
    common = [of for name, of in drawn.items() if name not in {"news", "law", "faq"}]
    means = {row.run: row.score for row in result.runs if not row.collection}
    assert means == pytest.approx({run: sum(float(np.mean(of[run])) for of in common) / 4 for run in "abc"})
    assert result.n_common == 4
    assert "(4 of 6)" in str(result)
    apart = {"bio": {"a": [1.0] * 9, "b": [0.5] * 9}, "law": {"b": [0.0] * 9, "c": [0.5] * 9}}
    with (
        pytest.warns(IrevalxWarning, match="with fewer than 6 collections"),
        pytest.warns(IrevalxWarning, match="a and c are not compared, because no collection contains results of both"),
    ):
        assert len(rows_of(compared(apart), THESE)) == 2


def test_order_of_runs() -> None:
    """The order of runs within a collection has no effect on the direction of differences."""
    drawn = values("ab")
    mixed = {name: dict(reversed([*of.items()])) if len(name) == 4 else of for name, of in drawn.items()}
    straight, other = compared(drawn), compared(mixed)
    assert [row.difference for row in rows_of(other, SINGLE)] == pytest.approx(
        [row.difference for row in rows_of(straight, SINGLE)]
    )
    assert rows_of(other, THESE)[0].p == pytest.approx(rows_of(straight, THESE)[0].p)


def test_lower_values_are_better() -> None:
    """Numbers of collections are those of the opposite direction, and the best mean is the lowest one."""
    drawn = values()
    higher, lower = compared(drawn), irevalx.lab.compare(scores(drawn, "quality"))
    assert isinstance(lower, ComparedCollections)
    for x, y in zip(rows_of(higher, THESE), rows_of(lower, THESE), strict=True):
        assert (x.wins, x.losses, x.better, x.worse, x.difference) == (
            y.losses,
            y.wins,
            y.worse,
            y.better,
            y.difference,
        )
    means = {row.run: row.score for row in higher.runs if not row.collection}
    assert [row.run for row in lower.runs if row.best and not row.collection] == [min(means, key=means.__getitem__)]
    assert "has the lowest mean quality of 3 runs" in str(lower)


def test_nothing_to_compare() -> None:
    """Collections with one run each, and collections with other measures, are errors."""
    with (
        pytest.warns(IrevalxWarning),
        pytest.raises(ArgumentError, match="the collections contain fewer than two runs to compare"),
    ):
        compared({"bio": {"a": [1.0] * 9}, "law": {"b": [0.0] * 9}})
    drawn = scores(values("ab"))
    drawn["law"] = irevalx.Scores.from_frame(
        {"run": [*"ab"] * 9, "topic": [topic for topic in range(9) for _ in "ab"], "wer": [0.25, 0.5] * 9}
    )
    with pytest.raises(ArgumentError, match="the collections have no measure in common"):
        irevalx.lab.compare(drawn)


def test_baselines_and_corrections() -> None:
    """With a baseline, each run is compared with it, and p-values are corrected for these pairs alone."""
    result = compared(values("abcd"), baseline="b", correction="bonferroni")
    these = rows_of(result, THESE)
    assert [(row.run, row.against) for row in these] == [("a", "b"), ("c", "b"), ("d", "b")]
    assert [row.corrected_p for row in these] == [min(1.0, 3 * row.p) for row in these]
    assert [row.corrected_p for row in rows_of(result, SINGLE)] == [
        min(1.0, 21 * row.p) for row in rows_of(result, SINGLE)
    ]
    assert result.about()["baseline"] == "b"
    uncorrected = str(compared(values("abcd"), baseline="b", correction="none"))
    assert "p-values not corrected for 21 comparisons" in " ".join(uncorrected.split())
    with pytest.raises(ArgumentError, match="baseline z: no such run"):
        compared(values("ab"), baseline="z")


def test_few_collections_are_a_warning() -> None:
    """With 5 collections, a warning; with 2, nothing is concluded about collections like these."""
    drawn = values("ab")
    five = {name: drawn[name] for name in [*SIZES][:5]}
    with pytest.warns(IrevalxWarning, match="with fewer than 6 collections"):
        assert rows_of(compared(five), LIKE_THESE)[0].differ is not None
    with pytest.warns(IrevalxWarning, match="with fewer than 6 collections"):
        two = compared({name: drawn[name] for name in ("bio", "law")})
    assert rows_of(two, LIKE_THESE)[0].differ is None
    assert "not tested, because there are fewer than 3 collections" in " ".join(str(two).split())


def test_files_and_dictionaries_agree(tmp_path: Path) -> None:
    """Patterns of paths, dictionaries and scores with a column of collections give the same rows."""
    done = lab("compare", QRELS, RUNS, "-m", "ndcg@10", "--format", "csv")
    names = ("claims", "finance", "nutrition")
    qrels = {name: str(FOLDER / "qrels" / f"{name}.tsv") for name in names}
    runs = {name: {run: str(FOLDER / "runs" / name / f"{run}.trec") for run in ("bm25", "dense")} for name in names}
    with pytest.warns(IrevalxWarning):
        result = irevalx.lab.compare(qrels, runs, "ndcg@10")
    assert [row["p"] for row in done.rows] == [str(row.p) for row in result.rows]
    lines = io.StringIO()
    writer = csv.writer(lines)
    writer.writerow(["Dataset", "run", "topic", "nDCG"])
    for name in names:
        with pytest.warns(IrevalxWarning):
            evaluated = irevalx.evaluate(qrels[name], runs[name], "ndcg@10")
        for run in runs[name]:
            of_run = zip(evaluated.topics(run), evaluated.per_topic("ndcg@10", run).tolist(), strict=True)
            writer.writerows([name, run, topic, value] for topic, value in of_run)
    (tmp_path / "scores.csv").write_text(lines.getvalue())
    table = lab("compare", "--scores", tmp_path / "scores.csv", "--format", "csv")
    assert [float(row["p"]) for row in table.rows] == pytest.approx([row.p for row in result.rows])
    assert "contains the names of collections, irevalx-lab compare and irevalx-lab gate read" in refusal(
        "power", "--scores", tmp_path / "scores.csv", status=2
    )
    assert repr(pickle.loads(pickle.dumps(result)).rows) == repr(result.rows)  # noqa: S301


def test_one_collection_is_today() -> None:
    """A pattern that matches one collection gives the output of its files, to the byte."""
    patterns = [str(FOLDER / "qrels" / "cl{collection}.tsv"), str(FOLDER / "runs" / "cl{collection}" / "{run}.trec")]
    runs = [str(FOLDER / "runs" / "claims" / f"{run}.trec") for run in ("bm25", "dense")]
    for options in (["-m", "map P.5"], ["-m", "map", "--format", "csv"], ["-m", "map", "--by", "topic"]):
        assert lab("compare", *patterns, *options) == lab("compare", FOLDER / "qrels" / "claims.tsv", *runs, *options)
    options = ["-m", "map", "--baseline", "bm25", "--margin", "0.1"]
    assert lab("gate", *patterns, *options) == lab("gate", FOLDER / "qrels" / "claims.tsv", *runs, *options)


@pytest.mark.parametrize(
    "option",
    [
        *["--by topic", "--test wilcoxon", "--test permutation", "--interval bca", "--correction tukey", "--columns p"],
        *["--discriminative-power", "--figure x.png", "--by run --sort", "--topic-groups x", "--systems x"],
        *["--system-by x"],
    ],
)
def test_options_of_one_collection(option: str) -> None:
    """Options that do not apply are refused in one sentence, whose remedy is tried above."""
    assert refusal("compare", QRELS, RUNS, "-m", "map", *option.split()).endswith(
        " cannot be combined with several collections; use it with one collection\n"
    )


def test_other_measures_are_refused() -> None:
    """Geometric means, sums and shares of judged documents have no mean over topics."""
    for measure in ("gm_map", "num_rel_ret", "judged.10"):
        with pytest.raises(UsageError, match="several collections require measures with a mean over topics, not"):
            irevalx.lab.compare(QRELS, RUNS, ["map", measure])


def test_clusters_of_topics(tmp_path: Path) -> None:
    """The file of clusters can be a pattern; a collection with few clusters leaves these collections untested."""
    for name, n_topics in (("claims", 25), ("finance", 14), ("nutrition", 18)):
        lines = [f"q{topic} {topic // (2 if name == 'claims' else 1)}" for topic in range(1, n_topics + 1)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    options = ["-m", "map", "--format", "csv", "--clusters"]
    [plain, *_] = lab("compare", QRELS, RUNS, *options[:-1]).rows
    [robust, *_] = lab("compare", QRELS, RUNS, *options, tmp_path / "{collection}").rows
    assert robust["difference"] == plain["difference"]
    assert robust["df"] != plain["df"]
    (tmp_path / "finance").write_text("".join(f"q{topic} {topic % 3}\n" for topic in range(1, 15)))
    few = lab("compare", QRELS, RUNS, *options, tmp_path / "{collection}").rows
    assert [row["p"] for row in few[:2]] == ["", few[1]["p"]]
    assert few[1]["p"]


def test_displayed_tables() -> None:
    """Two runs: pairs alone; more: a table of runs first; by run: only this table. The sentences name both tests."""
    text = succeeded("compare", QRELS, RUNS, "-m", "ndcg@10").words
    assert "On these 3 collections, bm25 has a mean ndcg_cut_10 of 0.4441, and dense of 0.6081." in text
    assert "On collections like these, the mean difference is not statistically significant (95% t interval" in text
    assert (
        "bm25 is significantly better on 0 and significantly worse on 2 of the collections; no significant difference "
        "was found on 1. If significance is ignored, bm25 is better on 1, worse on 2 and equal on 0 of the collections."
    ) in text
    several = str(compared(values("abc")))
    assert several.index("runs\n") < several.index("mean over collections") < several.index("each collection")
    assert "each collection" not in str(compared(values("abc"), by="run"))
    assert 'by="pair" displays all 15 pairs.' in str(compared(values("abcdef")))
    wide = compared(values("abc"), by="run").to_frame()
    assert {*wide["collection"]} == {"", *SIZES}


def test_json_lists_the_files() -> None:
    """The digests are those of the files that match."""
    about = lab_json("compare", QRELS, RUNS, "-m", "map")["about"]
    assert len(about["inputs"]) == 9
    assert all(each["sha256"] for each in about["inputs"])
    assert about["collections"] == ["claims", "finance", "nutrition"]
