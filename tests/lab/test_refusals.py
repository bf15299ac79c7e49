"""Calls that commands refuse for reasons beyond declared rules and limits, in Python and in the shell."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from examples.experiment import QRELS
from refusals import RUNS, declared_parameters, refused_in_python, refused_in_shell
from running import lab

from irevalx.command_line.options import typed_in_shell
from irevalx.lab.command.common_options import WITHOUT_POOLED_RUNS
from irevalx.wording import spelled_rule

SUM = "is not supported: it must be a weighted sum of gains over ranks (P, rbp or dcg, "

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("bounds", {"measures": "map"}, SUM),
    (
        "bounds",
        {"measures": "map"},
        "kept in the ranking); {probabilities} and {fit_probabilities} support map and ndcg too",
    ),
    ("bounds", {"measures": "recip_rank"}, "measure 'recip_rank' is not supported"),
    ("bounds", {"measures": "ndcg"}, "measure 'ndcg' is not supported"),
    ("bounds", {"measures": "P.5:skip"}, "measure 'P_5:skip' is not supported"),
    ("bounds", {"measures": "rbp", "max_grade": 2}, "measure 'rbp' needs a gain between 0 and 1 for grade 2"),
    ("bounds", {"measures": "rbp.1=1,2=2", "max_grade": 2}, "gain 2 of grade 2 is too high"),
    ("bounds", {"measures": "rbp.-1=1"}, "invalid gain -1=1: gains must be at least 0"),
    ("bounds", {"measures": "dcg.0=1"}, "invalid gain 0=1: "),
    ("bounds", {"measures": "dcg.1=-1"}, "invalid gain 1=-1: "),
    ("bounds", {"level": 0}, "at least 1"),
    ("bounds", {"measures": "P.5,10", "in_all": 3}, "{in_all} requires a single measure, not 2"),
    ("bounds", {"measures": "bpref", "fit_probabilities": True}, SUM),
    ("bounds", {"measures": "map:skip", "fit_probabilities": True}, "measure 'map:skip' is not supported"),
    (
        "bounds",
        {"measures": "map", "fit_probabilities": True, "in_all": 3},
        "{in_all} requires P, rbp or dcg, not 'map'",
    ),
    (
        "bounds",
        {"measures": "rbp", "fit_probabilities": True, "level": 0},
        "at least 1 with probabilities of relevance",
    ),
    ("compare", {"baseline": "x"}, ": no such run; the runs are count1 and count2"),
    ("compare", {"measures": "nothing"}, "'nothing'"),
    ("compare", {"system_by": "("}, "{system_by}: invalid regular expression '('"),
    ("compare", {"system_by": "^c"}, "at least two systems are required; all runs belong to 'c'"),
    (
        "compare",
        {"system_by": ".$", "measures": "gm_map"},
        "gm_map is a geometric mean; systems are compared only by means or sums",
    ),
    (
        "gate",
        {"margin": {"map": 0.1}, "baseline": "count1", "measures": "P.10"},
        "{margin} is given for 'map', which is not among the requested measures",
    ),
    ("gate", {"margin": {"P.10": 0.1}, "baseline": "count1", "measures": "P.10 map"}, "{margin} is missing for map"),
    ("gate", {"margin": 0.1, "baseline": "count1", "measures": "num_ret"}, "num_ret has no better direction"),
    ("gate", {"margin": 0.1, "baseline": "count1", "measures": "gm_map"}, "gm_map is a geometric mean"),
    ("complete", {}, "{documents} or {labels}"),
    ("complete", {"documents": "x", "level": 0}, "at least 1"),
    ("degrade", {"order": "cal", "budget": 5}, "{order=cal} requires {documents}"),
    ("degrade", {"order": "sampled", "budget": 5, "across": True}, "{across} cannot be combined with {order=sampled}"),
    ("next", {"order": "cal"}, "{order=cal} requires {documents}"),
    ("degrade", {"order": "mtf", "budget": 1, "runs": []}, "{order} requires "),
    ("describe", {"cutoffs": [5, 5]}, "must be in ascending order, each once"),
    ("describe", {"ranks": [2, 3]}, "must be ascending from 1"),
    ("describe", {"level": 0.5}, "; fractional levels require {grades=real}"),
    ("estimate", {"design": 50, "measures": "P.10 dcg"}, "a design requires a single measure, not 2"),
    ("estimate", {"design": 50, "measures": "ndcg"}, "'ndcg' divides by the gain of an ideal ranking"),
    ("labels", {"group_by": "^"}, "at least two groups are required"),
    ("leave-out", {"group_by": "^x"}, "at least two groups are required, but all runs are in 'others'"),
    ("leave-out", {"group_by": "^."}, "at least two groups are required, but all runs are in 'c'"),
    ("leave-out", {"group_by": "("}, "{group_by}: invalid regular expression '('"),
    ("leave-out", {"only": "x", "group_by": ".$"}, ": no such group; the groups are 1 and 2"),
    ("leave-out", {"measures": "map map"}, "measure 'map' is requested twice"),
    ("leave-out", {"complete": "nonrelevant", "level": 0}, "{complete} requires {level} of at least 1, not 0"),
    ("leave-out", {"new_runs": str(RUNS[0]), "level": 0}, "{new_runs} requires {level} of at least 1, not 0"),
    (
        "leave-out",
        {"complete": "svm-expected", "documents": str(QRELS), "measures": "map"},
        "{complete=svm-expected} supports the measures P and recip_rank, not map",
    ),
    ("power", {"power": 0.05}, "power must be a number above 0.05 and below 1"),
    ("power", {"measures": "gm_map"}, "gm_map is a geometric mean, not a mean over topics"),
    ("power", {"measures": "num_rel_ret"}, "num_rel_ret is a sum, not a mean over topics"),
    ("report", {"baseline": "x"}, ": no such run; the runs are count1 and count2"),
    ("report", {"grades": "probability"}, "must be whole or real"),
    ("report", {"rel_format": "prefs"}, "must be qrels, beir, csv, tsv, json or jsonl"),
    ("study", {"levels": "0"}, "{levels}: invalid level '0': must be a share above 0 and at most 1"),
    ("study", {"levels": "5%,0.05"}, "level '0.05' is given twice"),
    ("study", {"levels": ","}, "must be at least one share, depth or number of documents"),
    ("study", {"scheme": "depth", "levels": "5x"}, "invalid level '5x' of depth: must be a depth of at least 1"),
    ("study", {"scheme": "mixed", "levels": "0"}, "invalid level '0' of mixed: must be a depth of at least 1"),
    ("study", {"scheme": "mtf", "levels": "5% 10"}, "levels must all be numbers of documents or all be shares"),
    ("study", {"scheme": "strata", "strata": "a:1"}, "invalid strata 'a:1': strata by depth or by runs are ranges"),
    (
        "study",
        {"scheme": "strata", "strata": "depth rest:3%", "levels": "5 10"},
        "{levels}: invalid level '5': must be a share above 0",
    ),
    (
        "study",
        {"scheme": "depth", "levels": "5", "batch": 2},
        "{batch} requires a judging strategy: {scheme=depth} is one only if {levels} are shares",
    ),
    (
        "study",
        {"scheme": "depth", "levels": "5", "own_pool": True, "pool_depth": 4},
        "{levels}: 5 is deeper than the pool ({pool_depth=4})",
    ),
    ("study", {"measures": "P.5 P.5,10"}, "measure 'P_5' is requested twice"),
    ("study", {"measures": "runid"}, "it needs a number for each topic"),
    ("study", {"measures": "relstring"}, "it needs a number for each topic"),
    ("study", {"measures": "prefs_simp"}, "measure 'prefs_simp' requires judgments in the format prefs or"),
    ("study", {"measures": "mapp"}, "unknown measure 'mapp'; did you mean map or"),
    ("study", {"measures": "xinfAP xinfAP"}, "measure 'xinfAP' is requested twice"),
    (
        "study",
        {"measures": "inum_rel_se"},
        "it needs a number for each topic, summarised by a mean or sum",
    ),
    ("study", {"measures": "alpha_nDCG"}, "measure 'alpha_nDCG' requires judgments in the format subtopics"),
    (
        "swap-rate",
        {"sizes": 7},
        "at most half of the 12 topics with judgments, results and a value of map",
    ),
]
"""Commands, keywords and messages, with parameters in braces, which each caller types in its own way."""


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize(("command", "keywords", "message"), REFUSED, ids=str)
def test_both_callers(command: str, keywords: dict[str, Any], message: str, tmp_path: Path) -> None:
    """The message names keywords in Python and options in the shell."""

    def spelled(match: re.Match[str]) -> str:
        name, _, value = match[1].partition("=")
        return f"{spelled_rule(name)}={value}" if value.isdigit() else spelled_rule(match[1])

    keywords = {"runs": RUNS, **keywords}
    assert re.sub("{(.*?)}", spelled, message) in refused_in_python(command, keywords)
    with typed_in_shell(declared_parameters(command)):
        in_shell = re.sub("{(.*?)}", spelled, message).replace("=4)", " 4)")
    assert in_shell in refused_in_shell(command, keywords, tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bounds QRELS RUNS -J", "-J"),
        ("bounds QRELS RUNS --pool x", "--pool"),
        ("bounds QRELS RUN --figure f.png", "requires at least two runs"),
        ("bounds QRELS RUNS -m map --fit-probabilities --figure x.png", "requires a measure with proven bounds"),
        ("describe QRELS --cutoffs 10,5", "irevalx-lab: --cutoffs 10,5: must be in ascending order, each once\n"),
        ("degrade QRELS --level 200%", "irevalx-lab: --level 200%: must be a 64-bit integer\n"),
        ("degrade QRELS -l 200%", "irevalx-lab: -l 200%: must be a 64-bit integer\n"),
        ("bounds QRELS RUNS --level 0", "irevalx-lab: --level 0: must be at least 1\n"),
        ("compare QRELS RUNS --baseline r9", "--baseline r9: no such run; the runs are count1 and count2\n"),
        ("compare QRELS RUN", "irevalx-lab: at least two runs must be given, not 1\n"),
        (
            "gate QRELS RUNS --baseline count1 --margin 0.1 --margin 0.2",
            "--margin '0.2': this name has already been given",
        ),
        ("gate QRELS RUNS --baseline count1 --margin x=nan", "--margin x=nan: must be a number of at least 0"),
        ("complete QRELS --docs - --pool -", "standard input (-) can be given for only one file"),
        ("complete QRELS --labels - --pool -", "standard input (-) can be given for only one file"),
        ("draw q", "irevalx-lab: missing option --figure (see irevalx-lab draw -h)\n"),
        (
            "estimate --machine QRELS RUNS",
            "irevalx-lab: missing option --human or --design (see irevalx-lab estimate -h)\n",
        ),
        (
            "labels QRELS",
            "irevalx-lab: missing argument MACHINE or option --machine or --machine-column (see irevalx-lab labels -h)\n",
        ),
        ("labels QRELS QRELS --figure f.jpeg", ".png"),
        ("labels QRELS --machine a", "--machine a: must be NAME=FILE or NAME=FILE,FILE"),
        ("labels QRELS --machine a=QRELS --human-topics 10", "--human-topics requires RUN"),
        ("labels QRELS --machine vote=QRELS", "invalid name 'vote' of a machine: "),
        ("labels QRELS --machine a=QRELS --write a=x", "--write a=x: must be NAME=FILE, NAME one of vote, mean"),
        ("labels QRELS --machine a=QRELS --write vote=x", "a combination requires at least two machines"),
        (
            "labels QRELS --machine a=QRELS --write vote=x --write vote=y",
            "--write 'vote=y': this name has already been given",
        ),
        ("leave-out QRELS RUN", "irevalx-lab: at least two runs must be given, not 1\n"),
        ("leave-out --new-run RUN QRELS", f"--new-run requires the pooled runs. {WITHOUT_POOLED_RUNS}"),
        (
            "leave-out QRELS RUN --new-run RUN",
            "--new-run requires all runs that were pooled, at least two (four groups of runs to estimate a bias), but only "
            f"{RUNS[0]} is given. {WITHOUT_POOLED_RUNS}",
        ),
        ("leave-out QRELS RUNS --complete nonrelevant --complete nonrelevant", "nonrelevant is given twice"),
        (
            "study QRELS RUNS --scheme 'mtf uniform' -o x",
            "several values of --scheme must be judging strategies; uniform is not",
        ),
        ("swap-rate QRELS RUN", "irevalx-lab: at least two runs must be given, not 1\n"),
        ("swap-rate QRELS RUNS --figure f.png --figure-width 5", "--figure-width 5: must be 3.3 or 7"),
    ],
)
def test_shell(line: str, message: str, tmp_path: Path) -> None:
    """Calls that Python cannot make, or makes with other types; nothing is written."""
    typed = line.replace("QRELS", str(QRELS)).replace("RUNS", " ".join(map(str, RUNS))).replace("RUN", str(RUNS[0]))
    done = lab(*split(typed), cwd=tmp_path)
    assert (done.status, done.stdout) == (1, b"")
    assert message in done.stderr
    assert not list(tmp_path.iterdir())
