"""Names of runs, divided into common parts, differing parts and factors."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence

import pytest

from irevalx.reports.names import shorten, split_names


@pytest.mark.parametrize(
    ("names", "common", "differing"),
    [
        (("bm25",), "", ("bm25",)),
        (("bm25", "dense"), "", ("bm25", "dense")),
        (("ms-bm25-top", "ms-dense-top"), "ms-…-top", ("bm25", "dense")),
        (("x_k1=0.8_b=0.40_y", "x_k1=1.2_b=0.75_y"), "x_…_y", ("k1=0.8_b=0.40", "k1=1.2_b=0.75")),
        (("x_k1=0.8_s=p_b=0.4", "x_k1=1.2_s=p_b=0.7"), "x_…_s=p_…", ("k1=0.8…b=0.4", "k1=1.2…b=0.7")),
        (("x_b=0.4_k1=0.8", "x_k1=1.2_b=0.7"), "x_…", ("b=0.4_k1=0.8", "b=0.7_k1=1.2")),
        (("x_r=monot5-3b_t", "x_r=rank-gpt_t"), "x_…_t", ("r=monot5-3b", "r=rank-gpt")),
        (("x-lr=1e-05-w=-1-t", "x-lr=2e-05-w=-1-t"), "x-…-w=-1-t", ("lr=1e-05", "lr=2e-05")),
        (("ms-top-100-a", "ms-top-1000-a"), "ms-…-a", ("top-100", "top-1000")),
        (("ms.run.bm25", "ms.run.bm25.rm3"), "ms.run.…", ("bm25", "bm25.rm3")),
        (("a/run", "b/run"), "…/run", ("a", "b")),
        (("a-b", "a_b"), "", ("a-b", "a_b")),
    ],
)
def test_common_and_differing_parts(names: Sequence[str], common: str, differing: Sequence[str]) -> None:
    """Names are divided at separators only: keys keep their values, and decimal points and signs stay in numbers."""
    parts = split_names(names)
    assert (parts.common, tuple(parts.differing.values())) == (common, tuple(differing))
    assert [*parts.differing] == [*names]
    assert pickle.loads(pickle.dumps(parts)).common == common  # noqa: S301 - its own pickle


def test_factors() -> None:
    """Keys, numbers after a word and repeated parts are factors; a value is None for a name without it."""
    names = ["x_bm25_k1=0.8_top-10", "x_bm25_k1=1.2_top-100", "x_splade_top-10"]
    factors = split_names(names).factors
    assert factors["k1"] == ["0.8", "1.2", None]
    keyed = split_names(["bm25-k1-0.8-a", "bm25-k1-0.9-b", "rm3-k1-0.9-a", "rm3-k1-0.8-b"]).factors
    assert keyed == {
        "part 1": ["bm25", "bm25", "rm3", "rm3"],
        "k1": ["0.8", "0.9", "0.9", "0.8"],
        "part 2": ["a", "b", "a", "b"],
    }
    assert split_names(["bm25", "dense"]).factors == {}


def test_parts_contain_what_distinguishes_names() -> None:
    """Each part of a name that another name lacks is in its short name, in whole, for random sets of names."""
    draw = random.Random(3)
    for _ in range(200):
        values = {key: [f"{draw.random():.2f}" for _ in range(3)] for key in ("k1", "b", "mu")}
        names = sorted(
            {
                "_".join(
                    [f"run-{'x' * 40}", *(f"{key}={draw.choice(of_key)}" for key, of_key in values.items()), "end"]
                )
                for _ in range(8)
            }
        )
        short = shorten(names, 40)
        for name in names:
            different = [part for part in name.split("_") if any(part not in other.split("_") for other in names)]
            assert "_".join(different) == short.of[name].replace("…", "_")


def test_sentences_contain_short_names() -> None:
    """Names in sentences are replaced, but not in paths, in longer names, or in a command at the end."""
    short = shorten(["ms-a-top", "ms-a-top-b", "ms-c-top"], 7)
    assert [*short.of.values()] == ["a", "a…b", "c"]
    sentence = "ms-a-top-b is better than ms-a-top (runs/ms-a-top): irevalx-lab next ms-a-top"
    assert short.renamed(sentence) == "a…b is better than a (runs/ms-a-top): irevalx-lab next ms-a-top"
