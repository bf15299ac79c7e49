"""Work in several processes ends with any threads, limits, signals and parents, and so does the command.

THOROUGH=1 tries every limit and interrupts at every module, rather than at some.
"""

from __future__ import annotations

import errno
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from running import FIXTURES, ROOT, refusal, refused, run

from irevalx.process import workers

THOROUGH = bool(os.environ.get("THOROUGH"))
QRELS, RUN = FIXTURES / "example" / "qrels", FIXTURES / "example" / "bm25.run"

pytestmark = [pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"), pytest.mark.slow]


def python(
    script: str, *args: str | Path, timeout: float = 60, flags: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own that forks for runs of any size."""
    begin = "import irevalx.process.workers as workers\nworkers.BIG = 0\n"
    command = [sys.executable, *flags, "-c", begin + script, *map(str, args)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False, env=environment, cwd=ROOT
    )


# Evaluates the example, in one process or, where that is safe, in several; counts forks.
EVALUATE = """
import os, sys, threading, warnings
import irevalx
forks = []
os.register_at_fork(before=lambda: forks.append(1))
qrels, run = "fixtures/example/qrels", "fixtures/example/bm25.run"
def value(threads=2):
    with warnings.catch_warnings():
        if threading.current_thread() is threading.main_thread():
            warnings.simplefilter("ignore", irevalx.IrevalxWarning)
        return irevalx.evaluate(qrels, run, "map", threads=threads).summary("map")
"""


def test_evaluate_from_several_threads() -> None:
    """200 calls from four threads, each with threads=2, end with equal results."""
    script = f"""{EVALUATE}
import warnings
warnings.simplefilter("ignore", irevalx.IrevalxWarning)
found = []
def work():
    for _ in range(50):
        found.append(irevalx.evaluate(qrels, run, "map", threads=2).summary("map"))
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(found), set(found) == {{value(1)}})
"""
    done = python(script, timeout=60)
    assert (done.stdout, done.stderr) == ("200 True\n", "")


def test_main_thread_forks_only_when_it_is_alone() -> None:
    """No process is forked while another thread runs, so that Python 3.12 prints no warning."""
    script = f"""{EVALUATE}
expected, go = value(1), threading.Event()
assert not forks
other = threading.Thread(target=go.wait)
other.start()
assert value() == expected and not forks
go.set()
other.join()
assert value() == expected
print(len(forks) >= 2)
"""
    done = python(script, flags=["-W", "error"])
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_threads_that_python_did_not_start() -> None:
    """If threads survive a fork, as with polars, one process does the work, without a warning."""
    if find_spec("polars") is None:
        pytest.skip("needs polars")
    script = f"""{EVALUATE}
import polars
frame = polars.DataFrame({{"a": range(1000)}})
frame.lazy().group_by("a").agg(polars.len()).collect()
n = len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0
assert value() == value(1)
print(n > 1, len(forks) <= 1 if n else True)
"""
    done = python(script, flags=["-W", "error::DeprecationWarning"])
    assert (done.stdout, done.stderr) == ("True True\n", "")


@pytest.mark.parametrize("handler", ["signal.SIG_IGN", "reap"])
def test_children_that_somebody_else_reaps(handler: str) -> None:
    """Results are complete if SIGCHLD is ignored, or if its handler waits for all children."""
    script = f"""{EVALUATE}
import signal
def reap(number, frame):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
expected = value(1)
signal.signal(signal.SIGCHLD, {handler})
for _ in range(8):
    assert value(3) == expected
print(len(forks) >= 24)
"""
    done = python(script)
    assert done.stdout == "True\n", done.stderr


def test_ignored_children_of_the_command(tmp_path: Path) -> None:
    """The output is the same if the shell ignores SIGCHLD."""
    big = tmp_path / "run"
    big.write_bytes(RUN.read_bytes() + padding())
    command = f"'{sys.executable}' -m irevalx -q --threads 2 '{QRELS}' '{big}'"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    plain, ignored = (
        subprocess.run(["bash", "-c", script], capture_output=True, env=environment, check=True)
        for script in (command, f"trap '' CHLD; {command}")
    )
    assert plain.stdout.count(b"\n") > 50
    assert (plain.stdout, plain.stderr) == (ignored.stdout, ignored.stderr)


def padding() -> bytes:
    """Results of an unjudged topic, so many that irevalx distributes the work."""
    lines = b"".join(b"unjudged Q0 document-%06d 1 %d bm25\n" % (n, n) for n in range(1000))
    return b"".join(lines.replace(b"unjudged", b"unjudged%d" % n) for n in range(workers.BIG // len(lines) + 1))


def test_nobody_sends_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the consumer stops early, no signal is sent, and no child process remains."""
    for name in ("kill", "killpg"):
        monkeypatch.setattr(os, name, Mock(side_effect=AssertionError))
    for _ in range(5):
        with closing(workers.in_order(lambda x: x, itertools.count, 3)) as results:
            assert list(itertools.islice(results, 10)) == list(range(10))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def squares(processes: int, n: int = 7, *, made_once: bool = False) -> list[int]:
    """Return the squares of numbers."""
    return list(workers.in_order(lambda x: x * x, lambda: range(n), processes, made_once=made_once))


@pytest.mark.parametrize("call", ["fork", "pipe"])
@pytest.mark.parametrize("works", range(6))
@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE], ids=errno.errorcode.get)
@pytest.mark.parametrize("made_once", [False, True])
def test_no_room_for_processes(
    call: str, works: int, number: int, made_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a fork or a pipe fails, one process does the work, and no child process remains."""
    real: Callable[[], object] = getattr(os, call)
    calls = itertools.count()

    def failing() -> object:
        if next(calls) >= works:
            raise OSError(number, os.strerror(number))
        return real()

    before = open_files()
    monkeypatch.setattr(os, call, failing)
    assert squares(5, made_once=made_once) == [x * x for x in range(7)]
    assert open_files() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_no_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a system without forks, one process does the work."""
    monkeypatch.delattr(os, "fork")
    assert squares(3) == [x * x for x in range(7)]


def open_files() -> int | None:
    """Return the number of open descriptors, if it is known."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else None


def test_no_room_for_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that cannot watch its parent ends, and the parent does the work."""
    parent = os.getpid()

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    done_by = list(workers.in_order(lambda x: (x, os.getpid()), lambda: range(5), 3))
    assert done_by == [(x, parent) for x in range(5)]


@pytest.mark.parametrize("limit", range(7, 26) if THOROUGH else (9, 13, 20))
def test_few_files(limit: int, tmp_path: Path) -> None:
    """Any limit of open files that permits one process permits the evaluation."""
    (tmp_path / "runs").mkdir()
    names = [str(tmp_path / "runs" / str(number)) for number in range(9)]
    for name in names:
        Path(name).write_bytes(RUN.read_bytes())
    script = """
import resource, sys
from irevalx.cli.command import main
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
sys.exit(main(sys.argv[2:]))
"""
    alone = python(script, str(limit), "--threads", "1", QRELS, *names)
    shared = python(script, str(limit), "--threads", "8", QRELS, *names)
    assert (shared.stdout, shared.returncode, shared.stderr) == (alone.stdout, alone.returncode, alone.stderr)


BUSY = {
    "asleep": "import time\ntime.sleep(1000)",
    "computing": "while True: pass",
    "in numpy": "import numpy\nwhile True: numpy.sort(numpy.random.default_rng(1).random(1_000_000))",
    "writing": "return bytes(100_000_000)",
}
"""The work of workers when their parent ends."""


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("busy", BUSY)
@pytest.mark.parametrize("made_once", [False, True])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_workers_end_with_their_parent(busy: str, made_once: bool, end: signal.Signals, tmp_path: Path) -> None:
    """Workers end soon after their parent, however it ends."""
    maker_waits = made_once and busy != "writing"  # the maker of items writes none of them
    body = BUSY[busy].replace("\n", "\n    ")
    script = f"""
import os, sys, time
def work(x):
    with open(os.path.join(sys.argv[1], str(os.getpid())), "w"):
        pass
    {body}
def items():
    yield from (1, 2)
    if {maker_waits}:
        work(3)
for result in workers.in_order(work, items, 2, made_once={made_once}):
    time.sleep(1000)
"""
    command = [sys.executable, "-c", "import irevalx.process.workers as workers\n" + script, str(tmp_path)]
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)}) as parent:
        wait_for(lambda: len(list(tmp_path.iterdir())) == 2 + maker_waits)
        pids = [int(path.name) for path in tmp_path.iterdir()]
        assert parent.pid not in pids
        assert all(alive(pid) for pid in pids)
        parent.send_signal(end)
    wait_for(lambda: not any(alive(pid) for pid in pids))


def alive(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat")
        return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until a condition holds, for a limited time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# Interrupts itself when it looks for the module with this number, and then is the command.
INTERRUPT = """
import os, runpy, signal, sys
number, program = int(sys.argv[1]), sys.argv[2]
del sys.argv[:2]
seen = []
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        seen.append(name)
        if len(seen) == number:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
import irevalx.process
if number:
    runpy.run_module(program, run_name="__main__")
"""


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("program", "args", "least"),
    [
        ("irevalx", ["--quiet", str(QRELS), str(RUN)], 100),
        ("irevalx.lab", ["degrade", str(QRELS), "--uniform", "0.5", "--seed", "1"], 100),
        ("irevalx", ["-h"], 20),
    ],
    ids=["irevalx", "irevalx-lab", "help"],
)
def test_interrupt_while_modules_load(program: str, args: list[str], least: int) -> None:
    """Ctrl-C ends the commands silently with status 130 during the import of any module."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    number, step = 8, 1 if THOROUGH else 29
    while True:
        command = [sys.executable, "-c", INTERRUPT, str(number), program, *args]
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        if done.returncode == 0:
            break
        assert (done.returncode, done.stderr) == (130, b""), number
        number += step
    assert number > least


# Interrupts itself at the line with this number that is run since irevalx's own code runs, and then is the command.
INTERRUPT_AT_LINE = """
import os, runpy, signal, sys
number, sys.argv[0] = int(sys.argv.pop(1)), "irevalx-lab" if "lab" in sys.argv[2] else "irevalx"
program = sys.argv.pop(1)
seen = 0
def trace(frame, event, arg):
    global seen
    if not seen and not frame.f_code.co_filename.endswith(("process/__init__.py", "<frozen runpy>")):
        return trace
    seen += event == "line"
    if seen == number:
        sys.settrace(None)
        os.kill(os.getpid(), signal.SIGINT)
    return trace
sys.settrace(trace)
import irevalx
runpy.run_module(program, run_name="__main__", alter_sys=False)
"""


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("program", ["irevalx", "irevalx.lab"])
def test_interrupt_from_the_first_line(program: str) -> None:
    """Ctrl-C ends the commands silently with status 130 at every line from the first import on."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for number in range(1, 2000, 1 if THOROUGH else 67):
        command = [sys.executable, "-c", INTERRUPT_AT_LINE, str(number), program, "-h"]
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (130, b""), number


def test_programs_keep_their_interrupts() -> None:
    """Ctrl-C raises KeyboardInterrupt in a program that imports irevalx."""
    script = "import signal, irevalx; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    for argv in (["x"], ["-m"], ["irevalx.txt"]):
        done = python(f"{begin}import sys; sys.modules.pop('irevalx'); sys.argv = {argv}; {script}")
        assert (argv[0].startswith("irevalx"), done.stderr == "") in {(True, False), (False, True)}, done.stderr


# Finds no memory for the module with this number, and then is the command.
NO_MEMORY = """
import runpy, sys
number, program, error = int(sys.argv[1]), sys.argv[2], sys.argv[3]
del sys.argv[1:4]
seen = []
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        seen.append(name)
        if len(seen) >= number and name.startswith(("irevalx", "numpy", "click")):
            raise {"MemoryError": MemoryError(), "OSError": OSError(12, "Cannot allocate memory"),
                   "ImportError": ImportError("x.so: failed to map segment from shared object")}[error]
import irevalx.lab, irevalx.process.startup, irevalx.process.startup, errno
sys.meta_path.insert(0, Finder)
runpy.run_module(program, run_name="__main__")
"""


@pytest.mark.parametrize("error", ["MemoryError", "OSError", "ImportError"])
@pytest.mark.parametrize("program", ["irevalx", "irevalx.lab"])
def test_no_memory_for_modules(program: str, error: str) -> None:
    """If memory is insufficient for a module, the status is 70, with a one-line message."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    args = [*(["describe"] if program == "irevalx.lab" else []), str(QRELS), str(RUN)]
    name = program.replace(".", "-")
    for number in (5, 60, 160):
        command = [sys.executable, "-c", NO_MEMORY, str(number), program, error, *args]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode, done.stdout) == (70, "")
        assert done.stderr.splitlines()[-1] == f"{name}: out of memory"
        assert "Traceback" not in done.stderr


def test_no_memory_for_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lack of memory has the message of numpy and status 70; other system errors are raised."""
    for number in ("100000000000", "99999999999999999999"):
        assert "at most 10000000" in refusal("labels", QRELS, QRELS, RUN, RUN, "--seed", "1", "--resamples", number)

    def too_big(*args: object, **more: object) -> None:
        np.empty(1 << 56)

    monkeypatch.setattr("irevalx.evaluation.evaluate.evaluate_all", too_big)
    assert "irevalx: out of memory: Unable to allocate 512. PiB" in refused(QRELS, RUN, status=70)
    monkeypatch.setattr("irevalx.evaluation.evaluate.evaluate_all", Mock(side_effect=OSError(errno.EIO, "?")))
    with pytest.raises(OSError, match=r"\?"):
        run(QRELS, RUN)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("program", ["irevalx", "irevalx.lab"])
def test_interrupt_at_any_time(program: str, tmp_path: Path) -> None:
    """Ctrl-C ends a command silently with status 130 at any time."""
    (tmp_path / "run").write_bytes(RUN.read_bytes() + padding())
    files = [str(QRELS), str(tmp_path / "run")]
    command = {
        "irevalx": ["-m", "irevalx", "--quiet", "--threads", "2", *files],
        "irevalx.lab": ["-m", "irevalx.lab", "pool", *files[1:], "--depth", "10"],
    }[program]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = []
    for delay in (0.1, 0.15, 0.2, 0.3, 0.45, 0.6):
        # In a session of its own, so that its workers get the signal as from a terminal.
        with subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        ) as process:
            time.sleep(delay)
            os.killpg(process.pid, signal.SIGINT)
            _, stderr = process.communicate(timeout=30)
        ended.append(process.returncode)
        # Python itself is not ours: before it has come to the command, it complains.
        assert process.returncode in {0, 130} or "irevalx" not in stderr.decode(), (delay, stderr)
        assert process.returncode not in {0, 130} or stderr == b""
    assert 130 in ended


@pytest.mark.usefixtures("interruptible")
def test_interrupt_leaves_nothing_half_written(tmp_path: Path) -> None:
    """An interrupted command of irevalx-lab leaves no partial files."""
    script = """
import os, signal, sys
from irevalx.lab.command import output
from irevalx.process.startup import end_on_interrupt
end_on_interrupt()
def make(part):
    part.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGINT)
try:
    output.write_file(sys.argv[1], make)
except KeyboardInterrupt:
    print("undone", flush=True)
os.kill(os.getpid(), signal.SIGINT)
print("still here", flush=True)
"""
    done = python(script, tmp_path / "file")
    assert (done.stdout, done.stderr, done.returncode) == ("undone\n", "", 130)
    assert list(tmp_path.iterdir()) == []


def test_interrupts_that_are_ignored_stay_so() -> None:
    """Ctrl-C does not end a background job, which the shell starts with SIGINT ignored."""
    script = f"trap '' INT; exec '{sys.executable}' -c 'import irevalx.process.startup as i, os, signal; i.end_on_interrupt(); os.kill(os.getpid(), signal.SIGINT); print(1)'"
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (0, b"1\n")


def test_a_worker_that_is_lost_while_it_works_is_an_error() -> None:
    """If the system kills a worker, an error with status 71 is reported."""
    script = f"""
import os, signal, sys
from irevalx.cli.command import main
from irevalx.ranking import rank
inner, parent = rank.rank_results, os.getpid()
def killed(*args):
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return inner(*args)
rank.rank_results = killed
sys.exit(main(["--threads", "2", {str(QRELS)!r}, {str(RUN)!r}]))
"""
    done = python(script)
    assert (done.returncode, done.stdout) == (71, "")
    assert "ended before its part of the work was done" in done.stderr
