"""The loops of ``references.family`` say what gdeval, ndeval and statAP_MQ_eval printed."""

from __future__ import annotations

import pytest
from references import family as reference_family
from references.family import RefusedError
from references.recorded_family import CASES, Case, agrees


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_recorded(case: Case) -> None:
    """Every recorded value, and nothing where nothing may be printed."""
    files = case.files[case.judgments], case.files["run"]
    if case.refuses:
        with pytest.raises(RefusedError, match=f"^{case.refuses}$"):
            reference_family.evaluate(case.irevalx, *files)
        return
    result = reference_family.evaluate(case.irevalx, *files)
    for topic, expected in case.expect.items():
        for name, printed in expected.items():
            value = result.get(topic, {}).get(name)
            if printed is None:
                assert value is None, (topic, name)
            else:
                assert value is not None, (topic, name)
                assert agrees(value, printed), (topic, name, value, printed)


def test_all_are_there() -> None:
    """No case was lost, and every measure is recorded."""
    assert len(CASES) == 77
    assert sum(len(values) for case in CASES for values in case.expect.values()) == 2549
    recorded = {name for case in CASES for values in case.expect.values() for name in values}
    assert all(any(name.startswith(measure) for name in recorded) for measure in reference_family.MEASURES)
