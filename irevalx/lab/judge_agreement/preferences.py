"""Agreement of pairwise preferences, and how preferences depend on the order in which two documents are presented."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from irevalx.api.inputs import Qrels, judgments_given
from irevalx.arrays.segments import FloatArray
from irevalx.declarations import Parameter
from irevalx.errors import InputError, UsageError, quote, shown_name, warn
from irevalx.experiments.inputs import judgments_of
from irevalx.frozen import replace
from irevalx.judgments.preferences import PreferenceJudgments
from irevalx.lab.judge_agreement.document_agreement import LabelBootstrap
from irevalx.lab.judge_agreement.parts import AgreementPart, Estimate
from irevalx.lab.judge_agreement.results import PreferencesResult
from irevalx.reading.judgment_formats import PAIRS, PREFS
from irevalx.statistics.label_agreement import agreement, kappa
from irevalx.trec_eval import TREC_EVAL_10
from irevalx.wording import spelled

Pair: TypeAlias = "tuple[bytes, bytes]"
"""Two documents, in ascending byte order."""

Judgment: TypeAlias = "tuple[int, bool]"
"""A judgment of a pair: the preference (1 for the first document, -1 for the second one, 0 for a tie), and whether the
first document was presented first."""

JudgedPairs: TypeAlias = "dict[bytes, dict[Pair, list[Judgment]]]"
"""A dictionary that maps each topic to the judgments of each pair of documents."""

_OF_JUDGE = ("pairs", "ties", "in_both_orders", "flips", "preferences", "for_first")
"""The counts for one judge: pairs, tied pairs, pairs judged in both orders, pairs judged differently in both orders,
judgments that are not ties, and judgments that prefer the document presented first."""


_WITHOUT_GRADES = (
    *("by_topic", "prevalence", "level", "labels_format", "labels_max", "label_values", "human_column"),
    *("machine_columns", "disagreements", "disagreements_file", "figure", "covariate", "runs"),
)
"""The parameters of ``labels`` that cannot be combined with preferences."""

_TO_PREFS = 'awk \'{w = NF > 3 ? $4 : $2; print $1, "j", NR, $2, 1 + (w == $2); print $1, "j", NR, $3, 1 + (w == $3)}\''


def comparable_format(shared: Parameter) -> Parameter:
    """Return the parameter for the format of the judgments.

    A file of pairs is rejected, and the error message contains a command that converts the file.
    """
    kind = shared.kind
    assert kind is not None

    def check(value: Any) -> Any:
        if value == PAIRS.name:
            raise UsageError(
                f"{spelled('rel_format', PAIRS.name)}: must be prefs; write each pair, in its order of presentation, "
                f"as a subgroup of {spelled('rel_format', PREFS.name)}: {_TO_PREFS}"
            )
        return kind.check(value)

    return replace(shared, kind=replace(kind, check=check), requires=(), excludes={PREFS.name: _WITHOUT_GRADES})


def preferences_of(judgments: PreferenceJudgments) -> JudgedPairs:
    """Return the judgments of all pairs in the same subgroup. The order of lines is the order of presentation."""
    documents, names = judgments.documents, judgments.documents.docnos.texts()
    pairs: JudgedPairs = {topic: {} for topic in documents.topics}
    for group, topic in enumerate(judgments.groups.ids.tolist()):
        where, first = judgments.rows.slice(group), documents.rows.slice(topic).start
        columns = (judgments.subgroup, judgments.lines, judgments.document, judgments.level)
        lines = sorted(zip(*(column[where].tolist() for column in columns), strict=True))
        of_topic = pairs[documents.topics[topic]]
        for (subgroup, _, a, of_a), (other, _, b, of_b) in combinations(lines, 2):
            if subgroup != other or a == b:
                continue
            is_first = a < b  # documents are numbered in ascending byte order
            preference = (1 if of_a > of_b else -1 if of_a < of_b else 0) * (1 if is_first else -1)
            pair = names[first + min(a, b)], names[first + max(a, b)]
            of_topic.setdefault(pair, []).append((preference, is_first))
    return pairs


def preference_of(judgments: list[Judgment]) -> int:
    """Return the majority preference among the judgments of a pair, or 0 if there is no majority."""
    return int(np.sign(sum(preference for preference, _ in judgments)))


def _numbers(of_topic: Mapping[Pair, list[Judgment]]) -> list[int]:
    """Return the counts ``_OF_JUDGE`` of a topic."""
    in_both_orders = [each for each in of_topic.values() if len({is_first for _, is_first in each}) > 1]
    flips = [each for each in in_both_orders if len({preference for preference, _ in each}) > 1]
    decided = [(preference, is_first) for each in of_topic.values() for preference, is_first in each if preference]
    return [
        len(of_topic),
        sum(preference_of(each) == 0 for each in of_topic.values()),
        len(in_both_orders),
        len(flips),
        len(decided),
        sum((preference > 0) == is_first for preference, is_first in decided),
    ]


def _kappa(confusion: FloatArray) -> dict[str, FloatArray]:
    """Return the agreement and kappa of preferences.

    For kappa, each pair is counted in both orders, because the order of documents is arbitrary.
    """
    return {"agreement": agreement(confusion), "kappa": kappa(confusion + confusion[..., ::-1, ::-1], np.arange(3))}


def _agreement(numbers: FloatArray, bootstrap: LabelBootstrap) -> AgreementPart:
    """Return the statistics of pairs, with confidence intervals for all statistics except counts.

    The shape of ``numbers`` is (n_topics, 21).
    """
    confusions = numbers[:, :9].reshape(-1, 3, 3)
    decided = confusions[:, ::2, ::2]
    equal = np.trace(decided, axis1=-2, axis2=-1)
    estimates = {
        "pairs": Estimate(int(confusions.sum())),
        **bootstrap.coefficients(confusions[confusions.sum(axis=(1, 2)) > 0], _kappa),
        "agreement_without_ties": bootstrap.proportion(equal, decided.sum(axis=(1, 2))),
    }
    for place, judge in enumerate(("human", "machine")):
        start = 9 + len(_OF_JUDGE) * place
        n_pairs, ties, in_both_orders, flips, preferences, for_first = numbers.T[start : start + len(_OF_JUDGE)]
        estimates |= {
            f"pairs_{judge}": Estimate(int(n_pairs.sum())),
            f"ties_{judge}": bootstrap.proportion(ties, n_pairs),
            f"in_both_orders_{judge}": Estimate(int(in_both_orders.sum())),
            f"flips_{judge}": bootstrap.proportion(flips, in_both_orders),
            f"first_preferred_{judge}": bootstrap.proportion(for_first, preferences),
        }
    return AgreementPart("preferences", estimates)


def _preferences_given(given: Any) -> PreferenceJudgments:
    """Read preference judgments. As for labels, an error is reported if the file names several judges."""
    read = given if isinstance(given, Qrels) else judgments_given(given, PREFS, "label", TREC_EVAL_10)
    judgments = judgments_of(read, PREFS.name) if isinstance(read, Qrels) else read
    assert isinstance(judgments, PreferenceJudgments)  # the format contains no other judgments
    return judgments


def _about_groups(judgments: PreferenceJudgments) -> str:
    """Return a warning about a topic with several judgment groups, or an empty string if there is no such topic.

    The groups could be the judgments of several judges.
    """
    for topic, n_groups in enumerate(judgments.groups.lengths.tolist()):
        if n_groups > 1:
            first, second = (quote(name) for name in judgments.names[judgments.groups.slice(topic)][:2])
            where = f"{shown_name(judgments.documents.path)}: topic {quote(judgments.documents.topics[topic])}"
            return (
                f"{where} has {n_groups} judgment groups ({first}, {second}{', ...' if n_groups > 2 else ''}), but "
                "all preferences of a file are read as preferences of one judge; if "
                "the groups are judges, write the preferences of each judge to a separate file"
            )
    return ""


def compare_preferences(human: Any, machine: Any, bootstrap: LabelBootstrap) -> PreferencesResult:
    """Compare the preferences of a machine with human preferences. Raise InputError if no pair is in both."""
    if machine is None:
        raise UsageError(f"{spelled('rel_format', PREFS.name)} cannot be combined with {spelled('machines')}")
    read = [_preferences_given(side) for side in (human, machine)]
    paths = [shown_name(judgments.documents.path) for judgments in read]
    for line in (line for judgments in read if (line := _about_groups(judgments))):
        warn(line)
    ours, theirs = map(preferences_of, read)
    topics = sorted(ours.keys() & theirs.keys())
    numbers = np.zeros((len(topics), 9 + 2 * len(_OF_JUDGE)))
    for place, topic in enumerate(topics):
        for pair in ours[topic].keys() & theirs[topic].keys():
            first, second = (preference_of(side[topic][pair]) for side in (ours, theirs))
            numbers[place, 3 * (first + 1) + second + 1] += 1
        numbers[place, 9:] = [*_numbers(ours[topic]), *_numbers(theirs[topic])]
    n_pairs = int(numbers[:, :9].sum())
    if not n_pairs:
        raise InputError(f"{' and '.join(paths)} have no judged pair of documents in common")
    of_each = numbers[:, [9, 9 + len(_OF_JUDGE)]].sum(axis=0).astype(np.int64).tolist()
    for path, other, number in zip(paths, reversed(paths), of_each, strict=True):
        if number > n_pairs:
            warn(
                f"{other} does not contain {number - n_pairs} of the {number} pairs that {path} contains for topics of "
                "both judges; they are left out of the agreement"
            )
    for line in bootstrap.warnings(len(topics)):
        warn(line)
    lacking = [
        f"{len(side) - len(topics)} topics of {path} are left out"
        for side, path in zip((ours, theirs), paths, strict=True)
        if len(side) > len(topics)
    ]
    note = f"Topics: {len(topics)} of both judges{''.join(f'; {words}' for words in lacking)}."
    seed = bootstrap.seed if bootstrap.resamples else None
    return PreferencesResult([_agreement(numbers, bootstrap)], seed, notes=(note,))
