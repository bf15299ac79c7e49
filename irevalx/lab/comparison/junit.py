"""Verdicts as JUnit's XML, which services for continuous integration show as tests."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from irevalx.errors import printable
from irevalx.lab.comparison.gate import Gate, RunVerdict
from irevalx.statistics.margins import CANNOT_TELL


def junit_of(found: Gate) -> bytes:
    """Return a test suite with a test case for each verdict: its class is the run, its name the measure.

    What does not pass is a failure, of the type that the verdict has; what cannot be told, and passes by
    ``allow_unsure``, is skipped.
    """
    skipped = [row for row in found.rows if row.verdict == CANNOT_TELL and found.passes(row)]
    counts = {
        "tests": len(found.rows),
        "failures": sum(not found.passes(row) for row in found.rows),
        "errors": 0,
        "skipped": len(skipped),
    }
    attributes = {name: str(number) for name, number in counts.items()}
    suites = Element("testsuites", attributes)
    suite = SubElement(suites, "testsuite", {"name": "irevalx-lab compare", **attributes})
    for row in found.rows:
        case = SubElement(suite, "testcase", {"classname": printable(row.run), "name": printable(row.measure)})
        why = f"{row.verdict}: {_numbers(row)}"
        if not found.passes(row):
            SubElement(case, "failure", {"type": row.verdict, "message": why})
        elif row in skipped:
            SubElement(case, "skipped", {"message": why})
        else:
            SubElement(case, "system-out").text = why
    indent(suites)
    text: str = tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _numbers(row: RunVerdict) -> str:
    return (
        f"difference {row.difference:.4f} [{row.low:.4f}, {row.high:.4f}] from {printable(row.against)}, margin "
        f"{row.margin:g}, {row.topics} topics"
    )
