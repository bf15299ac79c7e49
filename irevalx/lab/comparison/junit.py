"""Verdicts of a gate as JUnit's XML."""

from __future__ import annotations

from irevalx.errors import printable
from irevalx.lab.comparison.gate import Gate
from irevalx.statistics.non_inferiority import CANNOT_TELL


def junit_of(found: Gate) -> bytes:
    """Return verdicts as JUnit's XML, which services for continuous integration show as tests.

    There is a test suite with a test case for each verdict: its class is the run, its name the measure.
    What does not pass is a failure, of the type that the verdict has; what cannot be told, and passes by
    ``allow_unsure``, is skipped.
    """
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

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
        why = (
            f"{row.verdict}: difference {row.rounded(4)} from {printable(row.against)}, margin {row.margin:g}, "
            f"{row.topics} topics, {row.differing} of which differ"
            f"{'; depends on unjudged documents' if row.depends_on_unjudged else ''}"
        )
        if not found.passes(row):
            SubElement(case, "failure", {"type": row.verdict, "message": why})
        elif row in skipped:
            SubElement(case, "skipped", {"message": why})
        else:
            SubElement(case, "system-out").text = why
    indent(suites)
    text: str = tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()
