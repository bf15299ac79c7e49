"""The recorded answers of gdeval, ndeval and statAP_MQ_eval: every value at the digits that they print."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from references.recorded_family import CASES, Case, agrees
from running import run


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_recorded_answers(case: Case, tmp_path: Path) -> None:
    """Each value is there and none that must not be; what must be refused is refused with the name of the file."""
    for name, text in case.files.items():
        (tmp_path / name).write_text(text)
    result = run(*case.irevalx, "--format", "csv", "-q", case.judgments, "run", cwd=tmp_path)
    if case.refuses:
        assert result.status > 0
        assert result.stdout in {b"", b"run,topic,measure,value\n"}
        assert any(line.startswith(f"irevalx: {case.refuses}:") for line in result.stderr.splitlines())
        return
    assert result.status == 0, result.stderr
    rows = csv.DictReader(io.StringIO(result.stdout.decode()))
    values = {(row["topic"], row["measure"]): float(row["value"]) for row in rows}
    for topic, expected in case.expect.items():
        for measure, printed in expected.items():
            if printed is None:
                assert (topic, measure) not in values
            else:
                assert agrees(values[topic, measure], printed), (topic, measure, values[topic, measure], printed)


def test_every_value_is_used() -> None:
    """The 77 cases hold 2,549 values, some of which must not be printed, and 8 refusals: 2,557 answers."""
    n_values = sum(len(values) for case in CASES for values in case.expect.values())
    assert (len(CASES), n_values, sum(case.refuses is not None for case in CASES)) == (77, 2549, 8)
    assert not any(case.expect for case in CASES if case.refuses)
