"""The command line: help, versions, files of every kind, and error messages."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import click
import pytest
from manual import COMPLETIONS
from running import FIXTURES, POSIX, ROOT, refused, repeats, run, run_process

from irevalx import __version__
from irevalx.cli.arguments import GROUPS, Option
from irevalx.cli.command import EXAMPLES, MANUAL, command
from irevalx.cli.options import Options
from irevalx.frozen import fields
from irevalx.measures import MEASURES
from irevalx.settings import Settings

DATA = FIXTURES / "golden" / "data"
QRELS, RUN = DATA / "main.qrels", DATA / "main.run"
EXPECTED = run("-q", QRELS, RUN).stdout


def test_options_and_parameters_have_the_same_names() -> None:
    """Each field of Options and Settings corresponds to exactly one parameter of that name."""
    parameters = {param.name for param in command.params} - {"show_help", "cite", "version", "list_measures"}
    own, settings = set(fields(Options)) - {"settings"}, set(fields(Settings)) - {"topic"}  # which is in ``debug``
    assert parameters == own | settings
    assert not own & settings


def test_every_option_is_explained() -> None:
    """Every option has help and a group."""
    for param in command.params:
        if isinstance(param, click.Option):
            assert isinstance(param, Option)
            assert param.help
            assert param.group in GROUPS


def test_help_goes_to_standard_output() -> None:
    """-h prints every option, and exits with status 0."""
    result = run("-h")
    assert (result.status, result.stderr) == (0, "")
    for param in command.params:
        for name in param.opts if isinstance(param, Option) else ():
            assert name in result.stdout.decode()


def test_short_and_full_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """-h has at most 70 lines of 100 columns; --help contains the full help of each option."""
    monkeypatch.setenv("COLUMNS", "100")
    short, full = (run(word).stdout.decode() for word in ("-h", "--help"))
    assert len(short.splitlines()) <= 70
    every_word = "".join(full.split())
    assert all(
        "".join((param.help or "").split()) in every_word for param in command.params if isinstance(param, Option)
    )


def test_help_ends_with_examples_and_the_manual(tmp_path: Path) -> None:
    """The examples are three command lines that work, and the manual pages exist."""
    *_, last = run("-h").stdout.decode().rpartition("Examples:")
    example = FIXTURES / "example"
    (tmp_path / "runs").mkdir()
    for name, original in (("qrels", "qrels"), ("pool", "pool"), ("run", "bm25.run"), ("runs/one.gz", "bm25.run")):
        shutil.copy(example / original, tmp_path / name)
    assert len(EXAMPLES) == 3
    for line in EXAMPLES:
        assert line in last
        [program, *arguments] = line.replace("runs/*.gz", "runs/one.gz").split()
        assert program == "irevalx"
        assert run(*arguments, cwd=tmp_path).status == 0
    for page in MANUAL:
        assert f"man {page}" in " ".join(last.split())
        assert [*(ROOT / "man").glob(f"*/{page}.?")]


def test_help_explains_measures_and_formats() -> None:
    """-h with -m, -R or -T describes their values; unknown values of -R and -T are ignored."""
    text = run("-h", "-m", "map", "-m", "P", "-R", "qrels", "-T", "nosuch").stdout.decode()
    assert "map: Average precision" in text
    assert "-m P.K,K,..." in text
    assert "-R qrels: TOPIC IGNORED DOCNO GRADE" in text
    assert "-T nosuch" not in text
    assert "Usage:" not in text
    assert "Average precision" not in run("-h").stdout.decode()
    assert run("-h", "-T", "nosuch").stdout == run("-h").stdout


def test_nearest_option() -> None:
    """The message about an unknown long option suggests a similar option, if there is one."""
    assert run("--quite", "x", "y").stderr.endswith("unknown option '--quite'; did you mean --quiet?\n")
    hint = "; -D .TOPIC evaluates one topic, and --topic-groups FILE also prints the values of topic subsets\n"
    assert run("--topics", "1", "x", "y").stderr.endswith(f"unknown option '--topics'{hint}")
    assert run("--order", "x", "y").stderr.endswith("unknown option '--order'\n")
    assert run("--xyzzy", "x", "y").stderr.endswith("unknown option '--xyzzy'\n")


def test_help_survives_a_narrow_encoding() -> None:
    """Names that the terminal cannot display do not cause a traceback."""
    code = [sys.executable, "-m", "irevalx", "-h", "-m", "ndcg"]
    env = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(code, capture_output=True, env=env, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"rvelin" in done.stdout


def test_version_goes_to_standard_error() -> None:
    """-v prints the versions of irevalx and of trec_eval, and ignores later arguments."""
    for words in (("-v", "--nosuch"), ("--version", "--nosuch"), ("--vers", "--nosuch"), ("-vx",), ("-qvx",)):
        result = run(*words)
        assert (result.status, result.stdout) == (0, b"")
        assert result.stderr == f"irevalx {__version__} (follows trec_eval 10.0 and 9.0.8; see --compat)\n"


def test_module_is_the_same_program() -> None:
    """``python -m irevalx`` prints the same bytes."""
    result = run_process(["-q", QRELS, RUN])
    assert (result.stdout, result.stderr, result.status) == (EXPECTED, "", 0)


def test_help_does_not_import_numpy() -> None:
    """--help imports only Click; an evaluation imports numpy and Click once."""
    imports = "import sys; from irevalx.cli.command import main; main(['--help']); sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", imports], capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 0
    timed = [sys.executable, "-X", "importtime", "-m", "irevalx", str(QRELS), str(RUN)]
    log = subprocess.run(timed, capture_output=True, cwd=ROOT, check=True).stderr.decode()
    modules = [line.rpartition("|")[2].strip() for line in log.splitlines()]
    assert (modules.count("numpy"), modules.count("click")) == (1, 1)


@pytest.mark.slow
def test_rare_formats_cost_nothing_elsewhere() -> None:
    """Modules of -R, -Z and -D are not imported for judgments in the default format."""
    rare = "('judgments.preferences', 'ranking.topic_kinds', 'measures.zscores', 'evaluation.trace', 'reading.kinds.grouped')"
    code = f"import sys; from irevalx.cli.command import main; main(sys.argv[1:]); sys.exit(any('irevalx.' + name in sys.modules for name in {rare}))"
    for flags, imported in (((), 0), (("-R", "prefs", "-m", "prefs"), 1), (("-D1",), 1)):
        done = subprocess.run(
            [sys.executable, "-c", code, *flags, QRELS, RUN], capture_output=True, cwd=ROOT, check=False
        )
        assert done.returncode == imported


def test_a_topic_may_look_like_bzip2(tmp_path: Path) -> None:
    """A plain file that starts with BZh1 is not treated as compressed."""
    (tmp_path / "qrels").write_text("BZh1 0 A 1\n")
    (tmp_path / "run").write_text("BZh1 Q0 A 1 1 r\n")
    assert run("-m", "map", tmp_path / "qrels", tmp_path / "run").stdout.split() == [b"map", b"all", b"1.0000"]


@pytest.mark.parametrize(
    "compress", repeats([bytes, gzip.compress, bz2.compress, lzma.compress], 2), ids=["plain", "gz", "bz2", "xz"]
)
def test_standard_input_may_be_either_file(compress: object) -> None:
    """- is standard input, for judgments and for runs, compressed or not."""
    assert callable(compress)
    assert run_process(["-q", QRELS, "-"], stdin=compress(RUN.read_bytes())).stdout == EXPECTED
    assert run_process(["-q", "-", RUN], stdin=compress(QRELS.read_bytes())).stdout == EXPECTED


def test_numbers_of_any_length(tmp_path: Path) -> None:
    """Numbers of thousands of digits are clipped to 64 bits, as in C."""
    long = "9" * 5000
    for args in (("-l", long), ("-M", long), ("-D", long), ("-m", f"P.{long}"), ("-m", f"ndcg.{long}=3")):
        result = run(*args, QRELS, RUN)
        assert (result.status, "Traceback" in result.stderr) == (0, False)
    assert b"P_9223372036854775807 \tall\t0.0000" in run("-m", f"P.{long}", QRELS, RUN).stdout
    (tmp_path / "qrels").write_text(f"1 0 a {long}\n1 0 b -{long}\n1 0 c {'0' * 5000}1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n1 Q0 b 1 1 r\n1 Q0 c 1 1 r\n")
    result = run("-q", "-n", "-m", "relstring", "-m", "map", tmp_path / "qrels", tmp_path / "run")
    assert [line.split()[2] for line in result.stdout.splitlines()] == [b"0.8333", b"'1.>'"]


def test_directories_are_closed(tmp_path: Path) -> None:
    """A directory among many runs does not leave a file descriptor open."""
    opened = Path("/proc/self/fd")
    if not opened.exists():
        pytest.skip("needs /proc")
    before = len(list(opened.iterdir()))
    assert run(QRELS, *[tmp_path] * 5, RUN).status == 2
    assert len(list(opened.iterdir())) == before


@POSIX
def test_no_room_for_the_temporary_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A pipe that cannot be copied to a temporary file is an error."""
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **how: Path("/dev/full").open("r+b", buffering=0))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(RUN.read_bytes()))
    writer.start()
    result = run(QRELS, pipe)
    writer.join()
    assert (result.stdout, result.status) == (b"", 2)
    assert result.stderr == f"irevalx: cannot keep {pipe} in a temporary file: No space left on device\n"


def test_standard_input_once() -> None:
    """Only one file can be standard input."""
    assert run("-Z", "-", QRELS, "-").status == 1
    assert "standard input (-) can be given for only one file" in refused("-", "-")


@POSIX
def test_pipes_byte_by_byte(tmp_path: Path) -> None:
    """Named pipes are read at any speed, also with compressed data."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = bz2.compress(RUN.read_bytes())

    def fill() -> None:
        with pipe.open("wb", buffering=0) as stream:
            for byte in data[:12]:
                stream.write(bytes([byte]))
                time.sleep(0.002)
            stream.write(data[12:])

    writer = threading.Thread(target=fill)
    writer.start()
    result = run("-q", QRELS, pipe)
    writer.join()
    assert result.stdout == EXPECTED


@POSIX
def test_process_substitution() -> None:
    """The shell's <(...) is supported for both files."""
    script = f"'{sys.executable}' -m irevalx -q <(cat '{QRELS}') <(gzip -c '{RUN}')"
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout == EXPECTED


def test_unreadable_files(tmp_path: Path) -> None:
    """The error about a missing file, a directory, an empty file or an empty name contains the name."""
    (tmp_path / "empty").touch()
    (tmp_path / "empty.gz").write_bytes(gzip.compress(b""))
    for path, problem in (
        (tmp_path / "nosuch", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (tmp_path / "empty", "the file is empty"),
        ("/dev/null", "the file is empty"),
        (tmp_path / "empty.gz", "the file is empty"),
        ("", "No such file or directory"),
        ("a\0b", "embedded null byte"),
    ):
        for files in ((QRELS, path), (path, RUN)):
            message = refused(*files, status=2)
            printed = str(path).replace("\0", "\\x00")
            assert message.startswith(f"irevalx: cannot read '{printed}': {problem}")


@pytest.mark.parametrize(
    ("qrels", "results", "message"),
    [
        ("1 0 A\n", "1 Q0 A 1 1 r\n", "{qrels}:1: expected a judgment with 4 columns (topic, ignored, document, grade), but the line has 3: '1 0 A'"),
        ("1 0 A 1\n\n", "1 Q0 A 1 1 r\n", "{qrels}:2: expected a judgment with 4 columns (topic, ignored, document, grade), but the line is blank"),
        ("1 0 A 1 x\n", "1 Q0 A 1 1 r\n", "{qrels}:1: expected a judgment with 4 columns"),
        ("1 0 A 1\n1 0 B 0\n", "\n1 Q0 A 1 1\n", "{run}:2: expected a line of a run with 6 columns (topic, ignored, document, rank, score, tag), but the line has 5: '1 Q0 A 1 1'"),
        ("1 0 A 1\n1 0 B 0\n", "1 Q0 A\x01 1 1\n", "{run}:1: expected a line of a run with 6 columns"),
        ("1 0 A 1\n1 0 B\0 1\n", "1 Q0 A 1 1 r\n", "{qrels}:2: the line contains a NUL byte: '1 0 B\\x00 1'"),
    ],
)  # fmt: skip
def test_malformed_lines(qrels: str, results: str, message: str, tmp_path: Path) -> None:
    """The error about a malformed line contains file, line, rule and text."""
    names = {"qrels": tmp_path / "qrels", "run": tmp_path / "run"}
    names["qrels"].write_text(qrels)
    names["run"].write_text(results)
    text = refused(names["qrels"], names["run"], status=2)
    assert "irevalx: " + message.format(**names) in text
    assert text.count("\n") == 1


def test_long_lines_are_cut_in_messages(tmp_path: Path) -> None:
    """A line of a megabyte is shortened in messages."""
    (tmp_path / "run").write_bytes(b"x" * 1_000_000)
    assert len(run(QRELS, tmp_path / "run").stderr) < 400


def test_duplicate_document_in_the_run(tmp_path: Path) -> None:
    """The error about a duplicate contains topic and both lines, and earlier topics are printed."""
    (tmp_path / "qrels").write_text("1 0 A 1\n2 0 A 1\n")
    (tmp_path / "run").write_text("1 Q0 A 1 1 r\n2 Q0 B 1 9 r\n2 Q0 A 1 3 r\n2 Q0 B 1 1 r\n")
    result = run("-q", "-m", "map", tmp_path / "qrels", tmp_path / "run")
    assert (result.stdout.split(), result.status) == ([b"map", b"1", b"1.0000"], 4)
    assert result.stderr == (
        f"irevalx: {tmp_path / 'run'}:4: duplicate document 'B' in the results of topic '2' (first on line "
        "2); keep one of them with --duplicates first or --duplicates best\n"
    )


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("P.0", "invalid cutoffs '0' of P: '0' is not an integer of at least 1"),
        ("P.5,5", "invalid cutoffs '5,5' of P: the cutoff 5 occurs twice"),
        ("iprec_at_recall.1,1.0", "invalid cutoffs '1,1.0' of iprec_at_recall: the cutoff 1 occurs twice"),
        (
            "ndcg.1",
            "invalid parameters '1' of ndcg: must be pairs LEVEL=GAIN,LEVEL=GAIN,...; ndcg_cut.1 may be meant",
        ),
    ],
)
def test_bad_parameters(measure: str, message: str) -> None:
    """Invalid parameters of measures have status 2 and a message with the rule."""
    assert f"irevalx: {message}\n" in refused("-m", measure, QRELS, RUN, status=2)


def test_fractional_gains_are_warned_about() -> None:
    """Gains that differ by less than 1 are ordered as in trec_eval, with a warning."""
    assert "gains that differ by less than 1" in run("-m", "ndcg.1=0.5", QRELS, RUN).stderr
    assert run("-m", "ndcg.1=5", QRELS, RUN).stderr == ""


@pytest.mark.parametrize(
    "args",
    [
        (),
        (QRELS,),
        ("-x",),
        ("--nosuch",),
        ("--R", "qrels"),
        ("--help=3",),
        ("-m",),
        ("--compat", "8"),
        ("--comp", "9"),
        ("-M-1",),
    ],
)
def test_usage_errors(args: tuple[str, ...]) -> None:
    """An invalid command line has status 1 and a one-line message."""
    message = refused(*args)
    assert message.startswith("irevalx: ")
    assert message.count("\n") == 1


def test_own_options_are_not_abbreviated() -> None:
    """Abbreviations match trec_eval's options only: --q is --query_eval_wanted, not --quiet."""
    assert run("--q", QRELS, RUN).stdout == EXPECTED
    assert run("--comp", QRELS, RUN).stdout == run("-c", QRELS, RUN).stdout


def test_several_runs(tmp_path: Path) -> None:
    """Each run has a block, named by its runid; a run that fails does not stop the others."""
    other = tmp_path / "other.run.gz"
    other.write_bytes(gzip.compress(RUN.read_bytes().replace(b" sysA\n", b" sysB\n")))
    first, second = run(QRELS, RUN), run(QRELS, other)
    (tmp_path / "empty").touch()
    both = run(QRELS, RUN, tmp_path / "empty", other)
    assert both.stdout == first.stdout + second.stdout
    assert both.status == 2
    per_topic = run("-nq", "-m", "map", QRELS, RUN).stdout
    headed = run("-nq", "-m", "map", QRELS, RUN, other).stdout
    name = b"runid                 \tall\tsys"
    assert headed == name + b"A\n" + per_topic + name + b"B\n" + per_topic


def test_a_run_that_fails_part_way_has_a_name(tmp_path: Path) -> None:
    """A run that fails after some output begins with its name, and a run without output has none."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "good").write_text("1 Q0 a 1 1 good\n2 Q0 a 1 1 good\n")
    (tmp_path / "bad").write_text("1 Q0 a 1 1 bad\n2 Q0 a 1 1 bad\n2 Q0 a 1 1 bad\n")
    files = (tmp_path / "qrels", tmp_path / "good", tmp_path / "bad")
    rows = [line.split() for line in run("-q", "-m", "runid", "-m", "map", *files).stdout.splitlines()]
    assert rows[-2:] == [[b"runid", b"all", b"bad"], [b"map", b"1", b"1.0000"]]
    rows = [line.split() for line in run("-m", "map", *files).stdout.splitlines()]
    assert rows == [[b"runid", b"all", b"good"], [b"map", b"all", b"1.0000"]]


def test_every_run_has_a_name_of_its_own(tmp_path: Path) -> None:
    """File names that replace tags are unique, also among tags."""
    for name, tag in (("bm25.x", "T"), ("dense.x", "T"), ("o.x", "bm25"), (".gz", "U"), ("a b", "U")):
        (tmp_path / name).write_text(f"1 Q0 a 1 1 {tag}\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    names = ["bm25.x", "dense.x", "o.x", ".gz", "a b", "o.x"]
    lines = run("-m", "runid", "qrels", *names, cwd=tmp_path).stdout.decode().splitlines()
    assert [line.split("\t")[2] for line in lines] == ["bm25", "dense", "o.x", ".gz", "a_b", "o.x#2"]
    lines = run("-m", "runid", "qrels", *names[:3], cwd=tmp_path).stdout.decode().splitlines()
    assert [line.split("\t")[2] for line in lines] == ["bm25.x", "dense", "bm25"]


def test_the_first_run_that_fails_gives_the_status(tmp_path: Path) -> None:
    """The exit status is that of the first run that fails, in the order of the command line."""
    twice = tmp_path / "twice"
    twice.write_bytes(RUN.read_bytes() + RUN.read_bytes().splitlines(keepends=True)[0])
    (tmp_path / "empty").touch()
    assert run(QRELS, twice, tmp_path / "empty").status == 4
    assert run(QRELS, tmp_path / "empty", twice).status == 2


@POSIX
def test_progress_is_for_terminals(tmp_path: Path) -> None:
    """A terminal displays the progress of a slow run, and the output remains the same."""
    script = f"(head -50 '{RUN}'; sleep 4; tail -n +51 '{RUN}') | '{sys.executable}' -m irevalx -q '{QRELS}' - > {tmp_path}/out"
    record = ["script", "-qec", script, "/dev/null"]
    if not shutil.which("script"):
        pytest.skip("needs the program script")
    done = subprocess.run(record, capture_output=True, cwd=ROOT, check=True, stdin=subprocess.DEVNULL)
    assert (tmp_path / "out").read_bytes() == EXPECTED
    assert b"lines" in done.stdout
    assert done.stdout.endswith(b"\r\x1b[K")


@POSIX
def test_closed_pipe_ends_quietly() -> None:
    """With ``| head -1``, irevalx prints no message, and its status is that of trec_eval, which the signal ends."""
    script = f"'{sys.executable}' -m irevalx -q -m all_trec '{QRELS}' '{RUN}' | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=ROOT, check=True)
    assert (done.stdout.strip(), done.stderr) == (b"141", b"")


@POSIX
def test_closed_standard_streams() -> None:
    """Closed standard output is an error; closed standard input or error has no effect."""
    for closed, status in ((">&-", 74), ("2>&-", 0), ("<&-", 0)):
        script = f"'{sys.executable}' -m irevalx '{QRELS}' '{RUN}' {closed}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=ROOT, check=False)
        assert (done.returncode, b"Traceback" in done.stderr) == (status, False)
    script = f"'{sys.executable}' -m irevalx '{QRELS}' - <&-"
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (2, b"irevalx: cannot read '-': Bad file descriptor\n")


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("command_line", "status"),
    [
        ("-h > /dev/full", 74),
        ("'{0}' '{1}' > /dev/full", 74),
        ("-h | true", None),
        ("-v 2> /dev/full", 0),
        ("-l x '{0}' '{1}' 2> /dev/full", 0),
        ("'{0}' nosuch 2> /dev/full", 2),
        ("-m nosuch 2> /dev/full", 1),
    ],
)
def test_full_streams_never_end_in_a_traceback(command_line: str, status: int | None) -> None:
    """If standard error is full, results are printed; if standard output is full, there is an error."""
    script = f"'{sys.executable}' -m irevalx {command_line.format(QRELS, RUN)}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=ROOT, check=False)
    assert b"Traceback" not in done.stderr
    assert status is None or done.returncode == status
    assert status != 74 or done.stderr == b"irevalx: cannot write to standard output: No space left on device\n"
    assert (done.stdout == run(QRELS, RUN, "-l", "0").stdout) == ("-l x" in command_line)


@POSIX
@pytest.mark.usefixtures("interruptible")
def test_interrupt(tmp_path: Path) -> None:
    """Ctrl-C ends the program without a traceback."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command_line = [sys.executable, "-m", "irevalx", str(QRELS), str(pipe)]
    process = subprocess.Popen(command_line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    with process, pipe.open("wb"):  # opens when irevalx does, so it is past its imports
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (130, b"")


def test_list_of_measures() -> None:
    """Every measure is listed once in a family, with its parameters, as are sets and other names."""
    result = run("--list-measures")
    assert result.status == 0
    lines = result.stdout.decode().splitlines()
    families = lines[: lines.index("Sets of measures:")]
    names = [line.split()[0] for line in families if line.startswith("    ") and len(line) > 35 and line[39] == " "]
    listed = [name.partition(".")[0] for name in names]
    assert sorted(listed) == sorted(measure.name for measure in MEASURES)
    assert lines[:2] == ["Average precision:", f"    {'map':<35} Average precision"]
    assert "    P.K,K,...                           Precision at cutoff K" in lines
    text = " ".join(" ".join(lines).split())
    assert "official, set, all_trec, incomplete, all" in text
    assert "    map                                 AP, MAP" in lines
    assert "    ndcg_cut                            nDCG@K" in lines
    assert "(rel=N), (judged_only=True), (relative=True)" in text


def test_groups_of_the_help() -> None:
    """The help has separate groups for trec_eval's options, judgments, runs and output."""
    text = run("-h").stdout.decode()
    places = [
        text.index(part)
        for part in (
            "trec_eval's options:",
            "--level_for_rel",
            "Judgments and pool:",
            "--pool FILE",
            "Output and performance:",
            "--list-measures",
            "--format",
        )
    ]
    assert places == sorted(places)


def complete(*words: str, of: str = "bash") -> list[str]:
    """Return the completions of the last word."""
    env = {
        "_IREVALX_COMPLETE": f"{of}_complete",
        "COMP_WORDS": " ".join(["irevalx", *words]),
        "COMP_CWORD": str(len(words)),
    }
    result = run(env=env)
    assert result.status == 0
    return result.stdout.decode().splitlines()


def test_completion() -> None:
    """Measures, options, their choices and files are completed, also if the command line is still invalid."""
    assert complete("-m", "bpref") == ["plain,bpref", "plain,bpref_10"]
    assert "plain,official" in complete("-m", "")
    assert complete("-m", "nosuch", "-m", "Rank") == ["plain,RankEff"]
    assert complete("-m", "recip_rank_") == ["plain,recip_rank_cut"]
    assert complete("-m", "SetR") == ["plain,SetRelP", "plain,SetR"]
    assert complete("-m", "nD") == ["plain,nDCG"]
    assert complete("-m", "IP") == ["plain,IPrec@"]
    assert complete("--names", "a") == ["plain,asked"]
    assert complete("--unj") == ["plain,--unjudged"]
    assert complete("--format", "j") == ["plain,json", "plain,jsonl"]
    assert complete("-m", "map", "qre") == ["file,qre"]
    for shell in ("bash", "zsh", "fish"):
        assert "_IREVALX_COMPLETE" in run(env={"_IREVALX_COMPLETE": f"{shell}_source"}).stdout.decode()
    assert complete("-m", "bpr", of="zsh")[:3] == ["plain", "bpref", "Binary preference"]


SHELLS = {
    "bash": "COMP_WORDS=(irevalx -m bpr); COMP_CWORD=2; _irevalx_completion irevalx; printf '%s\\n' ${COMPREPLY[@]}",
    "zsh": "words=(irevalx -m bpr); CURRENT=3; _irevalx_completion",
    "fish": "complete -C 'irevalx -m bpr'",
}
"""The completion requests of shells."""


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_in_a_shell(shell: str) -> None:
    """With the line of the manual, a shell completes measures."""
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    # What zsh has from its own completion system, which is not there without a terminal.
    zsh = "compdef() { }; _describe() { print -l -- $completions_with_descriptions }; " if shell == "zsh" else ""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    command = [shell, "-c", f"{zsh}{COMPLETIONS[shell]}; {SHELLS[shell]}"]
    done = subprocess.run(command, capture_output=True, check=True, env=os.environ | {"PATH": path}, text=True)
    assert [re.split("[\t:]", line)[0] for line in done.stdout.splitlines()] == ["bpref", "bpref_10"]
    text = (ROOT / "man" / "man1" / "irevalx.1").read_text().replace("\\-", "-")
    assert COMPLETIONS[shell] in text
    assert COMPLETIONS[shell] in (ROOT / "docs" / "command.md").read_text()


@pytest.mark.parametrize("levels", [("0.1", "0"), ("0.10", "0.1", "0"), (".1", "0")], ids=" ".join)
def test_a_later_level_keeps_the_topic(levels: tuple[str, ...]) -> None:
    """The last topic given with -D is evaluated, even if a later -D has none, as in trec_eval."""
    flags = [word for level in levels for word in ("-D", level)]
    assert run(*flags, "-q", QRELS, RUN).stdout == run("-D", "0.1", "-q", QRELS, RUN).stdout


def test_files_only_after_the_first_file(tmp_path: Path) -> None:
    """With POSIXLY_CORRECT, the word after the first file is a file."""
    (tmp_path / "-q").write_bytes(RUN.read_bytes())
    (tmp_path / "--").write_bytes(RUN.read_bytes())
    expected = run("-m", "map", QRELS, RUN).stdout
    for name in ("-q", "--"):
        assert run("-m", "map", QRELS, name, cwd=tmp_path, env={"POSIXLY_CORRECT": ""}).stdout == expected


@pytest.mark.parametrize("words", [["-q", "run"], ["run", "-q"], ["-q", "-q"]])
def test_options_after_files_of_posix(words: list[str], tmp_path: Path) -> None:
    """With POSIXLY_CORRECT, options after the first file are errors, as in trec_eval."""
    (tmp_path / "run").write_bytes(RUN.read_bytes())
    refused(QRELS, *words, cwd=tmp_path, env={"POSIXLY_CORRECT": ""})
    helped = run("-h", QRELS, *words, cwd=tmp_path, env={"POSIXLY_CORRECT": ""})
    assert (helped.status, helped.stdout) == (0, run("-h").stdout)


@POSIX
@pytest.mark.skipif(not Path("/dev/fd/0").exists(), reason="needs /dev/fd")
@pytest.mark.parametrize(
    "words",
    [
        ["qrels", "-", "/dev/stdin"],
        ["/dev/stdin", "/dev/fd/0"],
        ["qrels", "run", "/proc/self/fd/0", "-"],
        ["--pool", "/dev/stdin", "qrels", "-"],
        ["qrels", "fifo", "./fifo"],
    ],
)
def test_one_pipe_under_two_names(words: list[str], tmp_path: Path) -> None:
    """A pipe that is given under two names is a usage error."""
    (tmp_path / "qrels").write_text("1 0 A 1\n")
    (tmp_path / "run").write_text("1 Q0 A 1 2 r\n")
    os.mkfifo(tmp_path / "fifo")
    result = run_process(words, stdin=b"1 Q0 A 1 2 r\n", cwd=tmp_path)
    assert (result.status, result.stdout) == (1, b"")
    assert "irevalx: a pipe can be given for only one file: '" in result.stderr


@POSIX
def test_two_pipes_and_one_file_twice(tmp_path: Path) -> None:
    """Two pipes can be given, and a file can be given repeatedly, also as standard input."""
    (tmp_path / "qrels").write_text("1 0 A 1\n")
    (tmp_path / "run").write_text("1 Q0 A 1 2 r\n")
    script = f"'{sys.executable}' -m irevalx --quiet -m map <(cat qrels) - <(cat run) run run < run"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.count(b"map") == 4


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_compressed_files_are_known_by_their_content(compress: object, tmp_path: Path) -> None:
    """Compressed files are recognised by their content, not by their names."""
    assert callable(compress)
    (tmp_path / "qrels").write_bytes(compress(QRELS.read_bytes()))
    (tmp_path / "run.txt").write_bytes(compress(RUN.read_bytes()[:500]) + compress(RUN.read_bytes()[500:]))
    assert run("-q", tmp_path / "qrels", tmp_path / "run.txt").stdout == EXPECTED


def test_runs_with_the_same_tag(tmp_path: Path) -> None:
    """Runs with the same tag are named after their files."""
    for name in ("a.run.gz", "b.run"):
        (tmp_path / name).write_bytes(RUN.read_bytes())
    result = run("-m", "runid", QRELS, tmp_path / "a.run.gz", tmp_path / "b.run")
    assert [line.split()[2] for line in result.stdout.splitlines()] == [b"a", b"b"]
    assert "2 runs have the tag" in result.stderr
