"""Conversion of verdicts on runs to JUnit XML."""

from __future__ import annotations

from irevalx.errors import printable
from irevalx.lab.comparison.non_inferiority import CANNOT_TELL
from irevalx.lab.comparison.verdicts import Gate


def junit_of(result: Gate) -> bytes:
    """Convert verdicts to JUnit XML, which continuous-integration services display as test results."""
    # A verdict is a test case whose class is the run and whose name is the measure. A run that does not pass is a
    # failure, whose type is the verdict. If ``allow_unsure`` is true, the verdict "cannot tell" is a skipped test.
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    skipped = [row for row in result.rows if row.verdict == CANNOT_TELL and result.passes(row)]
    counts = {
        "tests": len(result.rows),
        "failures": sum(not result.passes(row) for row in result.rows),
        "errors": 0,
        "skipped": len(skipped),
    }
    attributes = {name: str(number) for name, number in counts.items()}
    suites = Element("testsuites", attributes)
    suite = SubElement(suites, "testsuite", {"name": "irevalx-lab gate", **attributes})
    for row in result.rows:
        case = SubElement(suite, "testcase", {"classname": printable(row.run), "name": printable(result.case(row))})
        why = (
            f"{row.verdict}: difference {row.rounded(4)} from {printable(row.against)}, margin {row.margin:g}, "
            f"{row.topics} topics, {row.differing} of which differ"
            f"{f'; depends on unjudged documents: {row.on_unjudged}' if row.on_unjudged else ''}"
        )
        if not result.passes(row):
            SubElement(case, "failure", {"type": row.verdict, "message": why})
        elif row in skipped:
            SubElement(case, "skipped", {"message": why})
        else:
            SubElement(case, "system-out").text = why
    indent(suites)
    text: str = tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()
