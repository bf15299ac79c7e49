"""The function ``nuggets``, which scores generated answers from nugget assignments, and its command."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Union

from irevalx.api.score_files import json_object, name_in
from irevalx.api.scores import Scores
from irevalx.declarations import declared, file
from irevalx.errors import InputError, MalformedLineError, RunWarning, RunWarnings, quote, shown_name, warn
from irevalx.lab.command.output import Result
from irevalx.process.platform import as_bytes, as_text
from irevalx.reading.column_names import RUN_OF_SCORES, TOPIC, ColumnSpec, named
from irevalx.reading.sources.blocks import whole_file
from irevalx.reading.sources.files import MARK, name_of_file
from irevalx.reading.sources.tables import UNNAMED, File, is_file, source_of
from irevalx.reports.table import Table
from irevalx.wording import join_words, short_repr

WEIGHTS = {
    "all": {"vital": 1.0, "okay": 1.0},
    "vital": {"vital": 1.0, "okay": 0.0},
    "weighted": {"vital": 1.0, "okay": 0.5},
}
"""The weights of vital and okay nuggets in each score."""

SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""The score of a nugget for each assignment."""

Files = Union[File, Iterable[Union[File, Mapping[str, Any]]]]  # noqa: UP007 - File is a string

_FIELDS = {"text": None, "importance": WEIGHTS["all"], "assignment": SUPPORT}
"""The fields of a nugget, each with its possible values, or None if any string is possible."""


class NuggetRow(NamedTuple):
    """The nugget scores of a run's answer to one topic."""

    run: str
    topic: str
    all_score: float  # mean score of all nuggets
    strict_all_score: float  # strict scores count full support only
    vital_score: float  # mean score of the vital nuggets
    strict_vital_score: float
    weighted_score: float  # weighted mean over nuggets: vital nuggets count 1, okay nuggets 1/2
    strict_weighted_score: float


class NuggetScores(Result):
    """The scores of generated answers, with a row for each run and topic."""

    rows: Sequence[NuggetRow]

    @property
    def scores(self) -> Scores:
        """The scores as input for the functions of ``irevalx.lab``."""
        return Scores.from_frame(dict(zip(NuggetRow._fields, zip(*self.rows, strict=True), strict=True)))

    def tables(self) -> list[Table]:
        """Return a single table of ``rows``, which is a score file when written as csv."""
        return [Table("nugget scores", NuggetRow._fields, self.rows, n_labels=2)]

    def tables_for_people(self) -> list[Table]:
        """Return a table of the means over topics, with a row for each run."""
        scores, names = self.scores, NuggetRow._fields[2:]
        means = [(run, len(scores.topics(run)), *(scores[name, run] for name in names)) for run in scores.runs]
        heads = {name: name.removesuffix("_score").replace("_", " ") for name in names}
        return [Table("mean nugget scores over topics", ("run", "topics", *names), means, n_labels=1).in_words(heads)]


class _Answer(NamedTuple):
    """The nuggets of a run's answer to one topic, each with a text, an importance and an assignment."""

    where: str
    run: str
    topic: str
    nuggets: Sequence[tuple[str, str, str]]

    def row(self) -> NuggetRow:
        """Return the scores of the answer. As in nuggetizer, a score is 0 if the answer has no nuggets that count."""
        values = []
        for weight in WEIGHTS.values():
            total = sum(weight[importance] for _, importance, _ in self.nuggets)
            for least in (0.0, 1.0):  # strict scores ignore partial support
                supported = sum(
                    weight[importance] * SUPPORT[assignment]
                    for _, importance, assignment in self.nuggets
                    if SUPPORT[assignment] >= least
                )
                values.append(supported / total if total else 0.0)
        return NuggetRow(self.run, self.topic, *values)


@declared(example="irevalx-lab nuggets assignments.jsonl --format csv -o scores.csv")
def nuggets(files: Annotated[Files, file(names=("FILE",), several=True)]) -> NuggetScores:
    """Score generated answers from nugget assignments (TREC RAG).

    A nugget is a fact that an answer should contain. For each nugget, a judge (a human assessor or an LLM) has recorded
    whether the answer of a run supports it. A file contains one JSON object per line, for a run and a topic, like the
    output of nuggetizer. The fields of this object are ``qid``, ``run_id``, and ``nuggets``, a list of objects with
    ``text``, ``importance`` (vital or okay) and ``assignment`` (support, partial_support or not_support). Without
    ``run_id``, the run is named after the file.

    A nugget scores 1 for support, 1/2 for partial support, and 0 otherwise. The result contains the mean over all
    nuggets (all_score), the mean over vital nuggets (vital_score), and the weighted mean in which an okay nugget counts
    half (weighted_score). The strict scores count full support only (Pradeep et al., arXiv 2411.09607). A score is 0 if
    the topic has no nuggets of the corresponding kind. A warning lists the topics that have no vital nuggets. All runs
    must have the same nuggets for a topic.

    Output in the formats csv, tsv and jsonl contains the scores of each topic. Such output can be used as a score file,
    for example with ``irevalx-lab compare --scores``. Tables on the terminal contain means over topics.

    Parameters
    ----------
    files : one or several files of JSON lines, or dictionaries with the same fields.

    Raises
    ------
    InputError : a record is invalid or repeated, or two runs have different nuggets for a topic.

    Examples
    --------
    >>> import irevalx
    >>> assigned = [("vital", "support"), ("vital", "partial_support"), ("okay", "not_support"), ("okay", "support")]
    >>> nuggets = [{"text": f"{n}", "importance": i, "assignment": a} for n, (i, a) in enumerate(assigned)]
    >>> [row] = irevalx.lab.nuggets([{"run_id": "a", "qid": "1", "nuggets": nuggets}]).rows
    >>> row.all_score, row.vital_score, row.strict_vital_score, round(row.weighted_score, 4)
    (0.625, 0.75, 0.5, 0.6667)
    """
    answers: dict[tuple[str, str], _Answer] = {}
    several: Any = [files] if is_file(files) or isinstance(files, Mapping) else files
    for answer in _answers(several):
        first = answers.setdefault((answer.run, answer.topic), answer)
        if first is not answer:
            raise MalformedLineError(
                f"{answer.where}: duplicate record of run {quote(answer.run)} for topic {quote(answer.topic)} (first "
                f"in {first.where}); remove one of them"
            )
    if not answers:
        raise InputError("the files contain no records of nuggets")
    _refuse_different(answers.values())
    _warn_of(answers.values())
    return NuggetScores([answer.row() for answer in answers.values()])


def _answers(several: Iterable[Any]) -> Iterator[_Answer]:
    """Yield the nugget records in files and dictionaries."""
    for place, given in enumerate(several):
        if isinstance(given, Mapping):
            yield _answer(f"files[{place}]", given, UNNAMED)
            continue
        source = source_of(given, f"files[{place}]")
        text = whole_file(source).text.removeprefix(MARK)
        for number, line in enumerate(text.split(b"\n"), start=1):
            if line.strip():
                where = f"{shown_name(source.path)}:{number}"
                if (record := json_object(where, as_text(line))) is None:
                    rule = "expected a JSON object with qid, run_id and nuggets"
                    remedy = "write one object per line (JSON Lines), for example with jq -c '.[]' for a JSON array"
                    raise MalformedLineError(f"{where}: {rule}: {quote(line)}; {remedy}")
                yield _answer(where, record, as_text(name_of_file(source.path)))


def _names(where: str, record: Mapping[str, Any], spec: ColumnSpec) -> list[str]:
    """Return the names of the record's fields that identify the topic or the run, except the query text.

    Raise MalformedLineError if these fields have different values.
    """
    fields = [name for name in record if name.lower() in spec.names and name.lower() != "query"]
    different = [name for name in fields if str(record[name]) != str(record[fields[0]])]
    if different:
        raise MalformedLineError(
            f"{where}: the fields {quote(fields[0])} and {quote(different[0])} name different {spec.column.lower()}s "
            f"({short_repr(record[fields[0]])} and {short_repr(record[different[0]])}); keep one of them"
        )
    return named(spec, list(record))


def _answer(where: str, record: Mapping[str, Any], default: str) -> _Answer:
    topics, runs = _names(where, record, TOPIC), _names(where, record, RUN_OF_SCORES)
    if not topics:
        raise MalformedLineError(f"{where}: the field qid is missing; add the topic")
    if "nuggets" not in record:
        raise MalformedLineError(f"{where}: the field nuggets is missing; add the list of assigned nuggets")
    if not isinstance(given := record["nuggets"], list):
        raise MalformedLineError(f"{where}: the field nuggets must be a list of objects, not {short_repr(given)}")
    topic, run = (
        name_in(where, topics[0], record[topics[0]]),
        name_in(where, runs[0], record[runs[0]]) if runs else default,
    )
    checked = [_nugget(f"{where}: nugget {number}", each) for number, each in enumerate(given, start=1)]
    return _Answer(where, run, topic, checked)


def _nugget(where: str, nugget: Any) -> tuple[str, str, str]:
    """Return the text, importance and assignment of a nugget. ``where`` is the location of the nugget for messages."""
    if not isinstance(nugget, dict):
        raise MalformedLineError(f"{where} must be an object with {join_words(list(_FIELDS), 'and')}")
    for name, choices in _FIELDS.items():
        value = nugget.get(name)
        if not isinstance(value, str) or (choices is not None and value not in choices):
            rule = "a string" if choices is None else join_words(list(choices), "or")
            hint = "; assign the nugget again" if name == "assignment" else ""
            problem = f"invalid {name} {short_repr(value)}" if name in nugget else f"the field {name} is missing"
            raise MalformedLineError(f"{where}: {problem}: must be {rule}{hint}")
    return nugget["text"], nugget["importance"], nugget["assignment"]


def _refuse_different(answers: Iterable[_Answer]) -> None:
    """Raise InputError if two runs were assigned different nuggets for a topic."""
    first_of: dict[str, tuple[_Answer, Counter[tuple[str, str]]]] = {}
    for answer in answers:
        own = Counter((text, importance) for text, importance, _ in answer.nuggets)
        first, expected = first_of.setdefault(answer.topic, (answer, own))
        if own != expected:
            differing = [*(own - expected), *(expected - own)][0]
            lacking = first if differing in own - expected else answer
            raise InputError(
                f"{answer.where}: the nuggets of topic {quote(answer.topic)} differ between runs: "
                f"{lacking.run} ({lacking.where}) lacks the {differing[1]} nugget {quote(differing[0])}; assign the "
                "same nuggets to both runs"
            )


def _warn_of(answers: Iterable[_Answer]) -> None:
    """Warn about repeated nuggets, about topics without vital nuggets, and about topics that a run's records lack."""
    topics: dict[str, bool] = {}
    of_runs: dict[str, set[str]] = {}
    for answer in answers:
        text, number = Counter(text for text, _, _ in answer.nuggets).most_common(1)[0] if answer.nuggets else ("", 1)
        if number > 1 and answer.topic not in topics:
            warn(
                f"{answer.where}: nugget {quote(text)} occurs {number} times in topic {quote(answer.topic)}, and "
                f"counts {number} times"
            )
        topics[answer.topic] = any(importance == "vital" for _, importance, _ in answer.nuggets)
        of_runs.setdefault(answer.run, set()).add(answer.topic)
    if without := sorted((topic for topic, has_vital in topics.items() if not has_vital), key=as_bytes):
        names = ", ".join(map(quote, without[:5])) + (", ..." if len(without) > 5 else "")
        warn(
            f"{len(without)} of {len(topics)} topics {'has' if len(without) == 1 else 'have'} no vital nugget "
            f"({names}); vital_score and strict_vital_score are 0 there for every run, which lowers the means"
        )
    with RunWarnings(warn) as about_runs:
        for run, own in of_runs.items():
            if lacking := len(topics) - len(own):
                text = (
                    f"{run}: no record for {lacking} of {len(topics)} topics; its means exclude these topics and "
                    "cannot be compared with the means of other runs: add the records, or use irevalx-lab compare "
                    "--scores, which compares runs on the topics of both"
                )
                about_runs.add([RunWarning("no record", text, lacking)])
