"""The preference measures say what the reference says, to the last bit; contradictions are found; cost is bounded."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from examples.random_topics import ranking_of
from hypothesis import given
from hypothesis import strategies as st
from references import preferences as reference
from references.preferences import ContradictionError, Line, Topic
from running import examples, refused, run

from irevalx.judgments.preferences import FLIP_HINT, PreferenceJudgments
from irevalx.measures import BY_NAME, MEASURES
from irevalx.measures.parameter_kinds import Parameters
from irevalx.measures.summaries import as_list
from irevalx.ranking.topic_kinds import Preferences, assess_preferences
from irevalx.reading.judgment_formats import PREFS, QRELS_PREFS
from irevalx.reading.sources.files import Source
from irevalx.trec_eval import TREC_EVAL_9, TREC_EVAL_10, Compat

BOTH = pytest.mark.parametrize("compat", ["9", "10"])
ALL_PREFS = ("-R", "prefs", "-m", "all_prefs")


# Kernels and the reference


def assessed(judgments: PreferenceJudgments, topics: Sequence[Topic], numbers: Sequence[int] = (0,)) -> Preferences:
    """Assess the rankings of the topics with these numbers."""
    rankings = [topics[number].ranking for number in numbers]
    return assess_preferences(ranking_of(judgments.documents, rankings, numbers), judgments)


def read(topics: Sequence[Topic], compat: Compat = TREC_EVAL_10) -> PreferenceJudgments:
    """Write the lines to a file, topics being called by number, and read it."""
    with tempfile.NamedTemporaryFile("w", suffix=".prefs") as file:
        for number, topic in enumerate(topics):
            for line in topic.lines:
                file.write(f"{number:03} {line.group} {line.subgroup} {line.document} {line.level!r}\n")
        file.flush()
        return PREFS.read(Source(file.name), compat, strict=True, warn=lambda line: None)


def contradicts_itself(topic: Topic) -> bool:
    """What the reference thinks of a topic's judgments."""
    try:
        reference.num_poss(topic)
    except ContradictionError:
        return True
    return False


def check(topics: Sequence[Topic]) -> None:
    """Hold every preference measure, and the finding of contradictions, to the reference."""
    judgments = read(topics)
    names = [b"%03d" % number for number in range(len(topics))]
    wrong = [contradicts_itself(topic) for topic in topics]
    assert list(judgments.failures(names)) == [name for name, is_wrong in zip(names, wrong, strict=True) if is_wrong]
    possible = [number for number, is_wrong in enumerate(wrong) if not is_wrong]
    seen = assessed(judgments, topics, possible)
    for name, literal in reference.MEASURES.items():
        [values] = BY_NAME[name](seen, Parameters((name,)))
        expected = [repr(literal(topics[number])) for number in possible]
        assert [repr(value) for value in as_list(values)] == expected, name


DOCUMENTS = [f"d{number}" for number in range(9)]


def random_topic(random: Random) -> Topic:
    """Up to three groups of up to three subgroups; documents tend to have one level in a group, and lines come twice."""
    levels = random.choice(LEVELS)
    documents = DOCUMENTS[: random.randint(1, len(DOCUMENTS))]
    lines = []
    for group in range(random.randint(1, 3)):
        grades = {document: random.choice(levels) for document in documents}
        for subgroup in range(random.choice([1, 1, 2, 3])):
            for document in random.sample(documents, random.randint(1, len(documents))):
                level = grades[document] if random.random() < 0.97 else random.choice(levels)
                line = Line(f"g{group}", f"s{subgroup}", document, float(level))
                lines += [line] * random.choice([1, 1, 1, 1, 2, 3])
    random.shuffle(lines)
    retrieved = random.sample([*documents, "x", "y"], random.randint(0, len(documents) + 2))
    return Topic(lines, retrieved)


LEVELS = [(0, 1), (0, 0, 0, 1), (0, 1, 2, 3), (1, 2, 9), (-3, -1, 0, 0, 1, 2), (-4, -3), (0.5, 1e-9, 0)]
"""Few different levels, so that classes have several members; -3 and -4 on purpose."""


@examples(400)
@given(st.integers(0, 2**64), st.integers(1, 3))
def test_measures_are_the_reference(seed: int, n_topics: int) -> None:
    """Every preference measure counts what the loops over pairs count, in each of several topics."""
    random = Random(seed)
    check([random_topic(random) for _ in range(n_topics)])


def test_reference_has_every_measure() -> None:
    """No preference measure is without a reference."""
    assert {measure.name for measure in MEASURES if "prefs" in measure.formats} == set(reference.MEASURES)


def test_pair_counts_do_not_overflow() -> None:
    """Counts of one pair above 65,535 are what they are; trec_eval keeps 16 bits of them."""
    lines = [Line("g", "s", document, level) for document, level in (("A", 1.0), ("B", 0.0)) for _ in range(300)]
    lines += [Line("h", "s", document, level) for document, level in (("A", 0.0), ("B", 1.0)) for _ in range(100)]
    topics = [Topic(lines, ["A", "B"])]
    seen = assessed(read(topics), topics)
    [values] = BY_NAME["prefs_pair"](seen, Parameters(("prefs_pair",)))
    assert values.tolist() == [90_000 / (90_000 + 10_000)]  # type: ignore[union-attr]


# The formats


def test_levels_of_version_9_are_32_bits() -> None:
    """Levels that only 64 bits tell apart are one level in version 9."""
    topics = [Topic([Line("g", "s", "A", 1.00000001), Line("g", "s", "B", 1.0)], [])]
    for compat, preferences in ((TREC_EVAL_9, 0), (TREC_EVAL_10, 1)):
        seen = assessed(read(topics, compat), topics)
        assert seen.tally.possible.tolist() == [preferences]


def test_qrels_prefs_is_prefs_with_one_subgroup(tmp_path: Path) -> None:
    """The format qrels_prefs reads what prefs reads with the same subgroup everywhere."""
    (tmp_path / "four").write_text("2 g B 1\n10 h A 2\n2 g A 0.5\n2 f C 0\n")
    (tmp_path / "five").write_text("2 g s B 1\n10 h s A 2\n2 g s A 0.5\n2 f s C 0\n")
    four = QRELS_PREFS.read(Source(str(tmp_path / "four")), TREC_EVAL_10, strict=True, warn=lambda line: None)
    five = PREFS.read(Source(str(tmp_path / "five")), TREC_EVAL_10, strict=True, warn=lambda line: None)
    for path in (four, five):
        assert path.documents.topics == (b"10", b"2")
        assert path.documents.docnos.texts() == [b"A", b"A", b"B", b"C"]
        assert path.names == (b"h", b"f", b"g")
        assert path.document.tolist() == [0, 2, 1, 0]
        assert path.level.tolist() == [2.0, 0.0, 1.0, 0.5]
        assert path.lines.tolist() == [2, 4, 1, 3]


def files(folder: Path, prefs: str, results: str = "1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n1 Q0 C 3 1 r\n") -> tuple[Path, Path]:
    """Write preferences and a run."""
    (folder / "prefs").write_text(prefs)
    (folder / "run").write_text(results)
    return folder / "prefs", folder / "run"


@pytest.mark.parametrize(
    ("prefs", "message"),
    [
        ("1 g s A\n", "{prefs}:1: expected a preference with 5 columns (topic, group, subgroup, document, level), but the line has 4: '1 g s A'"),
        ("1 g s A 1 1\n", "{prefs}:1: expected a preference with 5 columns (topic, group, subgroup, document, level), but the line has 6: '1 g s A 1 1'"),
        ("1 g s A 1\n\n", "{prefs}:2: expected a preference with 5 columns (topic, group, subgroup, document, level), but the line is blank; remove it"),
        ("1 g s A 1\n1 g s B nan\n", "{prefs}:2: topic '1': document 'B': invalid level 'nan': must be a number"),
    ],
)  # fmt: skip
def test_malformed_lines(prefs: str, message: str, tmp_path: Path) -> None:
    """A malformed line is named by file and line, status 2."""
    assert (
        refused(*ALL_PREFS, *files(tmp_path, prefs), status=2)
        == f"irevalx: {message.format(prefs=tmp_path / 'prefs')}\n"
    )


@pytest.mark.parametrize("level", ["abc", "1,5", "inf", "1e400"])
def test_odd_levels_are_never_read_in_silence(level: str, tmp_path: Path) -> None:
    """A level that is no finite number is read as C reads it, with a warning; --strict refuses it."""
    paths = files(tmp_path, f"1 g s A 1\n1 g s B {level}\n")
    result = run(*ALL_PREFS, *paths)
    assert result.status == 0
    assert result.stderr.startswith(
        f"irevalx: {tmp_path / 'prefs'}:2: topic '1': document 'B': invalid level '{level}' (not a finite number), read as"
    )
    assert run("--strict", *ALL_PREFS, *paths).status == 2


def test_only_comments(tmp_path: Path) -> None:
    """A file without data lines judges no topic."""
    assert run(*ALL_PREFS, *files(tmp_path, "# nothing\n")).status == 7


# Contradictions


@pytest.mark.parametrize(
    ("prefs", "message"),
    [
        (
            "1 g s A 1\n1 g s B 3\n1 g s A 2\n",
            "{prefs}:3: conflicting levels of document 'A' in group 'g' of topic '1': 2, and 1 on line 1",
        ),
        (
            "1 g s A 2\n1 g s A 2\n1 g s A 1\n",
            "{prefs}:3: conflicting levels of document 'A' in group 'g' of topic '1': 1, and 2 on line 1",
        ),
        (
            "1 g s A 1\n1 g t A 0\n1 g t C 2\n",
            "{prefs}:2: a level of 0 and a level above 0 of document 'A' in group 'g' of topic '1': 0, and 1 on line 1",
        ),
        (
            "1 g s A 1\n1 g s C 2\n1 g t B 2\n1 g t D 1\n1 g u D 2\n1 g u B 1\n",
            f"{{prefs}}: contradictory preferences in group 'g' of topic '1': 'B' is both better and worse than 'D'{FLIP_HINT}",
        ),
        (
            "1 g s A 2\n1 g s B 1\n1 g t B 2\n1 g t C 1\n1 g u C 2\n1 g u A 1\n",
            "{prefs}: contradictory preferences in group 'g' of topic '1': 'A' is both better and worse than 'B'",
        ),
    ],
)  # fmt: skip
def test_contradictions(prefs: str, message: str, tmp_path: Path) -> None:
    """A topic whose judgments contradict each other ends the evaluation with status 4, after the topics before it."""
    before = "0 g s A 1\n0 g s B 0\n"
    paths = files(tmp_path, prefs + before, "0 Q0 A 1 1 r\n1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n")
    result = run("-q", "-R", "prefs", "-m", "prefs_simp", *paths)
    assert (result.stdout, result.status) == (b"prefs_simp            \t0\t1.0000\n", 4)
    assert result.stderr == f"irevalx: {message.format(prefs=tmp_path / 'prefs')}\n"


@pytest.mark.parametrize("rel_format", ["prefs", "pairs"])
def test_remedy_for_flips(rel_format: str, tmp_path: Path) -> None:
    """With the tie that the message recommends, the value is the value of the other preference, A to C, alone."""
    flip = {
        "prefs": "1 g s A 2\n1 g s B 1\n1 g t B 2\n1 g t A 1\n1 g u A 2\n1 g u C 1\n",
        "pairs": "1 A B A\n1 B A B\n1 A C A\n",
    }
    results = "1 Q0 B 1 3 r\n1 Q0 C 2 2 r\n1 Q0 A 3 1 r\n"
    stderr = run("-R", rel_format, "-m", "prefs_simp", *files(tmp_path, flip[rel_format], results)).stderr
    assert stderr.endswith(f"'A' is both better and worse than 'B'{FLIP_HINT}\n")
    values = [
        run("-R", "prefs", "-m", "prefs_simp", "-m", "prefs_num_prefs_poss", *files(tmp_path, text, results)).stdout
        for text in ("1 g s A 1\n1 g s B 1\n1 g u A 2\n1 g u C 1\n", "1 g u A 2\n1 g u C 1\n")
    ]
    assert values[0] == values[1]
    assert b"1" in values[0].split()  # one possible preference


def test_contradictions_in_topics_that_are_not_evaluated(tmp_path: Path) -> None:
    """What is wrong with the judgments of a topic without results, or that -D leaves out, does not matter."""
    prefs, results = files(tmp_path, "1 g s A 1\n1 g s B 0\n2 g s A 1\n2 g s A 2\n")
    assert run(*ALL_PREFS, prefs, results).status == 0
    results.write_text("1 Q0 A 1 1 r\n2 Q0 A 1 1 r\n")
    assert run(*ALL_PREFS, prefs, results).status == 4
    assert run(*ALL_PREFS, "-D", ".1", prefs, results).status == 0


def test_groups_may_contradict_each_other(tmp_path: Path) -> None:
    """Two users may prefer the opposite."""
    paths = files(tmp_path, "1 g s A 1\n1 g s B 0\n1 h s A 0\n1 h s B 1\n")
    assert run("-R", "prefs", "-m", "prefs_pair", *paths).stdout.split() == [b"prefs_pair", b"all", b"0.5000"]


# Which measures the formats give


@BOTH
@pytest.mark.parametrize(
    ("rel_format", "requests", "first"),
    [
        ("prefs", ["prefs_simp", "map"], "measure 'map' requires judgments in the format qrels (-R), not prefs"),
        (
            "qrels_prefs",
            ["official"],
            "measure 'num_ret' requires judgments in the format qrels or sampled (-R), not qrels_prefs",
        ),
        (
            "qrels",
            ["map", "prefs_simp"],
            "measure 'prefs_simp' requires judgments in the format prefs or qrels_prefs (-R), not qrels",
        ),
    ],
)
def test_measures_that_the_format_does_not_give(
    rel_format: str, requests: list[str], first: str, compat: str, tmp_path: Path
) -> None:
    """The first such measure in print order ends the evaluation with status 4, before anything is printed."""
    paths = files(tmp_path, "1 g s A 1\n" if rel_format == "prefs" else "1 g A 1\n")
    options = [word for request in requests for word in ("-m", request)]
    assert refused("--compat", compat, "-q", "-R", rel_format, *options, *paths, status=4) == f"irevalx: {first}\n"


# Cost


def evaluation_time(folder: Path, prefs: str, results: str, preferences: int) -> float:
    """Processor time of an evaluation with all preference measures, which finds so many preferences."""
    paths = files(folder, prefs, results)
    start = time.process_time()
    result = run(*ALL_PREFS, *paths)
    taken = time.process_time() - start
    assert result.stdout.splitlines()[2].split() == [b"prefs_num_prefs_poss", b"all", b"%d" % preferences]
    return taken


def test_cost_of_a_large_class_form(tmp_path: Path) -> None:
    """1,000 judged and 1,000 retrieved documents, half of them the same, take less than a second."""
    prefs = "".join(f"1 g s d{number} {number % 5}\n" for number in range(1000))
    results = "".join(f"1 Q0 d{number} 1 {number * 7 % 1009} r\n" for number in range(500, 1500))
    assert evaluation_time(tmp_path, prefs, results, preferences=10 * 200 * 200) < 1


def test_cost_of_a_large_relation_form(tmp_path: Path) -> None:
    """500 documents in many subgroups, in one of which each is compared with the next, take less than two seconds."""
    pairs = [(number, number + step) for step in (1, 7) for number in range(500 - step)]
    prefs = "".join(f"1 g s{a}.{b} d{a} 2\n1 g s{a}.{b} d{b} 1\n" for a, b in pairs)
    results = "".join(f"1 Q0 d{number} 1 {number * 7 % 509} r\n" for number in range(400))
    assert evaluation_time(tmp_path, prefs, results, preferences=500 * 499 // 2) < 2
