"""Wrong calls of every public function, for every parameter: each is refused in words.

A new public function, or a new parameter, needs rows here, and the test says so.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from examples.python_data import case_name
from running import FIXTURES

import irevalx
from irevalx.errors import InputError, IrevalxError, UsageError
from irevalx.trec_eval import COMPAT

GRADED, SCORED = {"1": {"A": 1, "B": 0}}, {"1": {"A": 1.0}}
QRELS = FIXTURES / "example" / "qrels"

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "evaluate": (irevalx.evaluate, {"qrels": GRADED, "runs": SCORED}),
    "measure": (irevalx.measure, {"name": "of_arguments"}),
    "Qrels": (irevalx.Qrels, {"judgments": irevalx.Qrels.read(GRADED).judgments}),
    "Qrels.read": (irevalx.Qrels.read, {"qrels": GRADED}),
    "Pool": (irevalx.Pool, {"documents": irevalx.Pool.read({"1": ["A"]}).documents}),
    "Pool.read": (irevalx.Pool.read, {"pool": {"1": ["A", "B"]}}),
    "Run": (irevalx.Run, {"reader": irevalx.Run.read(SCORED).kept}),
    "Run.read": (irevalx.Run.read, {"run": SCORED}),
    "Run.for_one_evaluation": (irevalx.Run.read(SCORED).for_one_evaluation, {"compat": COMPAT["9"]}),
    "Run.kept": (irevalx.Run.read(SCORED).kept, {"compat": COMPAT["9"]}),
    "Scores": (irevalx.Scores, {"evaluations": []}),
    "Scores.read": (irevalx.Scores.read, {"files": FIXTURES / "example" / "bm25.q_all_trec.v10"}),
    "Scores.from_frame": (irevalx.Scores.from_frame, {"frame": {"run": ["a"], "topic": ["1"], "map": [0.5]}}),
    "Scores.topics": (irevalx.evaluate(GRADED, SCORED, "map").topics, {}),
    "Scores.per_topic": (irevalx.evaluate(GRADED, SCORED, "map").per_topic, {"measure": "map"}),
    "Scores.summary": (irevalx.evaluate(GRADED, SCORED, "map").summary, {"measure": "map"}),
    "Scores.interval": (irevalx.evaluate(GRADED, SCORED, "map").interval, {"measure": "map"}),
    "Scores.by_group": (irevalx.evaluate(GRADED, SCORED, "map").by_group, {"groups": {"1": "a"}}),
    "Scores.__getitem__": (irevalx.evaluate(GRADED, SCORED, "map").__getitem__, {"measure": "map"}),
    "Scores.to_records": (irevalx.evaluate(GRADED, SCORED, "map").to_records, {}),
    "Scores.to_dict": (irevalx.evaluate(GRADED, SCORED, "map").to_dict, {}),
    "Scores.to_frame": (irevalx.evaluate(GRADED, SCORED, "map").to_frame, {}),
    "Scores.to_polars": (irevalx.evaluate(GRADED, SCORED, "map").to_polars, {}),
    "Scores.to_arrow": (irevalx.evaluate(GRADED, SCORED, "map").to_arrow, {}),
    "RelevanceEvaluator": (irevalx.RelevanceEvaluator, {"query_relevance": GRADED, "measures": ["map"]}),
    "RelevanceEvaluator.evaluate": (irevalx.RelevanceEvaluator(GRADED, ["map"]).evaluate, {"scores": SCORED}),
    "compute_aggregated_measure": (irevalx.compute_aggregated_measure, {"measure": "map", "values": [0.5]}),
    "parse_qrel": (irevalx.parse_qrel, {"f_qrel": ["1 0 A 1"]}),
    "parse_run": (irevalx.parse_run, {"f_run": ["1 Q0 A 1 1.0 r"]}),
}
"""A call of each that is right."""

Row = tuple[Any, str] | tuple[Any, str, type[Exception]]
"""A wrong value, what the message says, and the error where it is not InputError."""

FORMS = "must be a file, a dictionary, a data frame or named tuples, not"
FLAG: list[Row] = [
    ("yes", "must be True or False, not 'yes'"),
    (None, "not None"),
    (2, "not 2"),
    (math.nan, "not nan"),
    ([], "type list"),
]
WHOLE: list[Row] = [
    (1.5, "must be (an integer|a .*integer).*, not 1.5"),
    (math.nan, "must be (an integer|a .*integer).*, not nan"),
    ("1", "must be (an integer|a .*integer).*, not '1'"),
    (True, "must be (an integer|a .*integer).*, not True"),
    (2**70, "integer"),
    ([1], "must be (an integer|a .*integer).*, not an object of type list"),
]
REAL: list[Row] = [
    ("1", "must be a number.*, not '1'"),
    (True, "must be a number.*, not True"),
    ([1.0], "must be a number.*, not an object of type list"),
    (10**400, "must be a number"),
    (math.nan, "must be a number"),
]
STRINGS: list[Row] = [
    (5, "must be a string or several strings, not 5"),
    (None, "not None"),
    ([5], "not 5"),
    (b"map", "not b'map'"),
    (["map", None], "not None"),
]
NAME: list[Row] = [
    (5.0, "not 5.0"),
    ([], "not an object of type list"),
    (b"a", "not b'a'"),
    (True, "not True"),
]
MEASURE: list[Row] = [
    (5, "measure must be a string, not 5"),
    (None, "not None"),
    (["map"], "type list"),
]
COMPAT_ROWS: list[Row] = [
    (None, "compat must be 10 or 9, not None"),
    (9.0, "compat must be .* not 9.0"),
    ("8", "compat must be 10 or 9, not '8'"),
    (8, "not 8"),
]
REL_FORMAT: list[Row] = [
    (5, "rel_format must be a string, not 5"),
    (None, "rel_format must be a string, not None"),
    ("nosuch", "unknown format of judgments 'nosuch'; rel_format accepts qrels, "),
    ("json", "rel_format must be qrels or sampled or qrels_jg or .* here, not 'json'", UsageError),
    ("prefs", "the value of group 'A' of topic '1' must be a dictionary"),
]
RESULTS_FORMAT: list[Row] = [
    (5, "results_format must be a string, not 5"),
    ("nosuch", "unknown format of runs 'nosuch'"),
]
POOL: list[Row] = [
    (5, f"pool {FORMS} 5"),
    (["A"], f"pool {FORMS} an object of type list"),
    ("nosuch", "cannot read 'nosuch'"),
    ({"1": "A"}, "pool: the value of topic '1' must be a list of docnos, not 'A'"),
    ({"1": 5}, "pool: the value of topic '1' must be a list of docnos, not 5"),
    ({"1": [None]}, "pool: topic '1': document None: a document must be a string or an integer, not None"),
    ({None: ["A"]}, "pool: a topic must be a string or an integer, not None"),
]
GRADES: list[Row] = [
    (None, f"qrels {FORMS} None"),
    (5, f"qrels {FORMS} 5"),
    ([], f"qrels {FORMS} an object of type list"),
    ([("1", "A", 1)], f"qrels {FORMS} an object of type list; convert rows to a data frame"),
    (np.zeros(3), f"qrels {FORMS} an object of type ndarray"),
    (dict, f"qrels {FORMS} the class dict"),
    ({"qid": ["1"]}, "qrels: the value of topic 'qid' must be a dictionary {docno: grade}"),
    ({"1": {"A": 0.5}}, "grade must be a 64-bit integer, not 0.5"),
    ("nosuch", "cannot read 'nosuch'"),
]
SCORES: list[Row] = [
    (None, f"{FORMS} None"),
    (5, f"{FORMS} 5"),
    (np.zeros(3), f"{FORMS} an object of type ndarray|{FORMS} 0.0|{FORMS} np.float64"),
    (dict, f"{FORMS} the class dict"),
]

CONFIDENCE: list[Row] = [
    ("0.9", "confidence must be a number or None, not '0.9'"),
    (1, "confidence must be a number above 0 and below 1, not 1"),
    (95.0, "not 95.0"),
    (math.nan, "not nan"),
]

GRADES_ARE: list[Row] = [
    (None, "grades must be whole, real or probability, not None"),
    ("x", "grades must be whole, real or probability, not 'x'"),
]
WRONG: dict[str, dict[str, list[Row]]] = {
    "evaluate": {
        "qrels": GRADES,
        "runs": [
            *SCORES,
            ([], "runs is empty; pass at least one run"),
            (iter([]), "runs is empty; pass at least one run"),
            ([SCORED, 5], rf"runs\[1\] {FORMS} 5"),
            ([("1", "A", 1.0)], rf"runs\[0\] {FORMS} an object of type tuple"),
            ({"a": None}, rf"runs: the value of 'a' {FORMS} None"),
            ({1.5: {"1": {"A": 1.0}}}, "the name of a run must be a string or an integer, not"),
            ({None: SCORED}, "the name of a run must be a string or an integer, not"),
            ({"1": {"A": None}}, "run: topic '1': document 'A': score must be a 64-bit number, not None"),
            ("nosuch", "cannot read 'nosuch'"),
        ],
        "measures": [*STRINGS, ("nosuch", "unknown measure", UsageError)],
        "pool": POOL,
        "level": [(1.5, "level must be an integer, not 1.5"), *WHOLE[1:]],
        "complete": FLAG,
        "judged_only": FLAG,
        "max_retrieved": [*WHOLE, (-1, "max_retrieved must be an integer of at least 0, not -1")],
        "collection_size": WHOLE,
        "topic": [
            (1.5, "topic must be a string or an integer, not 1.5"),
            (["1"], "not an object of type list"),
            (b"1", "not b'1'"),
        ],
        "unjudged": [
            (given, "unjudged must be nonrel, skip or rel") for given in (5, None, [5], b"skip", ["map", None], "maybe")
        ],
        "grades": GRADES_ARE,
        "ties": [(None, "ties must be one of name, rank"), ("x", "ties must be one of name, rank")],
        "ignore_identical_ids": FLAG,
        "duplicates": [(5, "duplicates must be error"), ("x", "duplicates must be error, first or best, not 'x'")],
        "infap_c": [*REAL, (0.5, "infap_c must be a number of at least 1, not 0.5")],
        "infap_epsilon": REAL,
        "sample_rate": REAL,
        "rel_format": REL_FORMAT,
        "results_format": RESULTS_FORMAT,
        "compat": COMPAT_ROWS,
        "strict": FLAG,
        "threads": [*WHOLE, (0, "threads must be an integer of at least 1, not 0"), (None, "not None")],
        "names": [
            (None, "names must be 'trec_eval' or 'asked', not None"),
            (True, "not True"),
            ("ASKED", "not 'ASKED'"),
            (["asked"], "not an object of type list"),
        ],
        "progress": FLAG,
    },
    "Qrels": {
        "judgments": [
            ("qrels", "judgments must be judgments returned by Qrels.read, not 'qrels'"),
            (GRADED, "not an object of type dict; to read judgments, call irevalx.Qrels.read"),
        ],
        "rel_format": REL_FORMAT[:3],
        "grades": GRADES_ARE,
    },
    "Qrels.read": {
        "qrels": GRADES,
        "pool": POOL,
        "rel_format": REL_FORMAT,
        "grades": GRADES_ARE,
        "compat": COMPAT_ROWS,
        "strict": FLAG,
    },
    "Pool": {
        "documents": [
            ({"1": ["A"]}, "documents must be a pool returned by Pool.read, not an object of type dict; to read")
        ]
    },
    "Pool.read": {"pool": [*POOL, (None, f"pool {FORMS} None")], "compat": COMPAT_ROWS},
    "Run": {
        "reader": [
            ("run", "reader must be a run returned by Run.read, not 'run'"),
            (SCORED, "not an object of type dict; to read a run, call irevalx.Run.read"),
        ],
        "name": NAME,
    },
    "Run.read": {
        "run": [
            *SCORES,
            ([SCORED], f"run {FORMS} an object of type list"),
            ([], f"run {FORMS} an object of type list"),
        ],
        "name": NAME,
        "results_format": RESULTS_FORMAT,
        "strict": FLAG,
    },
    "Run.for_one_evaluation": {"compat": [("9", "compat must be a version of trec_eval, not '9'")]},
    "Run.kept": {"compat": [(None, "compat must be a version of trec_eval, not None")]},
    "Scores": {
        "evaluations": [
            (5, "evaluations must be scores returned by irevalx.evaluate, not 5"),
            ([GRADED], "not an object of type dict"),
        ],
        "selection": [("map", "selection must be a selection made by irevalx.evaluate, or None, not 'map'")],
    },
    "Scores.read": {
        "files": [
            (5, f"files {FORMS} 5"),
            ([None], f"files {FORMS} None"),
            ([], "files is empty; pass at least one score file"),
            ("nosuch", "cannot read 'nosuch'"),
        ],
        "score_columns": [(5, "score_columns must be 'measures' or 'runs', not 5")],
        "lower_is_better": [
            (5, "lower_is_better must be a string or several strings, not 5"),
            ("wer", r"lower_is_better: unknown measure 'wer'; the scores contain .*"),
            ("map", "lower_is_better is for measures that irevalx does not know, but map is one of its measures"),
        ],
    },
    "Scores.from_frame": {
        "frame": [
            (5, "frame must be a data frame or a dictionary of columns, not 5"),
            ({"run": ["a"], "map": [0.5]}, "frame: row 1: expected a table of measure values with a column topic"),
            (
                {"topic": ["1"], "map": ["x"]},
                "frame: row 1: invalid value 'x' of map for topic '1': must be a 64-bit number",
            ),
            ({"topic": ["1"], "map": [math.inf]}, "frame: row 1: invalid value 'Infinity' .*: must be a 64-bit number"),
            ({"topic": [1.5], "map": [1]}, "frame: row 1: topic must be a string or an integer, not 1.5"),
            ({"topic": ["1"], "map": [1, 2]}, "frame: the columns of the table have different lengths"),
            ({"topic": [], "map": []}, "frame: the file contains no measure values"),
        ],
        "score_columns": [("x", "score_columns must be 'measures' or 'runs', not 'x'")],
        "lower_is_better": [(5, "lower_is_better must be a string or several strings, not 5")],
    },
    "Scores.topics": {"run": NAME},
    "Scores.per_topic": {"measure": MEASURE, "run": NAME},
    "Scores.summary": {"measure": MEASURE, "run": NAME},
    "Scores.__getitem__": {"measure": MEASURE},
    "measure": {
        "name": [
            *NAME,
            ("P@5", "name must be made of letters, digits and underscores, not 'P@5'"),
            ("map", "name: 'map' is already a name of the measure map"),
            ("mrr", "name: 'mrr' is already a name of the measure recip_rank"),
            ("P_10", "name: 'P_10' is already a name of the measure P"),
            ("all_trec", "name: 'all_trec' is already a name of"),
        ],
        "cutoffs": [
            (5, "cutoffs must be a list of integers, not 5"),
            ("5", "cutoffs must be a list of integers, not '5'"),
            ([0], "cutoffs must be an integer of at least 1, not 0"),
            ([1.5], "not 1.5"),
        ],
        "parameters": [
            ("p", "parameters must be a dictionary, not 'p'"),
            ({"P": 1.0}, "a name must be a word of lowercase letters, not 'P'"),
            ({"p": "1"}, "parameters: p must be a number or None, not '1'"),
            ({"p": math.nan}, "parameters: p must be a finite number, not nan"),
        ],
        "summary": [("median", "summary must be one of 'mean', .*, not 'median'"), ([], "type list")],
        "value_range": [
            (5, "value_range must be two numbers, the lower one first, not 5"),
            ((1, 0), "value_range must be two numbers, the lower one first"),
            (("0", 1), "value_range must be a number or None, not '0'"),
        ],
        "needs": [("length", "needs must be 'weight' or None, not 'length'"), (True, "not True")],
        "better": [("more", "better must be one of 'higher', .*, not 'more'"), (True, "not True")],
    },
    "Scores.interval": {
        "measure": MEASURE,
        "run": NAME,
        "confidence": CONFIDENCE,
        "method": [("z", "method must be 't' or 'bootstrap', not 'z'"), (5, "method must be a string, not 5")],
        "seed": WHOLE,
    },
    "Scores.by_group": {
        "groups": [
            (["1"], "groups must be a dictionary"),
            ({"1": 5}, r"groups\['1'\] must be a string or several strings, not 5"),
            ({1.5: "a"}, "groups: a topic must be a string or an integer, not 1.5"),
            (
                {"1": "low"},
                "invalid group name 'low': it must not be low, high or empty",
            ),
            ({"1": ["a:b"]}, "invalid group name 'a:b'"),
        ]
    },
    "Scores.to_frame": {"wide": FLAG, "per_topic": FLAG, "confidence": CONFIDENCE},
    "Scores.to_polars": {"wide": FLAG, "per_topic": FLAG, "confidence": CONFIDENCE},
    "Scores.to_arrow": {"wide": FLAG, "per_topic": FLAG, "confidence": CONFIDENCE},
    "RelevanceEvaluator": {
        "query_relevance": [
            (None, "query_relevance must be a dictionary", AttributeError),
            ({"1": 5}, "must be a dictionary", TypeError),
        ],
        "measures": [
            (None, "measures must be a collection of names, not None", TypeError),
            ("mapp", "unknown measure", ValueError),
        ],
        "relevance_level": [(1.5, "relevance_level must be a 32-bit integer", TypeError), (0, "not 0", TypeError)],
        "judged_docs_only_flag": [("x", "judged_docs_only_flag must be True or False, not 'x'", TypeError)],
    },
    "RelevanceEvaluator.evaluate": {
        "scores": [([1], "scores must be a dictionary", TypeError), ({"1": 5}, "must be a dictionary", TypeError)]
    },
    "compute_aggregated_measure": {
        "measure": MEASURE,
        "values": [
            (None, "values must be a sequence of numbers, not None"),
            ("0.5", "not '0.5'"),
            ([0.5, "x"], r"values\[1\] must be a 64-bit number, not 'x'"),
            ([None], "not None"),
            (0.5, "not 0.5"),
        ],
    },
    "parse_qrel": {
        "f_qrel": [
            (None, "f_qrel must be an open file or an iterable of lines, not None"),
            ("qrels", "not 'qrels'"),
            ([5], "line 1 of f_qrel must be a string, not 5"),
            (["1 0 A"], "line 1: expected 4 columns", ValueError),
        ]
    },
    "parse_run": {
        "f_run": [
            (None, "f_run must be an open file or an iterable of lines, not None"),
            (b"run", "not b'run'"),
            ([None], "line 1 of f_run must be a string, not None"),
            (["1 Q0 A"], "line 1: expected 6 columns", ValueError),
        ]
    },
}


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function and method; exceptions are raised and not called, and irevalx alone makes Topics."""
    for name in irevalx.__all__:
        given = getattr(irevalx, name)
        if inspect.isfunction(given):
            yield name, given
        elif isinstance(given, type) and not issubclass(given, Exception) and given is not irevalx.Topics:
            yield name, given
            for method in vars(given):
                if (not method.startswith("_") or method == "__getitem__") and callable(getattr(given, method)):
                    yield f"{name}.{method}", getattr(given, method)


def test_every_public_parameter_has_wrong_calls() -> None:
    """There is a right call of each function, and wrong values for each parameter."""
    for name, function in public():
        assert name in CALLS, f"add a right call of irevalx.{name} to CALLS in tests/api/test_arguments.py"
        for parameter in inspect.signature(function).parameters:
            if parameter != "self":
                assert WRONG.get(name, {}).get(parameter), (
                    f"add wrong values of the parameter {parameter} of irevalx.{name} to WRONG in tests/api/test_arguments.py, "
                    "each with what the message says"
                )
    assert {name for name, _ in public()} == CALLS.keys(), "CALLS has what is not public"


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_are_right(name: str) -> None:
    """What is wrong in the calls below is the one value."""
    function, arguments = CALLS[name]
    function(**arguments)


@pytest.mark.parametrize(
    ("name", "parameter", "row"),
    [(name, parameter, row) for name, each in WRONG.items() for parameter, rows in each.items() for row in rows],
    ids=lambda value: value if isinstance(value, str) else case_name(value[0]),
)
def test_wrong_calls(name: str, parameter: str, row: Row) -> None:
    """Each wrong value is refused: the argument, what it must be, and what it got."""
    function, arguments = CALLS[name]
    value, message, *error = row
    with pytest.raises(error[0] if error else InputError, match=message) as caught:
        function(**{**arguments, parameter: value})
    assert isinstance(caught.value, IrevalxError | ValueError | AttributeError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "keywords",
    [
        {"level": np.int64(1), "threads": np.int32(1), "max_retrieved": np.uint8(10)},
        {"complete": 1, "judged_only": np.False_, "strict": 0},
        {"unjudged": "nonrel", "measures": ("map",)},
        {"measures": {"map", "P.5"}, "topic": 1},
        {"infap_c": 1, "sample_rate": np.float32(0.5), "measures": ["infAP", "subAP"]},
        {"compat": 9},
        {"measures": ()},
        {"rel_format": "qrels", "results_format": "trec_results", "pool": {"1": ["A", "B"]}},
    ],
    ids=case_name,
)
def test_what_works_as_one_would_expect(keywords: dict[str, Any]) -> None:
    """Numpy's numbers, 0 and 1 as truth values, sets, and a string where one name is enough."""
    assert irevalx.evaluate(GRADED, SCORED, **keywords).topics() == ["1"]


def test_formats_of_what_has_been_read() -> None:
    """Judgments that have been read keep their format; another one is refused."""
    folder = FIXTURES / "golden" / "data"
    preferences = irevalx.Qrels.read(folder / "p.prefs", rel_format="prefs")
    assert irevalx.Qrels.read(preferences, rel_format="prefs").rel_format == "prefs"
    assert irevalx.Qrels.read(preferences).rel_format == "prefs"
    with pytest.raises(UsageError, match="rel_format must be qrels or prefs here, not 'sampled'"):
        irevalx.Qrels.read(preferences, rel_format="sampled")


def values_of_other_kinds() -> Iterator[Any]:
    """Frames, arrays and dictionaries, whose comparisons have no truth value or fail."""
    for module in ("pandas", "polars"):
        yield pytest.importorskip(module).DataFrame({"a": [1, 2]})
    yield np.array([1, 2])
    yield {"a": 1}


@pytest.mark.parametrize("call", ["evaluate", "Qrels.read", "Pool.read", "Run.read"])
def test_frames_arrays_and_dictionaries(call: str) -> None:
    """In the place of any other argument, they are refused in words that name the argument."""
    function, arguments = CALLS[call]
    tables = {"qrels", "runs", "run", "pool"}
    for name in inspect.signature(function).parameters.keys() - tables:
        for value in values_of_other_kinds():
            with pytest.raises(IrevalxError, match=rf"^{name} "):
                function(**{**arguments, name: value})
