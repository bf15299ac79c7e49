"""Clusters of dependent topics, which are specified by users or suggested by the IDs of the topics."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from irevalx.errors import InputError, UsageError, Warn, quote, shown_name, warn
from irevalx.experiments.measured_runs import MeasureValues
from irevalx.experiments.run_groups import matches_in_names
from irevalx.frozen import Frozen, replace
from irevalx.reading.sources.files import Source
from irevalx.reading.topic_groups import read_topic_clusters
from irevalx.statistics.clusters import Clusters
from irevalx.statistics.significance import ALPHA, differences
from irevalx.wording import first_names, spelled

ClustersInput: TypeAlias = str | os.PathLike[str] | Source | Mapping[str, str]
"""The input that assigns topics to clusters: a file, or a mapping from topic to cluster."""


def cluster_of_topics(
    topics: Iterable[str],
    clusters: ClustersInput | None,
    pattern: str | None,
    warn: Warn = warn,
    words: tuple[str, str, str] = ("clusters", "topic", "cluster"),
) -> dict[str, Hashable]:
    """Return the cluster of each topic, given a file, a dictionary, or a pattern that matches part of the topic ID.

    If neither ``clusters`` nor ``pattern`` is given, the result is empty. If the pattern does not match a topic ID, the
    topic is a cluster of its own, and a warning is issued. Raise InputError if a topic has no cluster. Raise UsageError
    if the pattern matches no topic ID, or if both parameters are given. The argument ``words`` contains three words for
    messages: the name of the parameter, and the nouns for a topic and for a cluster.
    """
    topics = list(dict.fromkeys(topics))
    if pattern is not None:
        if clusters is not None:
            raise UsageError(f"{spelled('clusters')} cannot be combined with {spelled('cluster_by')}")
        matches = dict(zip(topics, matches_in_names(pattern, topics, "cluster_by"), strict=True))
        others = [topic for topic, match in matches.items() if match is None]
        if len(others) == len(topics):
            raise UsageError(f"{spelled('cluster_by')} {quote(pattern)} matches no topic, such as {quote(topics[0])}")
        if others:
            warn(
                f"{spelled('cluster_by')} does not match {len(others)} of {len(topics)} topics, each of which is a "
                f"cluster of its own: {first_names(others, 'topic')}"
            )
        return {topic: (topic,) if match is None else match for topic, match in matches.items()}
    if clusters is None:
        return {}
    (where, item, cluster), entry = words, "an entry"
    if isinstance(clusters, Mapping):
        of_topics = clusters
    else:
        source = clusters if isinstance(clusters, Source) else Source(os.fspath(clusters))
        where, entry, of_topics = shown_name(source.path), "a line", read_topic_clusters(source, item, cluster)
    if lacking := [topic for topic in topics if topic not in of_topics]:
        of_all = f"{len(lacking)} of {len(topics)} {item}s have no {cluster}, such as {quote(lacking[0])}"
        raise InputError(f"{where}: {of_all}; add {entry} for each {item}")
    return {topic: of_topics[topic] for topic in topics}


def with_clusters(
    measures: Sequence[MeasureValues], clusters: ClustersInput | None, pattern: str | None, *, are_tested: bool = True
) -> list[MeasureValues]:
    """Add the clusters of topics to the values of each measure. If ``are_tested`` is true, warn about few clusters."""
    topics = (topic for of_measure in measures for topic in of_measure.topics)
    if not (cluster_of := cluster_of_topics(topics, clusters, pattern)):
        return list(measures)
    clustered = [
        replace(of_measure, clusters=Clusters.of(cluster_of[topic] for topic in of_measure.topics))
        for of_measure in measures
    ]
    if are_tested:
        warn_of_clusters(of_measure.clusters for of_measure in clustered)
    return clustered


def warn_of_clusters(each: Iterable[Clusters | None], warn: Warn = warn) -> None:
    """Warn if there are too few clusters, or if each cluster is a single topic. Issue each warning once."""
    alone = "each topic is a cluster of its own: the results are those without clusters"
    for line in dict.fromkeys(alone if clusters is None else clusters.caution for clusters in each):
        if line:
            warn(line)


_PREFIXES = ("^(.*[0-9A-Za-z])[_.:/#|-]+[0-9A-Za-z]{1,6}$", "^(.*[0-9])[A-Za-z]$")
"""Regular expressions whose first group is the prefix of a topic ID. A prefix, such as a conversation, can be a
cluster."""

_MATCHED, _SHARED = 0.8, 0.5
"""The minimum share of topics that match an expression, and of topics whose prefix occurs in another topic."""

_FEWEST, _LEAST_RATIO, _LARGEST, _LARGEST_SHARE = 5, 1.5, 30, 0.25
"""The minimum number and mean size of clusters, and their maximum size, in topics and as a share of all topics."""


class ProbableClusters(Frozen):
    """Clusters of dependent topics that the prefixes of topic IDs suggest."""

    pattern: str
    clusters: Clusters
    example: str
    """A prefix that several topic IDs share."""


def probable_clusters(topics: Sequence[str]) -> ProbableClusters | None:
    """Return the clusters that the prefixes of topic IDs suggest, or None if the prefixes suggest no clusters."""
    n_topics = len(topics)
    for pattern in _PREFIXES:
        matches = [re.match(pattern, topic) for topic in topics]
        prefixes = [topic if match is None else match[1] for topic, match in zip(topics, matches, strict=True)]
        clusters = Clusters.of(prefixes)
        if clusters is None or n_topics - matches.count(None) < _MATCHED * n_topics:
            continue
        sizes = clusters.sizes
        is_shared = int(sizes[sizes > 1].sum()) >= _SHARED * n_topics
        is_small = sizes.max() <= min(_LARGEST, _LARGEST_SHARE * n_topics)
        if is_shared and is_small and _FEWEST <= clusters.number <= n_topics / _LEAST_RATIO:
            return ProbableClusters(pattern, clusters, prefixes[int(np.argmax(sizes[clusters.codes] > 1))])
    return None


def notes_on_dependence(measures: Sequence[MeasureValues], pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return a note if topic IDs suggest clusters of dependent topics, or warn if differences depend on the clusters.

    An analysis of variance tests the differences of each pair of runs for each measure. Differences depend on the
    clusters if any p-value is below 0.05 divided by the number of tests.
    """
    probable = {of_measure.topics: probable_clusters(of_measure.topics) for of_measure in measures}
    suggested = next(filter(None, probable.values()), None)
    if suggested is None or not pairs:
        return ()
    least = min(
        float(of_topics.clusters.dependence(differences(*of_measure.tested[np.transpose(pairs)])).min())
        for of_measure in measures
        if (of_topics := probable[of_measure.topics]) is not None
    )
    example, clusters = quote(suggested.example), suggested.clusters
    remedy = f"treat them as clusters with {spelled('cluster_by', suggested.pattern)}"
    if least * len(pairs) * len(measures) < ALPHA:
        warn(
            f"differences between runs depend on the prefix of the topic ID, such as {example} ({clusters}): topics "
            "with the same prefix are not independent, so that p-values are too small and intervals too narrow; "
            f"{remedy}"
        )
        return ()
    return (
        f"The prefix of a topic ID, such as {example}, can be a cluster of dependent topics ({clusters}). If topics "
        f"with the same prefix are dependent, such as the turns of a conversation, {remedy}.",
    )
