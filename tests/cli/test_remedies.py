"""Remedies in messages: when they are followed, the call succeeds without the message."""

from __future__ import annotations

from pathlib import Path
from shlex import split

import pytest
from running import Result, lab, run

FILES = {
    "q": "301 0 A 1\n301 0 B 0\n301 0 C 2\n302 0 A 1\n302 0 D 0\n",
    "few": "301 0 B 1\n301 0 A 2\n",
    "trunc.json": '{"301": {"A": 1.0',
    "r1": "301 Q0 A 1 3.0 r1\n301 Q0 B 2 2.0 r1\n302 Q0 D 1 3.0 r1\n302 Q0 A 2 2.0 r1\n",
    "r2": "301 Q0 B 1 3.0 r2\n301 Q0 C 2 2.0 r2\n302 Q0 A 1 3.0 r2\n302 Q0 E 2 2.0 r2\n",
}

CASES: list[tuple[str, str, str | dict[str, str]]] = [
    (
        "irevalx -m P.5,x,10 q r1",
        "invalid cutoffs '5,x,10' of P: 'x' is not an integer of at least 1",
        "irevalx q r1 -m P.5,10",
    ),
    (
        "irevalx -m P.x q r1",
        "irevalx: invalid cutoffs 'x' of P: 'x' is not an integer of at least 1\n",
        "irevalx q r1 -m P.1",
    ),
    ("irevalx -m accuracy q r1", "the nearest is success.10: ", "irevalx q r1 -m success.10"),
    (
        "irevalx -m ndcg_cut.2=1 q r1",
        "; 'nDCG(gains={2:1})@10' accepts gains",
        "irevalx q r1 -m 'nDCG(gains={2:1})@10'",
    ),
    (
        "irevalx -m 'nDCG(rel=2)@10' q r1",
        "nDCG has no parameter 'rel'; parameters of nDCG: judged_only=True",
        "irevalx q r1 -m 'P(rel=2)@10'",
    ),
    (
        "irevalx -m map:foo q r1",
        "unknown treatment 'foo' in 'map:foo' (unjudged documents): must be nonrel, skip or rel",
        "irevalx q r1 -m map:skip",
    ),
    (
        "irevalx --ties foo q r1",
        "--ties foo: must be one of name, rank, first, expected, best, worst, or a list of the last three, such as best,worst",
        "irevalx q r1 --ties best,worst",
    ),
    ("irevalx -J --unjudged skip q r1", "-J applies the treatment skip to all measures", "irevalx q r1 -J"),
    (
        "irevalx --threads x q r1",
        "irevalx: --threads x: must be an integer of at least 1\n",
        "irevalx q r1 --threads 1",
    ),
    (
        "irevalx-lab describe q r1 --cutoffs 10,5",
        "--cutoffs 10,5: must be in ascending order, each once",
        "irevalx-lab describe q r1 --cutoffs 5,10",
    ),
    (
        "irevalx-lab degrade q --level 200%",
        "--level 200%: must be a 64-bit integer",
        "irevalx-lab degrade q --level 2 --uniform 1",
    ),
    ("irevalx-lab degrade q", "missing option --uniform, ", "irevalx-lab degrade q --uniform 1"),
    (
        "irevalx-lab complete q r1",
        "missing option --docs or --labels (see irevalx-lab complete -h)",
        "irevalx-lab complete q r1 --labels q",
    ),
    ("irevalx-lab pool", "missing argument RUN (see irevalx-lab pool -h)", "irevalx-lab pool -h"),
    ("irevalx q", "irevalx: missing argument RUN (see irevalx -h)\n", "irevalx q r1"),
    ("irevalx", "irevalx: missing argument QRELS, and at least one RUN (see irevalx -h)\n", "irevalx -h"),
    (
        "irevalx-lab compare q r1 r2 --baseline r9",
        "--baseline r9: no such run; the runs are r1 and r2",
        "irevalx-lab compare q r1 r2 --baseline r2",
    ),
    (
        "irevalx-lab compare q r1 r2 -o x.csv",
        "x.csv contains a table as text, not CSV; use --format csv",
        "irevalx-lab compare q r1 r2 --format csv -o x.csv",
    ),
    ("irevalx-lab report q r1 r2 -o x.pdf", "x.pdf contains HTML, not PDF", "irevalx-lab report q r1 r2 -o x.html"),
    ("irevalx q r1 r1", "irevalx: 2 runs have the tag 'r1'; they are named r1 and r1#2\n", "irevalx q r1 r2"),
    (
        "irevalx -R json q r1",
        "q:1: expected a JSON object {topic: {docno: grade}}: the file contains text lines; use -R qrels if the columns are "
        "TOPIC IGNORED DOCNO GRADE: '301 0 A 1'",
        "irevalx -R qrels q r1",
    ),
    (
        "irevalx q trunc.json",
        "irevalx: trunc.json: the JSON object is incomplete: the file ends before the closing brace (1 line)\n",
        {"trunc.json": '{"301": {"A": 1.0}}\n'},
    ),
    (
        "irevalx -R prels q r1",
        "with 5 columns (topic, document, grade, method, inclusion probability), but the line has 4: '301 0 A 1': use -R "
        "qrels if the columns are TOPIC IGNORED DOCNO GRADE\n",
        "irevalx -R qrels q r1",
    ),
    (
        "irevalx-lab estimate --machine few --human q r1 r2",
        "only 1 topic has machine labels and results and human judgments; estimates of map require at least 4",
        {
            "q": "301 0 A 1\n302 0 A 1\n303 0 A 1\n304 0 A 0\n",
            "few": "".join(f"30{topic} 0 A 1\n" for topic in "123456"),
            "r1": "".join(f"30{topic} Q0 A 1 1 a\n" for topic in "123456"),
            "r2": "".join(f"30{topic} Q0 B 1 1 b\n" for topic in "123456"),
        },
    ),
]
"""Calls in the folder, parts of their messages, and the remedy: another call, or the same call with other files."""


def call(line: str, folder: Path) -> Result:
    """Call one of the commands in a folder."""
    program, *words = split(line)
    return {"irevalx": run, "irevalx-lab": lab}[program](*words, cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with judgments and two runs."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "message", "remedy"), CASES, ids=lambda value: value[:40] if isinstance(value, str) else None
)
def test_remedies(line: str, message: str, remedy: str | dict[str, str], folder: Path) -> None:
    """The remedy in the message ends with status 0 and without the message."""
    assert message in call(line, folder).stderr
    for name, text in remedy.items() if isinstance(remedy, dict) else ():
        (folder / name).write_text(text)
    done = call(remedy if isinstance(remedy, str) else line, folder)
    assert (done.status, message in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize("seed", [[], ["--seed", "5"]], ids=["random", "given"])
def test_random_seeds(seed: list[str], folder: Path) -> None:
    """The line about a random seed names the option that repeats the call."""
    first = lab("degrade", "q", "--uniform", "50%", *seed, cwd=folder)
    if seed:
        assert first.stderr == ""
        return
    number = first.stderr.split()[-1]
    assert first.stderr == f"irevalx-lab: random seed {number}; repeat with --seed {number}\n"
    assert lab("degrade", "q", "--uniform", "50%", *first.stderr.split()[-2:], cwd=folder).stdout == first.stdout
