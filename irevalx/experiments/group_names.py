"""The group of each run: as a user names it, or as a pattern finds it in the name of the run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from irevalx.declarations import spelled
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.process.system import as_text
from irevalx.reading.source import CHUNK_SIZE, Source

OTHERS = "others"
"""The group of runs that a pattern does not match."""


def groups_of(
    runs: Sequence[str], groups: str | os.PathLike[str] | Mapping[str, str] | None, pattern: str | None
) -> list[str]:
    """Return the group of each run, from a mapping, a file (RUN GROUP) or a pattern; by default each is its own."""
    if groups is not None and pattern is not None:
        raise UsageError("groups and group_by must not be given together")
    if isinstance(groups, Mapping):
        return _chosen_groups(dict(groups), runs, "groups")
    if groups is not None:
        return groups_from_file(Source(os.fspath(groups)), runs)
    return list(runs) if pattern is None else groups_by_pattern(pattern, runs)


def two_groups_of(
    runs: Sequence[str], groups: str | os.PathLike[str] | Mapping[str, str] | None, pattern: str | None
) -> list[str]:
    """Return the same; raises UsageError as well if all runs are in one group."""
    of_run = groups_of(runs, groups, pattern)
    if len(set(of_run)) < 2:
        raise UsageError(f"there must be two groups at least, but all runs are in {quote(of_run[0])}")
    return of_run


def groups_from_file(source: Source, runs: Sequence[str]) -> list[str]:
    """Read the group of each run, ``RUN GROUP`` a line; blank lines and lines that start with ``#`` are skipped."""
    group_of: dict[str, str] = {}
    for number, line in enumerate(b"".join(source.chunks(CHUNK_SIZE)).split(b"\n"), 1):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        where = f"{shown_name(source.path)}:{number}"
        if len(fields) != 2:
            raise InputError(f"{where}: a line must have 2 columns (run, group), but got {quote(line)}")
        run, group = map(as_text, fields)
        if run in group_of:
            raise InputError(f"{where}: a run must be in one group, but got {quote(run)} a second time")
        group_of[run] = group
    return _chosen_groups(group_of, runs, shown_name(source.path))


def _chosen_groups(group_of: Mapping[str, str], runs: Sequence[str], where: str) -> list[str]:
    """Return the group of each run; raises InputError if a run is in none, or a group has no runs."""
    for run in runs:
        if run not in group_of:
            raise InputError(f"{where}: each run must be in a group, but {quote(run)} is in none")
    for run, group in group_of.items():
        if all(group_of[other] != group for other in runs):
            raise InputError(
                f"{where}: a group must have a run, but {quote(group)} has none ({quote(run)} was not given, or is "
                "left out)"
            )
    return [group_of[run] for run in runs]


def groups_by_pattern(pattern: str, runs: Sequence[str]) -> list[str]:
    """Take the group of each run from its name: the first group of the pattern, or else all that the pattern matches.

    Runs whose names do not match are one group, ``OTHERS``.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(
            f"{spelled('group_by')} must be a regular expression, but got {quote(pattern)} ({error})"
        ) from None
    matches = [compiled.search(run) for run in runs]
    groups = [
        OTHERS if match is None else match[1] if compiled.groups and match[1] is not None else match[0]
        for match in matches
    ]
    for run, match, group in zip(runs, matches, groups, strict=True):
        if match is not None and group == OTHERS and None in matches:
            raise UsageError(
                f"{spelled('group_by')} must not match a group called {quote(OTHERS)}, the group of all other "
                f"runs, but it does in {quote(run)}"
            )
    return groups
