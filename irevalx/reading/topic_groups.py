"""Reading of topic groups, which are subsets of the topics, and of clusters of dependent topics."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from irevalx.errors import InputError, quote, shown_name, visible
from irevalx.process.platform import as_bytes, as_text
from irevalx.reading.sources.files import Source

TopicGroups = Mapping[str, frozenset[bytes]]
"""The topics of each group, with groups in order of first occurrence."""

_GROUP = "group"
"""The name of the column that contains groups."""

_BLANKS = " \t\n\r\v\f"
"""The ASCII blanks, which separate fields and are removed from the ends of fields."""

_BLANK = re.compile(f"[{_BLANKS}]+")

_RESERVED = frozenset({"low", "high"})
"""The reserved names that groups cannot have, because they denote the bounds of confidence intervals."""


def read_topic_groups(source: Source) -> TopicGroups:
    """Read topic groups from lines TOPIC GROUP, CSV with a header, or JSON. Raise InputError for other content."""
    groups = groups_of_pairs(_pairs_in(source, _GROUP), shown_name(source.path))
    if not groups:
        raise InputError(f"{shown_name(source.path)}: the file contains no groups")
    return groups


def read_topic_clusters(source: Source, item: str = "topic", column: str = "cluster") -> dict[str, str]:
    """Read the cluster of each topic from lines TOPIC CLUSTER, CSV with a header, or JSON.

    Other items and columns, such as collections and their families, are read in the same way. Raise InputError if an
    item has several clusters.
    """
    clusters: dict[str, str] = {}
    for name, cluster in _pairs_in(source, column, item):
        if clusters.setdefault(name, cluster) != cluster:
            several = f"{quote(clusters[name])} and {quote(cluster)}"
            raise InputError(f"{shown_name(source.path)}: {item} {quote(name)} has more than one {column}: {several}")
    return clusters


def _pairs_in(source: Source, column: str, item: str = "topic") -> Iterator[tuple[str, str]]:
    """Yield pairs of an item, such as a topic, and its group or cluster from a file."""
    where, text = shown_name(source.path), as_text(source.content())
    head = next((line for line in text.split("\n") if line.strip() and not line.startswith("#")), "")
    if head.lstrip().startswith("{"):
        return _of_json(where, text, column, item)
    if column in [name.strip(_BLANKS) for name in head.lower().split(",")]:
        return _of_csv(where, text, column, item)
    return _of_lines(where, text, column, item)


def groups_of_pairs(pairs: Iterable[tuple[str, str]], where: str) -> TopicGroups:
    """Collect the topics of each group from pairs (topic, group). Raise InputError if a group name is invalid."""
    topics: dict[str, set[bytes]] = {}
    for topic, group in pairs:
        _encoded(group, where)
        if group in _RESERVED or ":" in group or group.split() != [group] or visible(group) != group:
            rule = "it must not be low, high or empty, and not contain a colon, blank or control character"
            raise InputError(f"{where}: invalid group name {quote(group)}: {rule}")
        topics.setdefault(group, set()).add(_encoded(topic, where))
    return {group: frozenset(members) for group, members in topics.items()}


def group_warnings(groups: TopicGroups, judged: Iterable[bytes], where: str) -> Iterator[str]:
    """Yield warnings about judged topics that have no group, and about groups that have no judged topics."""
    every = list(judged)
    grouped = frozenset[bytes]().union(*groups.values())
    if outside := [topic for topic in every if topic not in grouped]:
        yield f"{where}: {len(outside)} of {len(every)} judged topics are in no group: {_listed(outside)}"
    if empty := [as_bytes(group) for group, topics in groups.items() if topics.isdisjoint(every)]:
        yield f"{where}: {len(empty)} of {len(groups)} groups have no judged topic: {_listed(empty)}"


def _encoded(name: str, where: str) -> bytes:
    """Encode a name. Raise InputError if the name contains a lone surrogate, which is possible in JSON."""
    try:
        return as_bytes(name)
    except UnicodeEncodeError:
        escaped = name.encode("ascii", "backslashreplace").decode()
        raise InputError(f"{where}: a name contains a lone surrogate (half of a character): {escaped}") from None


def _listed(names: list[bytes], most: int = 5) -> str:
    most += len(names) == most + 1  # never replace a single name by "..."
    return ", ".join(map(quote, names[:most])) + (", ..." if len(names) > most else "")


def _of_lines(where: str, text: str, column: str, item: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t") if "\t" in line else _BLANK.split(line.strip(_BLANKS))
        if len(fields) != 2:
            rule = f"expected 2 columns ({item}, {column}), but the line has {len(fields)}"
            raise InputError(f"{where}:{number}: {rule}: {quote(line)}")
        yield fields[0].strip(_BLANKS), fields[1].strip(_BLANKS)


def _of_csv(where: str, text: str, column: str, item: str) -> Iterator[tuple[str, str]]:
    from irevalx.reading.column_names import COLLECTION, TOPIC, named  # only CSV requires this module

    reader = csv.reader(io.StringIO(text, newline=""))
    names = [name.strip().lower() for name in next(fields for fields in reader if _has_values(fields))]
    spec = TOPIC if item == "topic" else COLLECTION
    topics = named(spec, names)
    if len(topics) != 1 or names.count(column) != 1:
        raise InputError(
            f"{where}: expected a header with one column for {item}s ({', '.join(spec.names)}) and one column "
            f"'{column}', but it has {', '.join(names)}"
        )
    try:
        for fields in filter(_has_values, reader):
            if len(fields) != len(names):
                rule = f"expected {len(names)} columns ({', '.join(names)}), but the line has {len(fields)}"
                raise InputError(f"{where}:{reader.line_num}: {rule}: {quote(','.join(fields))}")
            yield fields[names.index(topics[0])].strip(" \t"), fields[names.index(column)].strip(" \t")
    except csv.Error as error:
        raise InputError(f"{where}:{reader.line_num}: {error}") from None


def _has_values(fields: list[str]) -> bool:
    """Return whether the fields of a CSV line contain values, so that the line is neither blank nor a comment."""
    return any(field.strip() for field in fields) and not fields[0].startswith("#")


def _all_groups(pairs: list[tuple[str, Any]]) -> dict[str, list[Any]]:
    """Collect the groups of each topic. If a topic is repeated, the groups are combined."""
    groups_of_topics: dict[str, list[Any]] = {}
    for topic, groups in pairs:
        groups_of_topics.setdefault(topic, []).extend(groups if isinstance(groups, list) else [groups])
    return groups_of_topics


def _of_json(where: str, text: str, column: str, item: str) -> Iterator[tuple[str, str]]:
    rule = f"expected a {column} or a list of {column}s for each {item}"
    try:
        groups_of_topics = json.loads(text, object_pairs_hook=_all_groups)
    except ValueError as error:
        raise InputError(f"{where}: invalid JSON: {error}") from None
    except RecursionError:
        raise InputError(f"{where}: {rule}, but it has thousands of brackets") from None
    for topic, groups in groups_of_topics.items():
        for group in groups:
            if not isinstance(group, str):
                raise InputError(f"{where}: {rule}, but {item} {quote(topic)} has {quote(json.dumps(group))}")
            yield topic, group
