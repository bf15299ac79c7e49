"""Values of topics of several runs; ``tests/spark/test_parts.py`` divides topics into batches and adds them up."""

from __future__ import annotations

import pytest

from irevalx.errors import DuplicateDocumentError, EvaluationError
from irevalx.evaluation.topic_values import TopicValues, topic_values_of
from irevalx.measures.selection import select_measures
from irevalx.measures.summaries import as_list
from irevalx.reading.formats import read_qrels, read_trec_results
from irevalx.reading.judgment_formats import QRELS, SAMPLED
from irevalx.reading.kinds.runs import ResultRows
from irevalx.reading.sources.files import Source
from irevalx.settings import Settings
from irevalx.trec_eval import COMPAT


def silent(line: str) -> None:
    """Warn of nothing."""


def results_of(text: bytes) -> ResultRows:
    """The results of a run, as one part."""
    run = read_trec_results(Source("run", text), COMPAT["10"], False, silent)
    [results] = map(run.parse, run.again())
    return results


def test_summaries_of_all_judged_topics() -> None:
    """What is over all judged topics comes with every run, batch by batch."""
    sampled = SAMPLED.read(
        Source("q", b"1 0 A 1 1\n1 0 B 1 -1\n2 0 A 1 1\n2 0 B 2 1\n3 0 A 1 0\n"), COMPAT["10"], False, silent
    )
    settings = Settings()
    selection = select_measures(("inum_rel",), settings, "sampled")
    results = results_of(b"1 Q0 A 1 1 x\n")
    result = topic_values_of(sampled, [results], selection, settings)
    [column] = result.columns
    assert result.topics == (b"1",)
    assert column.of_all_judged is not None
    assert as_list(column.of_all_judged) == [2, 2, 0]
    assert result.top_judged is None


def test_no_topics() -> None:
    """A batch without results, without judgments or without runs has no values, and that is no error."""
    compat = COMPAT["10"]
    settings = Settings()
    selection = select_measures(("map", "num_ret"), settings)
    judged = read_qrels(Source("q", b"1 0 A 1\n"), compat, False, silent)
    nothing = read_qrels(Source("q", b""), compat, False, silent)
    results = results_of(b"1 Q0 A 1 1 x\n")
    empty = results_of(b"")
    for judgments, runs in ((judged, []), (judged, [empty]), (nothing, [results]), (nothing, [empty, empty])):
        result = topic_values_of(judgments, runs, selection, settings)
        assert (result.topics, result.run.size, result.missing.size) == ((), 0, 0)
        assert [as_list(column.values) for column in result.columns if column.values is not None] == [[], []]


def test_what_cannot_be_evaluated() -> None:
    """A document twice in a topic, and judgments that a measure has no use for, are the errors of the command."""
    compat = COMPAT["10"]
    settings = Settings()
    selection = select_measures(("map",), settings)
    judged = read_qrels(Source("q", b"1 0 A 1\n"), compat, False, silent)
    once, twice = results_of(b"1 Q0 A 1 1 x\n"), results_of(b"1 Q0 A 1 1 y\n" * 2)
    with pytest.raises(DuplicateDocumentError, match=r"^y:2: duplicate document"):
        topic_values_of(judged, [once, twice], selection, settings)
    with pytest.raises(EvaluationError, match="measure 'prefs_simp' requires judgments in the format"):
        topic_values_of(judged, [once], select_measures(("prefs_simp",), settings), settings)
    graded = QRELS.read(Source("q", b"1 0 A 9\n"), compat, False, silent)
    with pytest.raises(EvaluationError, match="grade 9 is above 4, the highest grade of ERR"):
        topic_values_of(graded, [once], select_measures(("ERR",), settings), settings)
    result: TopicValues = topic_values_of(graded, [once], select_measures(("all",), settings), settings)
    assert [reason.partition(",")[0] for reason in result.unsupported] == ["q: grade 9 is above 4"]
    assert not any(column.name.startswith("ERR") for column in result.columns)
