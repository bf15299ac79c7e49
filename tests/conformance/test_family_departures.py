"""Where irevalx departs from gdeval, ndeval and statAP_MQ_eval, as far as no recorded case shows it.

Expected values were worked out by hand; what the programs do otherwise is in docs/generate/family_departures.py.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from running import refused, run

QRELS = ("-m", "ERR.5", "-m", "ndcg_burges.5")
SUBTOPICS = ("-R", "subtopics", "-m", "strec.5", "-m", "MAP_IA")
PRELS = ("-R", "prels", "-m", "statAP", "-m", "statR")

JUDGMENTS = {
    QRELS: "1 0 a 4\n2 0 b 1\n",
    SUBTOPICS: "1 1 a 1\n2 1 b 1\n",
    PRELS: "1 a 1 1 0.5\n2 b 1 1 0.25\n",
}
"""Judgments of two topics in each format, by the options that go with it."""

RUN = "1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n"

EVERY = pytest.mark.parametrize("options", JUDGMENTS, ids=("gdeval", "ndeval", "statAP"))


def values(folder: Path, options: tuple[str, ...], judgments: str, results: str) -> dict[tuple[str, str], str]:
    """Evaluate, and return the values as they are printed, by topic and measure."""
    (folder / "judgments").write_text(judgments)
    (folder / "run").write_text(results)
    result = run(*options, "--quiet", "--format", "csv", "-q", "judgments", "run", cwd=folder)
    assert (result.status, result.stderr) == (0, "")
    _, *rows = csv.reader(result.stdout.decode().splitlines())
    return {(topic, measure): value for _, topic, measure, value in rows}


@EVERY
def test_no_topic_in_common(options: tuple[str, ...], tmp_path: Path) -> None:
    """It is an error."""
    (tmp_path / "judgments").write_text(JUDGMENTS[options])
    (tmp_path / "run").write_text("3 Q0 a 1 2 t\n")
    assert "irevalx: no topic has both judgments and results" in refused(
        *options, "judgments", "run", cwd=tmp_path, status=7
    )


@pytest.mark.parametrize("options", [QRELS, SUBTOPICS])
def test_rows_of_topics_without_results(options: tuple[str, ...], tmp_path: Path) -> None:
    """With -c they have rows of 0."""
    result = values(tmp_path, ("-c", *options), JUDGMENTS[options], "1 Q0 a 1 2 t\n")
    assert {value for (topic, _), value in result.items() if topic == "2"} == {"0.0"}
    assert len(result) == 6


@pytest.mark.parametrize("judgments", ["1 0 a 1\n1 0 a 0\n", "1 0 a 0\n1 0 a 1\n"])
def test_gdeval_second_judgment_of_0(judgments: str, tmp_path: Path) -> None:
    """A document must be judged once, whatever its grades."""
    (tmp_path / "judgments").write_text(judgments)
    (tmp_path / "run").write_text(RUN)
    assert "irevalx: judgments:2: duplicate document" in refused(*QRELS, "judgments", "run", cwd=tmp_path, status=4)


def test_columns_of_gdeval(tmp_path: Path) -> None:
    """The second column, ranks and the tag may be anything; a line has its columns, and a score is read as C does."""
    result = values(tmp_path, QRELS, "1 5 a 4\n1 5 b 0\n", "1 XX b first 2x 0\n1 XX a 2 1e1 0\n")
    assert result["1", "ERR_5"] == str(15 / 16)
    (tmp_path / "judgments").write_text("1 0 a 4 more\n")
    assert run(*QRELS, "judgments", "run", cwd=tmp_path).status == 2


def test_topics_of_ndeval_with_a_prefix(tmp_path: Path) -> None:
    """A topic with a prefix is another topic."""
    result = values(tmp_path, SUBTOPICS, JUDGMENTS[SUBTOPICS], RUN.replace("1 Q0 a", "wt09-1 Q0 a"))
    assert {topic for topic, _ in result} == {"2", "all"}


@EVERY
def test_name_of_the_run(options: tuple[str, ...], tmp_path: Path) -> None:
    """It is the tag of the last line."""
    (tmp_path / "judgments").write_text(JUDGMENTS[options])
    (tmp_path / "run").write_text("1 Q0 a 1 2 first\n2 Q0 b 1 1 last\n")
    result = run(*options, "--format", "csv", "judgments", "run", cwd=tmp_path).stdout.decode()
    assert {line.split(",")[0] for line in result.splitlines()} == {"run", "last"}


def test_options_of_irevalx(tmp_path: Path) -> None:
    """-l, -J and -M go with subtopics too: b is relevant from 2 up, and moves up where x, not judged, is removed."""
    judgments, results = "1 1 a 1\n1 1 b 2\n", "1 Q0 x 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n"
    for flags, expected in (((), (1 / 2 + 2 / 3) / 2), (("-l", "2"), 1 / 2), (("-l", "2", "-J"), 1.0), (("-M1",), 0.0)):
        result = values(tmp_path, ("-R", "subtopics", *flags, "-m", "MAP_IA"), judgments, results)
        assert float(result["1", "MAP_IA"]) == pytest.approx(expected, abs=1e-15), flags


@pytest.mark.parametrize("flags", [("-baseline", "run"), ("-riskAlpha", "1"), ("-R", "prels", "-n", "-f")])
def test_options_of_other_programs(flags: tuple[str, ...], tmp_path: Path) -> None:
    """They are usage errors."""
    (tmp_path / "judgments").write_text(JUDGMENTS[PRELS])
    (tmp_path / "run").write_text(RUN)
    refused(*flags, "judgments", "run", cwd=tmp_path)


def test_no_topic_with_a_sample(tmp_path: Path) -> None:
    """Where no topic has a value there are no rows but means of 0."""
    result = values(tmp_path, PRELS, "1 a 0 1 0.5\n2 b 0 1 0.25\n", RUN)
    assert result == {("all", "statAP"): "0.0", ("all", "statR"): "0.0"}


def test_documents_of_statap_retrieved_twice(tmp_path: Path) -> None:
    """A document must be retrieved once."""
    (tmp_path / "judgments").write_text(JUDGMENTS[PRELS])
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    assert "irevalx: run:2: duplicate document" in refused(*PRELS, "judgments", "run", cwd=tmp_path, status=4)


def test_white_space_before_a_topic(tmp_path: Path) -> None:
    """It changes nothing."""
    result = values(tmp_path, PRELS, JUDGMENTS[PRELS], " 1 Q0 a 1 2 t\n\t2 Q0 b 1 1 t\n")
    assert (result["1", "statAP"], result["all", "statAP"]) == ("1.0", "1.0")


def test_all_topics_of_statap(tmp_path: Path) -> None:
    """With -c a topic without results counts as 0, and 4 relevant documents in it are estimated all the same."""
    result = values(tmp_path, ("-c", *PRELS), JUDGMENTS[PRELS], "1 Q0 a 1 2 t\n")
    assert (result["1", "statAP"], result["2", "statAP"], result["all", "statAP"]) == ("1.0", "0.0", "0.5")
    assert (result["1", "statR"], result["all", "statR"]) == ("2.0", "6.0")
