"""Files of topic groups: three formats, and their errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from irevalx.errors import InputError
from irevalx.reading.sources.files import Source
from irevalx.reading.topic_groups import group_warnings, read_topic_groups

GROUPS = {"easy": frozenset({b"301", b"302"}), "hard-one": frozenset({b"302", b"303"})}


@pytest.mark.parametrize(
    "text",
    [
        "301\teasy\n302\teasy\n# a comment\n\n302\thard-one\n303\thard-one\n",
        "301\teasy\r\n302\teasy\r\n302\thard-one\r\n303\thard-one",
        "qid,note,Group\n301,a,easy\n302,b,easy\n302,,hard-one\n303,c,hard-one\n",
        'topic,group\n301,"easy"\n302,easy\n302,hard-one\n303,hard-one\n',
        '{"301": "easy", "302": ["easy", "hard-one"], "303": ["hard-one"]}',
    ],
    ids=["tabs", "crlf", "csv", "quoted", "json"],
)
def test_formats(tmp_path: Path, text: str) -> None:
    """Lines with tabs, csv with a header, and JSON have the same content."""
    (tmp_path / "groups").write_text(text, newline="")
    groups = read_topic_groups(Source(str(tmp_path / "groups")))
    assert groups == GROUPS
    assert list(groups) == list(GROUPS)


def test_blanks(tmp_path: Path) -> None:
    """Without a tab, blanks separate the two columns."""
    (tmp_path / "groups").write_text("301 easy\n 302   easy \n")
    assert read_topic_groups(Source(str(tmp_path / "groups"))) == {"easy": frozenset({b"301", b"302"})}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("301\n", r"groups:1: expected 2 columns \(topic, group\), but the line has 1: '301'"),
        ("301 a\n302 a b\n", "groups:2: expected 2 columns"),
        (
            "301 low\n",
            "invalid group name 'low': it must not be low, high or empty, and not contain a colon, blank or control character",
        ),
        ("301 high\n", "invalid group name 'high'"),
        ("301 a:b\n", "invalid group name 'a:b'"),
        ("301\t\n", "invalid group name ''"),
        ("301\ta b\n", "invalid group name 'a b'"),
        ('{"301": "a\\nb"}', r"invalid group name 'a\\nb'"),
        ("# nothing\n", "the file contains no groups"),
        ("group,x\na,b\n", "expected a header with one column for topics"),
        ("topic,group\n301\n", r"groups:2: expected 2 columns \(topic, group\), but the line has 1: '301'"),
        ('{"301": 5}', "expected a group or a list of groups for each topic, but topic '301' has '5'"),
        ('{"301": ', "invalid JSON"),
        ('{"301": ' + 100_000 * "[", "expected a group or a list of groups for each topic, but it has thousands of"),
    ],
)
def test_errors(tmp_path: Path, text: str, complaint: str) -> None:
    """Errors contain the line."""
    (tmp_path / "groups").write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_topic_groups(Source(str(tmp_path / "groups")))


def test_warnings() -> None:
    """One warning counts topics without a group, and one counts groups without a judged topic."""
    judged = [b"301", *(b"%d" % topic for topic in range(400, 407))]
    assert list(group_warnings(GROUPS, judged, "groups")) == [
        "groups: 7 of 8 judged topics are in no group: '400', '401', '402', '403', '404', ...",
        "groups: 1 of 2 groups have no judged topic: 'hard-one'",
    ]
    assert list(group_warnings(GROUPS, [b"302"], "groups")) == []


def groups_in(folder: Path, text: str) -> dict[str, list[bytes]]:
    """Return the groups of a file with this text."""
    (folder / "groups").write_text(text, newline="")
    groups = read_topic_groups(Source(str(folder / "groups")))
    return {group: sorted(topics) for group, topics in groups.items()}


def test_what_files_may_have(tmp_path: Path) -> None:
    """Topics with line breaks or no-break spaces, blank lines before the header and repeated topics in JSON are read."""
    assert groups_in(tmp_path, 'topic,group\r\n"a\nb",one\r\n') == {"one": [b"a\nb"]}
    assert groups_in(tmp_path, "\n# mine\n\ntopic, group\n1, one\n") == {"one": [b"1"]}
    assert groups_in(tmp_path, '{"1": "one", "1": ["two", "one"]}') == {"one": [b"1"], "two": [b"1"]}
    assert groups_in(tmp_path, "a\u00a0b one\n") == {"one": ["a\u00a0b".encode()]}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"\\ud800": "one"}', "lone surrogate .*ud800"),
        ('{"1": "\\udc00"}', "half of a character .*udc00|lone"),
        (f"topic,group\n{'x' * 200_000},one\n", "field larger than field limit"),
        ('{"1": "a\\u0000b"}', r"invalid group name 'a\\x00b'"),
    ],
)
def test_what_files_must_not_have(tmp_path: Path, text: str, complaint: str) -> None:
    """Errors are a printable sentence, without a traceback."""
    (tmp_path / "groups").write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_topic_groups(Source(str(tmp_path / "groups")))
