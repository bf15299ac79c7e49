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

from irevalx.declarations import spelled_rule, typed_in_shell

SUM = "a measure must be a sum over ranks of weight times gain (P, rbp or dcg, "

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("bounds", {"measures": "map"}, SUM),
    ("bounds", {"measures": "map"}, "but got 'map'; {probabilities} and {fit_probabilities} support map and ndcg too"),
    ("bounds", {"measures": "recip_rank"}, "but got 'recip_rank'"),
    ("bounds", {"measures": "ndcg"}, "but got 'ndcg'"),
    ("bounds", {"measures": "P.5:skip"}, "but got 'P_5:skip'"),
    ("bounds", {"measures": "rbp", "max_grade": 2}, "no gain of grade 2 for 'rbp'"),
    ("bounds", {"measures": "rbp.1=1,2=2", "max_grade": 2}, "a gain must be at most 1 here, but got 2 for grade 2"),
    ("bounds", {"measures": "rbp.-1=1"}, "unjudged documents must have none, but got -1=1"),
    ("bounds", {"measures": "dcg.0=1"}, "that of grade 0 must be 0"),
    ("bounds", {"measures": "dcg.1=-1"}, "a gain must be at least 0"),
    ("bounds", {"level": 0}, "the least relevant grade must be at least 1, but got 0"),
    ("bounds", {"measures": "P.5,10", "in_all": 3}, "{in_all} requires a single measure, but got 2"),
    ("bounds", {"measures": "bpref", "fit_probabilities": True}, SUM),
    ("bounds", {"measures": "map:skip", "fit_probabilities": True}, "but got 'map:skip'"),
    (
        "bounds",
        {"measures": "map", "fit_probabilities": True, "in_all": 3},
        "{in_all} requires P, rbp or dcg, but got 'map'",
    ),
    (
        "bounds",
        {"measures": "rbp", "fit_probabilities": True, "level": 0},
        "{level} must be at least 1 with probabilities of relevance, but got 0",
    ),
    ("compare", {"baseline": "x"}, "baseline must be one of the runs (count1 count2), but got 'x'"),
    ("compare", {"measures": "nothing"}, "'nothing'"),
    ("compare", {"system_by": "("}, "{system_by} must be a regular expression"),
    ("compare", {"system_by": "^c"}, "runs must be of at least two systems, but got 'c'"),
    ("compare", {"system_by": ".$", "measures": "gm_map"}, "systems must be compared by means or sums, but gm_map"),
    (
        "compare",
        {"margin": {"map": 0.1}, "baseline": "count1", "measures": "P.10"},
        "{margin} is given for 'map', which is not among the requested measures",
    ),
    ("compare", {"margin": {"P.10": 0.1}, "baseline": "count1", "measures": "P.10 map"}, "{margin} is missing for map"),
    ("compare", {"margin": 0.1, "baseline": "count1", "measures": "num_ret"}, "num_ret has no better direction"),
    ("compare", {"margin": 0.1, "baseline": "count1", "measures": "gm_map"}, "gm_map is a geometric mean"),
    ("complete", {}, "{documents} or {labels} is required"),
    ("complete", {"documents": "x", "level": 0}, "{level} must be at least 1, but got 0"),
    ("degrade", {"order": "cal", "budget": 5}, "{order=cal} requires {documents}"),
    ("degrade", {"order": "sampled", "budget": 5, "across": True}, "{across} cannot be combined with {order=sampled}"),
    ("next", {"order": "cal"}, "{order=cal} requires {documents}"),
    ("degrade", {"order": "mtf", "budget": 1, "runs": []}, "{order} requires "),
    ("describe", {"cutoffs": [5, 5]}, "{cutoffs} must be ascending, but got '5 5'"),
    ("describe", {"ranks": [2, 3]}, "{ranks} must begin with 1, but got 2"),
    ("describe", {"level": 0.5}, "{level} must be a whole number, but got 0.5; {grades=real} accepts it"),
    ("estimate", {"design": 50, "measures": "P.10 dcg"}, "a design is for one measure, but got 2"),
    ("estimate", {"design": 50, "measures": "ndcg"}, "'ndcg' divides by the gain of an ideal ranking"),
    ("labels", {"group_by": "^"}, "at least two groups are required"),
    ("leave-out", {"group_by": "^x"}, "at least two groups are required, but all runs are in 'others'"),
    ("leave-out", {"group_by": "^."}, "at least two groups are required, but all runs are in 'c'"),
    ("leave-out", {"group_by": "("}, "{group_by} must be a regular expression, but got '('"),
    ("leave-out", {"only": "x", "group_by": ".$"}, "{only} must be one of 1, 2, but got 'x'"),
    ("leave-out", {"measures": "map map"}, "each measure must be requested once, but got 'map' twice"),
    ("leave-out", {"complete": "nonrelevant", "level": 0}, "{complete} requires {level} of at least 1, but got 0"),
    ("leave-out", {"new_runs": str(RUNS[0]), "level": 0}, "{new_runs} requires {level} of at least 1, but got 0"),
    (
        "leave-out",
        {"complete": "svm-expected", "documents": str(QRELS), "measures": "map"},
        "{complete=svm-expected} supports the measures P and recip_rank, but got map",
    ),
    ("power", {"power": 0.05}, "power must be a number above 0.05 and below 1"),
    ("power", {"measures": "gm_map"}, "measures must be averaged over topics, but gm_map is a geometric mean"),
    ("power", {"measures": "num_rel_ret"}, "measures must be averaged over topics, but num_rel_ret is a sum"),
    ("report", {"baseline": "x"}, "baseline must be one of the runs (count1 count2), but got 'x'"),
    ("report", {"grades": "probability"}, "{grades} must be whole or real, but got 'probability'"),
    ("report", {"rel_format": "prefs"}, "{rel_format} must be qrels, beir, csv, tsv, json or jsonl, but got 'prefs'"),
    ("study", {"levels": "0"}, "each of {levels} must be a share above 0 and at most 1"),
    ("study", {"levels": "5%,0.05"}, "each level must be given once, but got '0.05' twice"),
    ("study", {"levels": ","}, "{levels} must be at least one share, depth or number of documents, but got ','"),
    ("study", {"scheme": "depth", "levels": "5x"}, "a level of depth must be a depth of at least 1, but got '5x'"),
    ("study", {"scheme": "mixed", "levels": "0"}, "a level of mixed must be a depth of at least 1, but got '0'"),
    ("study", {"scheme": "mtf", "levels": "5% 10"}, "levels must be numbers of documents or shares, but got both"),
    ("study", {"scheme": "strata", "strata": "a:1"}, "invalid strata 'a:1': strata by depth or by runs are ranges"),
    (
        "study",
        {"scheme": "strata", "strata": "depth rest:3%", "levels": "5 10"},
        "each of {levels} must be a share above 0",
    ),
    (
        "study",
        {"scheme": "depth", "levels": "5", "batch": 2},
        "{batch} requires a judging strategy: {scheme=depth} is one only if {levels} are shares",
    ),
    (
        "study",
        {"scheme": "depth", "levels": "5", "own_pool": True, "pool_depth": 4},
        "{levels} must not be deeper than the pool ({pool_depth=4}), but got 5",
    ),
    ("study", {"measures": "P.5 P.5,10"}, "each measure must be requested once, but got 'P_5' twice"),
    ("study", {"measures": "runid"}, "a measure must have a number for each topic"),
    ("study", {"measures": "relstring"}, "a measure must have a number for each topic"),
    ("study", {"measures": "prefs_simp"}, "judgments for the measure 'prefs_simp' must be in the format prefs or"),
    ("study", {"measures": "mapp"}, "unknown measure 'mapp'; the nearest are"),
    ("study", {"measures": "xinfAP xinfAP"}, "each measure must be requested once, but got 'xinfAP' twice"),
    (
        "study",
        {"measures": "inum_rel_se"},
        "a measure must have a number for each topic and, as summary, a mean or sum",
    ),
    ("study", {"measures": "alpha_nDCG"}, "judgments for the measure 'alpha_nDCG' must be in the format subtopics"),
    (
        "swap-rate",
        {"sizes": 7},
        "{sizes} must be at most half of the 12 topics with judgments, results and a value of map, but got 7",
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
        ("bounds QRELS RUN --figure f.png", "requires at least two runs, but got one"),
        ("bounds QRELS RUNS -m map --fit-probabilities --figure x.png", "requires a measure with proven bounds"),
        ("compare QRELS RUN", "irevalx-lab: at least two runs must be given, but got 1\n"),
        ("compare QRELS RUNS --baseline count1 --margin 0.1 --margin 0.2", "--margin must be given once for each name"),
        ("compare QRELS RUNS --baseline count1 --margin x=nan", "--margin must be a number of at least 0"),
        ("complete QRELS --docs - --pool -", "standard input (-) can be given for only one file"),
        ("complete QRELS --labels - --pool -", "standard input (-) can be given for only one file"),
        ("draw q", "--figure must be given"),
        ("estimate --machine QRELS RUNS", "--human is required without --design"),
        ("labels QRELS", "missing MACHINE or --machine"),
        ("labels QRELS QRELS --figure f.jpeg", ".png"),
        ("labels QRELS --machine a", "--machine must be NAME=FILE or NAME=FILE,FILE, but got 'a'"),
        ("labels QRELS --machine a=QRELS --human-topics 10", "--human-topics requires RUN"),
        ("labels QRELS --machine vote=QRELS", "a machine must have a name other than"),
        ("labels QRELS --machine a=QRELS --write a=x", "--write must be NAME=FILE, NAME one of vote, mean"),
        ("labels QRELS --machine a=QRELS --write vote=x", "a combination requires at least two machines"),
        ("labels QRELS --machine a=QRELS --write vote=x --write vote=y", "--write must be given once for each name"),
        ("leave-out QRELS RUN", "irevalx-lab: at least two runs must be given, but got 1\n"),
        ("leave-out QRELS RUN --new-run RUN", "--new-run requires at least two pooled runs, but got 1"),
        ("leave-out QRELS RUNS --complete nonrelevant --complete nonrelevant", "but got nonrelevant twice"),
        (
            "study QRELS RUNS --scheme 'mtf uniform' -o x",
            "several --scheme must be judging strategies, but got uniform",
        ),
        ("swap-rate QRELS RUN", "irevalx-lab: at least two runs must be given, but got 1\n"),
        ("swap-rate QRELS RUNS --figure f.png --figure-width 5", "--figure-width must be 3.3 or 7, but got '5'"),
    ],
)
def test_shell(line: str, message: str, tmp_path: Path) -> None:
    """Calls that Python cannot make, or makes with other types; nothing is written."""
    typed = line.replace("QRELS", str(QRELS)).replace("RUNS", " ".join(map(str, RUNS))).replace("RUN", str(RUNS[0]))
    done = lab(*split(typed), cwd=tmp_path)
    assert (done.status, done.stdout) == (1, b"")
    assert message in done.stderr
    assert not list(tmp_path.iterdir())
