"""Documents for which the label of a judge differs from the human label, for review."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irevalx.lab.judge_agreement.judges import Judge, PairedNumbers
from irevalx.process.platform import as_text
from irevalx.reports.table import Table


class Disagreement(NamedTuple):
    """A document for which the label of a judge differs from the human label."""

    judge: str
    topic: str
    docno: str
    human: float | int  # the original labels
    machine: float | int
    difference: float | int
    """The machine label minus the human label. If one label is a probability of relevance, a grade counts as 0 or 1."""
    others: Mapping[str, str] = {}  # the other columns of the table with the machine's labels


def disagreements_of(judges: Sequence[Judge], level: int, excluded: Collection[str]) -> list[Disagreement]:
    """Return the documents for which a judge's label differs from the human label. The largest difference comes first.

    The first item of ``judges`` is the human judge. Table columns in ``excluded`` are not copied to the result.
    """
    rows = (row for judge in judges[1:] for row in _of_judge(judges[0], judge, level, excluded))
    return sorted(rows, key=lambda row: (-abs(row.difference), row.topic, row.docno))


def _of_judge(human: Judge, judge: Judge, level: int, excluded: Collection[str]) -> Iterator[Disagreement]:
    others = judge.first_answer.other_columns(excluded) if judge.first_answer else {}
    pair = PairedNumbers.of(human, judge, level)
    for row in np.flatnonzero(pair.have_both & (pair.human_grade != pair.machine_grade)).tolist():
        at = int(pair.place[row])
        yield Disagreement(
            judge=judge.name,
            topic=as_text(judge.labels.topics[int(judge.labels.rows.ids[row])]),
            docno=as_text(judge.labels.docnos.text(row)),
            human=_short(human.numbers[at] * human.maximum),
            machine=_short(judge.numbers[row] * judge.maximum),
            difference=_short(pair.machine[row] - pair.human[row]),
            others=others.get(int(judge.labels.lines[row]), {}),
        )


def _short(number: float) -> float | int:
    """Convert a whole number to an integer, and round other numbers to 12 decimals."""
    return int(number) if float(number).is_integer() else round(float(number), 12)


def disagreement_table(rows: Sequence[Disagreement], *, several: bool) -> Table:
    """Return a table of disagreements. If ``several`` is true, the first column contains the name of the judge."""
    names = [*dict.fromkeys(name for row in rows for name in row.others)]
    columns = Disagreement._fields[0 if several else 1 : -1]
    texts = [(*(getattr(row, name) for name in columns), *(row.others.get(name, "") for name in names)) for row in rows]
    return Table("disagreements", (*columns, *names), texts, n_labels=len(columns) - 3)
