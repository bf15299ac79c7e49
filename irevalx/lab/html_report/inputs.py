"""Groups of runs and topics in a report, and the names of input files."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from irevalx.api.inputs import Run
from irevalx.errors import quote, warn
from irevalx.experiments.run_groups import OTHERS, groups_of
from irevalx.lab.comparison.comparison_options import TopicGroupsInput
from irevalx.lab.comparison.topic_groups import topic_groups_of
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.topic_groups import TopicGroups, group_warnings
from irevalx.wording import spelled


def groups_of_topics(groups: TopicGroupsInput | None, topics: Sequence[bytes]) -> TopicGroups:
    """Return the topics of each group. Warn about topics that belong to no group."""
    if groups is None:
        return {}
    by_name, where = topic_groups_of(groups)
    for line in group_warnings(by_name, topics, where):
        warn(line)
    return by_name


def groups_of_runs(runs: Sequence[str], groups: Any, group_by: str | None) -> list[str]:
    """Return the group of each run. Warn if the pattern matches no name of a run."""
    of_runs = groups_of(runs, groups, group_by)
    if group_by is not None and set(of_runs) == {OTHERS}:
        warn(f"{spelled('group_by')} {quote(group_by)} matches no name of a run; all runs are in the group {OTHERS!r}")
    return of_runs


def path_of(source: Any) -> str | None:
    """Return the path of a file as a string, or None if the source is not a path."""
    return os.fspath(source) if isinstance(source, str | os.PathLike) else None


def paths_of_runs(runs: Any, opened: Sequence[RunStream]) -> list[str]:
    """Return the paths of the files from which runs are read."""
    if isinstance(runs, Mapping):
        runs = list(runs.values())
    sources = runs if isinstance(runs, list | tuple) else [runs]
    if all(isinstance(run, Run) for run in sources):  # Run objects contain the paths of their files
        sources = [run.path for run in opened if Path(run.path).is_file()]
    return [path for path in map(path_of, sources) if path is not None]
