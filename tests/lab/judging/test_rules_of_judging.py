"""Each rule between the parameters of degrade, next and pool, from Python and in the shell."""

from __future__ import annotations

from typing import Any

import pytest
from running import FIXTURES, lab

import irevalx.lab
from irevalx.errors import ArgumentError, UsageError

EXPERIMENT = FIXTURES / "experiment"
QRELS, RUN = str(EXPERIMENT / "qrels"), str(min((EXPERIMENT / "runs").iterdir()))

DEGRADE, NEXT, POOL, SIZES = (
    (irevalx.lab.degrade, (QRELS,), ("degrade", QRELS)),
    (irevalx.lab.next, ([RUN],), ("next", RUN)),
    (irevalx.lab.pool, ([RUN],), ("pool", RUN)),
    (irevalx.lab.pool_sizes, ([RUN],), ("pool", RUN)),
)
ORDER = {"runs": [RUN], "order": "mtf", "budget": 5}
IN_ORDER = f"{RUN} --order mtf --budget 5"


@pytest.mark.parametrize(
    ("called", "keywords", "words", "message", "in_shell"),
    [
        (
            DEGRADE,
            {"uniform": 1, "runs": [RUN]},
            f"{RUN} --uniform 1",
            "runs requires strata or order",
            "RUN requires --",
        ),
        (
            DEGRADE,
            {"uniform": 0.1, "stratified": 0.1},
            "--uniform .1 --stratified .1",
            "uniform cannot be combined with stratified",
            "--uniform cannot be combined with --stratified",
        ),
        (
            DEGRADE,
            {**ORDER, "stratified": 0.1},
            f"{IN_ORDER} --stratified .1",
            "stratified cannot be combined with order",
            "--stratified cannot be combined with --order",
        ),
        (
            DEGRADE,
            {**ORDER, "strata": "runs 1+:1"},
            f"{IN_ORDER} --strata 1+:1",
            "order cannot be combined with strata",
            "--order cannot be combined with --strata",
        ),
        (
            DEGRADE,
            {"uniform": 0.1, "rounding": "half-up"},
            "--uniform .1 --round half-up",
            "rounding requires stratified",
            "--round requires --stratified",
        ),
        (
            DEGRADE,
            {"uniform": 0.1, "sample_format": "prels"},
            "--uniform .1 --as prels",
            "sample_format requires strata",
            "--as requires --strata",
        ),
        (
            DEGRADE,
            {"uniform": 1, "budget": 5},
            "--uniform 1 --budget 5",
            "budget requires order",
            "--budget requires --",
        ),
        (
            DEGRADE,
            {"uniform": 1, "depth": 5},
            "--uniform 1 --depth 5",
            "depth requires order",
            "--depth requires --order",
        ),
        (
            DEGRADE,
            {**ORDER, "documents": QRELS},
            f"{IN_ORDER} --docs {QRELS}",
            'documents requires order="cal"',
            "--docs requires --order cal",
        ),
        (
            DEGRADE,
            {**ORDER, "order": "sampled", "across": True},
            f"{RUN} --order sampled --budget 5 --across",
            'across cannot be combined with order="sampled"',
            "--across cannot be combined with --order sampled",
        ),
        (
            DEGRADE,
            {**ORDER, "order": "x"},
            f"{RUN} --order x",
            "order must be depth, borda",
            "--order must be depth, borda",
        ),
        (
            DEGRADE,
            {**ORDER, "budget": -1},
            f"{IN_ORDER}.5",
            "budget must be a number of",
            "--budget must be a number of",
        ),
        (DEGRADE, {**ORDER, "batch": 0}, f"{IN_ORDER} --batch 0", "batch must be a whole", "--batch must be a whole"),
        (DEGRADE, {"uniform": 2}, "--uniform 2", "uniform must be a share", "--uniform must be a share"),
        (
            NEXT,
            {"per_topic": 5, "in_all": 5},
            "--per-topic 5 --in-all 5",
            "per_topic cannot be combined with in_all",
            "--per-topic cannot be combined with --in-all",
        ),
        (
            NEXT,
            {"order": "sampled", "total": 5, "in_all": 5},
            "--order sampled --total 5 --in-all 5",
            'in_all cannot be combined with order="sampled"',
            "--in-all cannot be combined with --order sampled",
        ),
        (NEXT, {"total": 5}, "--total 5", 'total requires order="sampled"', "--total requires --order sampled"),
        (
            NEXT,
            {"order": "sampled"},
            "--order sampled",
            'order="sampled" requires total',
            "--order sampled requires --total",
        ),
        (NEXT, {"order": "cal"}, "--order cal", 'order="cal" requires documents', "--order cal requires --docs"),
        (
            NEXT,
            {"per_topic": 0},
            "--per-topic 0",
            "per_topic must be a whole number of at",
            "--per-topic must be a whole",
        ),
        (POOL, {"drop": True}, "--drop", "drop requires judge", "--drop requires --judge"),
        (POOL, {"mix_seed": 1}, "--mix-seed 1", "mix_seed requires judge", "--mix-seed requires --judge"),
        (
            SIZES,
            {"depths": [0]},
            "--sizes 0",
            "depths must be a whole number of at",
            "--sizes must be a whole number of at",
        ),
    ],
)
def test_rules(called: Any, keywords: dict[str, Any], words: str, message: str, in_shell: str) -> None:
    """The message names keywords in Python, and options in the shell."""
    function, arguments, command = called
    with pytest.raises((ArgumentError, UsageError)) as error:
        function(*arguments, **keywords)
    assert str(error.value).startswith(message)
    done = lab(*command, *words.split())
    assert done.status == 1
    assert done.stderr.startswith(f"irevalx-lab: {in_shell}")


@pytest.mark.parametrize("option", ["--depth 5", "--judge QRELS --mix-seed 1", "--judge QRELS --drop"])
def test_sizes_of_pools_exclude(option: str) -> None:
    """The option --sizes has its own depths, and counts judgments as they are."""
    words = option.replace("QRELS", QRELS).split()
    assert (
        f"--sizes cannot be combined with {words[-2] if words[-1] in '51' else words[-1]}"
        in lab("pool", RUN, "--sizes", "1 2", *words).stderr
    )
