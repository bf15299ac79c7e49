"""Z-scores: what the file may look like, and which of its entries counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import FIXTURES, run, run_process

from irevalx.measures.zscores import ZscoreMoments

DATA = FIXTURES / "golden" / "data"
FILES = (DATA / "t.qrels", DATA / "t.run")


def zscore_file(folder: Path, text: str) -> Path:
    """Write a z-score file."""
    (folder / "zscores").write_text(text)
    return folder / "zscores"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 map 0.5\n", "{path}:1: expected a line of z-scores with 4 columns (topic, measure, mean, standard deviation), but the line has 3: '1 map 0.5'"),
        ("1 map 0.5 1\n\n", "{path}:2: expected a line of z-scores with 4 columns (topic, measure, mean, standard deviation), but the line is blank"),
        ("1 map 0.5 1\0\n", "{path}:1: the line contains a NUL byte: '1 map 0.5 1\\x00'"),
        ("", "cannot read '{path}': the file is empty"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(text: str, message: str, tmp_path: Path) -> None:
    """What is wrong with the file is named, with status 255."""
    path = zscore_file(tmp_path, text).name
    result = run("-Z", path, "-m", "map", *FILES, cwd=tmp_path)
    assert (result.stdout, result.status) == (b"", 255)
    assert result.stderr.startswith(f"irevalx: {message.format(path=path)}")


def test_odd_numbers_are_never_read_in_silence(tmp_path: Path) -> None:
    """A number that is not finite is read as C reads it, with a warning; --strict refuses it."""
    path = zscore_file(tmp_path, "1 map 0.5 1\n1 num_ret x 1\n2 map 0.5 inf\n")
    result = run("-Z", path, "-m", "map", *FILES)
    assert result.status == 0
    assert result.stderr == (
        f"irevalx: {path}:2: topic '1': measure 'num_ret': invalid mean or standard deviation "
        "'x' (not a finite number), read as 0, like trec_eval (1 more such value in this file)\n"
    )
    assert run("--strict", "-Z", path, "-m", "map", *FILES).status == 2


def test_standard_input() -> None:
    """- is standard input."""
    expected = run("-q", "-Z", DATA / "z_full", "-m", "map", *FILES)
    assert expected.stdout.startswith(b"Zmap ")
    piped = run_process(["-q", "-Z", "-", "-m", "map", *FILES], stdin=(DATA / "z_full").read_bytes())
    assert (piped.stdout, piped.status) == (expected.stdout, 0)


def test_infinite_geometric_mean(tmp_path: Path) -> None:
    """A geometric mean too large for a number is infinite."""
    # trec_eval prints the same
    path = zscore_file(tmp_path, "1 gm_map -1e4 1\n2 gm_map -1e4 1\n3 gm_map 0 1\n")
    assert run("-Z", path, "-m", "gm_map", *FILES).stdout == b"Zgm_map                \tall\t   inf\n"


def test_several_runs_are_called_by_their_tags(tmp_path: Path) -> None:
    """The name of a run is not converted."""
    (tmp_path / "other").write_bytes(FILES[1].read_bytes().replace(b"tiny", b"other"))
    rows = run("-Z", DATA / "z_full", "-m", "map", *FILES, tmp_path / "other").stdout.splitlines()
    assert [row.split()[0] for row in rows] == [b"runid", b"Zmap", b"runid", b"Zmap"]


@pytest.mark.parametrize(
    ("names", "sought", "expected"),
    # Which of equal entries trec_eval takes, seen by giving each a mean of its own, and entries of another topic after.
    [
        ("a", "a", 0), ("aa", "a", 1), ("aaa", "a", 1), ("aaaa", "a", 2), ("aaaaa", "a", 2), ("abb", "b", 1),
        ("aabb", "a", 0), ("aabb", "b", 2), ("abbbbbc", "b", 3), ("aa", "b", None), ("bbc", "a", None),
    ],
)  # fmt: skip
def test_search(names: str, sought: str, expected: int | None) -> None:
    """Of several entries for a measure the one counts that trec_eval's search meets first."""
    moments = ZscoreMoments([name.encode() for name in names], [(float(place), 1.0) for place in range(len(names))])
    assert moments.find(sought.encode()) == (None if expected is None else (float(expected), 1.0))
