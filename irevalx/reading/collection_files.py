"""Input with several collections, each with its own judgments and runs, given by path patterns or dictionaries.

The pattern ``qrels/{collection}.tsv`` matches the judgments of each collection, and the pattern
``runs/{collection}/{run}.trec`` matches the runs of each collection. A ``*`` in a pattern matches any sequence of
characters in a file name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any

from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.reading.sources.files import stem_of
from irevalx.wording import first_names, short_repr

COLLECTION, RUN = "{collection}", "{run}"
"""The placeholders that a path pattern can contain."""


class CollectionInputs(Frozen):
    """The judgments and runs of a collection, which have not been read."""

    name: str
    qrels: Any
    """A path, judgments in any form that ``Qrels.read`` accepts, or score files."""
    runs: Mapping[str, Any] | None
    """The runs by name, each a path or any form that ``Run.read`` accepts, or None if ``qrels`` contains scores."""


def is_pattern(path: Any) -> bool:
    """Return whether a path is a pattern: the path contains a placeholder and is not the path of an existing file.

    Raise UsageError if a placeholder is unknown.
    """
    if not isinstance(path, str) or "{" not in path or os.path.lexists(path):
        return False
    placeholders = re.findall(r"\{\w+\}", path)
    for name in placeholders:
        if name not in {COLLECTION, RUN}:
            raise UsageError(f"{quote(path)}: unknown placeholder {name}; the placeholders are {COLLECTION} and {RUN}")
    return bool(placeholders)


def collections_of(qrels: Any, runs: Any) -> list[CollectionInputs] | None:
    """Return the collections in ascending order of names, or None if the arguments do not specify collections.

    The arguments specify collections if they are patterns, ``{collection: qrels}`` and ``{collection: {name: run}}``,
    or ``{collection: scores}``. Collections without runs are omitted.

    Raise UsageError if only some of the paths are patterns. Raise InputError if a pattern matches no file, or if
    several files match for the same run of a collection.
    """
    qrels, runs = (os.fspath(given) if isinstance(given, os.PathLike) else given for given in (qrels, runs))
    paths = [runs] if isinstance(runs, str) else runs
    if isinstance(paths, list | tuple):
        paths = [os.fspath(path) if isinstance(path, os.PathLike) else path for path in paths]
        if any(is_pattern(path) for path in (qrels, *paths)):
            return _in_files(qrels, paths)
    if isinstance(qrels, Mapping) and _are_by_collection(qrels, runs):
        return [
            CollectionInputs(str(name), given, None if runs is None else runs[name])
            for name, given in qrels.items()
            if runs is None or runs.get(name)
        ]
    return None


def files_of(path: str) -> list[str]:
    """Return the paths of the files that match a pattern. A path that is not a pattern is returned alone."""
    return [file for file, _, _ in _matching(path)] if is_pattern(path) else [path]


def files_in(given: Any, collection: str) -> Any:
    """Return an argument in which the collection replaces the placeholder of a path, or of each of several paths."""
    if isinstance(given, list | tuple):
        return type(given)(files_in(path, collection) for path in given)
    return given.replace(COLLECTION, collection) if is_pattern(given) else given


def one_of_each_kind(lines: Iterable[tuple[str, str]], n_collections: int, noun: str = "warning") -> list[str]:
    """Merge messages about collections, given pairs of a collection and a line. Return one line for each kind.

    Lines of one kind differ only in the name of the collection, in quotations and in numbers. If lines differ only in
    the name, ``{collection}`` replaces the name. A merged line begins with the names of the collections that it
    concerns, unless it concerns all collections or contains their number. ``noun`` is the word for a line.
    """
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for name, line in dict.fromkeys(lines):
        template = re.sub(rf"\b{re.escape(name)}\b", lambda _: COLLECTION, line)
        kinds.setdefault(re.sub(r"'[^']*'|\d+", "", template), []).append((name, line, template))
    merged = []
    for of_kind in kinds.values():
        names, texts, templates = ([*dict.fromkeys(each)] for each in zip(*of_kind, strict=True))
        named = "" if len(names) == n_collections else f"{first_names(names, 'collection')}: "
        if not names[1:]:
            merged += [named + text for text in texts]
        elif templates[1:]:
            merged.append(f"{texts[0]} ({len(names)} collections have such a {noun}; this is the first)")
        else:
            merged.append(named + templates[0])
    return merged


def _in_files(qrels: Any, runs: Sequence[Any]) -> list[CollectionInputs]:
    """Return the collections whose judgments and runs match the patterns."""
    for path in (qrels, *runs):
        if not is_pattern(path) or COLLECTION not in path:
            raise UsageError(f"{short_repr(path)} must contain {COLLECTION}, as the paths of other files do")
    if RUN in qrels:
        raise UsageError(f"{quote(qrels)} cannot contain {RUN}: a collection has one file of judgments")
    judged: dict[str, dict[str, str]] = {}
    for path, name, _ in _matching(qrels):
        _add(judged.setdefault(name, {}), "", path, name)
    if not judged:
        raise InputError(f"no file matches {quote(qrels)}")
    files: dict[str, dict[str, str]] = {name: {} for name in sorted(judged)}
    for pattern in runs:
        # If a file matches for two collections, such as "android" and "cqa-android", it belongs to the longer name.
        of_file = {
            path: (name, run or _name_of(pattern))
            for name in sorted(judged, key=len)
            for path, _, run in _matching(pattern, name)
        }
        if not of_file:
            raise InputError(f"no file matches {quote(pattern)} for {first_names(sorted(judged), 'collection')}")
        remedy = "" if RUN in pattern else f"; if these are different runs, write {RUN} for the part that names the run"
        for path, (name, run) in of_file.items():
            _add(files[name], run, path, f"{name}, run {run}", remedy)
    return [CollectionInputs(name, judged[name][""], of_runs) for name, of_runs in files.items() if of_runs]


def _add(files: dict[str, str], key: str, path: str, what: str, remedy: str = "") -> None:
    """Add a file. Raise InputError, whose message ends with the remedy, if there is another file with this key."""
    if files.setdefault(key, path) != path:
        both = f"{shown_name(files[key])} and {shown_name(path)}"
        raise InputError(f"two files for the collection {what}: {both}{remedy}")


def _matching(pattern: str, collection: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield each file that matches a pattern, in ascending order, with the names of its collection and its run.

    If ``collection`` is given, only files of this collection match.
    """
    from glob import escape, iglob

    placeholders = {COLLECTION: re.escape(collection) or "[^/]+", RUN: "[^/]+", "*": "[^/]*"}
    paths, expression, seen = "", "", set[str]()
    for part in re.split(r"(\{collection\}|\{run\}|\*)", pattern):
        matched, group = placeholders.get(part), part[1:-1]
        if matched is None or part == "*":
            expression += matched or re.escape(part)
        else:
            expression += f"(?P={group})" if group in seen else f"(?P<{group}>{matched})"
            seen.add(group)
        paths += escape(collection) if part == COLLECTION and collection else escape(part) if matched is None else "*"
    for path in sorted(iglob(paths), key=lambda path: path.split("/")):  # noqa: PTH207 - pathlib is slow to import
        match = re.fullmatch(expression, path)
        if match and os.path.isfile(path):  # noqa: PTH113 - pathlib takes a while to import
            names = match.groupdict()
            yield path, names.get("collection", ""), names.get("run", "")


def _name_of(pattern: str) -> str:
    """Return the name of the run in files that match a pattern without the placeholder ``{run}``.

    The name is the last component of the path that contains more than the collection and a file extension.

    >>> _name_of("runs/bm25/{collection}.trec"), _name_of("runs/{collection}.bm25.trec.gz")
    ('bm25', 'bm25')
    """
    *folders, last = pattern.split("/")
    for part in (stem_of(last), *reversed(folders)):
        if name := part.replace(COLLECTION, "").replace("*", "").strip(" ._-"):
            return name
    return "run"


def _are_by_collection(qrels: Mapping[Any, Any], runs: Any) -> bool:
    """Return whether dictionaries map collections to judgments and runs, or to scores."""
    if runs is None:
        return bool(qrels) and not any(isinstance(given, Mapping | list | tuple | set) for given in qrels.values())
    if not isinstance(runs, Mapping) or not runs or not runs.keys() <= qrels.keys():
        return False
    each = [qrels[name] for name in runs]
    return not any(isinstance(given, list | tuple | set | frozenset) or _has_numbers(given) for given in each) and all(
        isinstance(of_runs, Mapping) and not _has_numbers(of_runs) for of_runs in runs.values()
    )


def _has_numbers(given: Any) -> bool:
    """Return whether an object is a dictionary that contains numbers, such as the grades or scores of a topic."""
    return isinstance(given, Mapping) and any(isinstance(value, Number) for value in given.values())
