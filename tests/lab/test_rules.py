"""Rules between parameters and limits of their values, which commands refuse in Python and in the shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from refusals import RUNS, declared_parameters, function_of, has_choice, refused_in_python, refused_in_shell
from running import described, refusal

from irevalx.command_line.options import typed_in_shell
from irevalx.declarations import Parameter, declaration_of
from irevalx.errors import ArgumentError
from irevalx.lab import COMMANDS
from irevalx.lab.command.declaration import parameters_of
from irevalx.lab.command.evaluation_options import GRADED
from irevalx.wording import join_words, spelled_rule

RULES = """
describe
    groups, group_by, show=runs, show=ranks, show=groups, max_retrieved requires runs
pool
    mix_seed, drop requires judge
    sizes excludes depth, mix_seed, drop
next
    order=sampled requires total
    total requires order=sampled
    per_topic excludes in_all, n, across
    in_all excludes n, order=sampled
complete
    labels excludes documents, classifier, class_weight, kld_threshold, probabilities, calibrated, holdout
    labels excludes write_probabilities, seed
    labels_replace, label_values requires labels
    class_weight requires classifier=svm
    kld_threshold requires classifier=kld
    calibrated requires mark, report, write_probabilities
    calibrated excludes probabilities
    holdout requires report
    probabilities requires mark
    write_probabilities requires calibrated
bounds
    per_topic excludes n_next, figure
    in_all excludes per_topic, n_next, figure
    probabilities excludes fit_probabilities
    new_runs requires fit_probabilities
    new_runs excludes in_all, per_topic, n_next, min_retrieved, figure
    groups, group_by requires new_runs
    draws requires probabilities, fit_probabilities
labels
    machine excludes machines, machine_columns
    machine_columns requires human_column
    machine_columns excludes machines
    second_human, human_topics, written, panel requires machines, machine_columns
    covariate_log requires covariate
    groups, group_by requires runs, covariate
    top, rerank requires runs
    complete, judged_only, max_retrieved, collection_size, ties, ignore_identical_ids, duplicates requires runs
    min_retrieved, infap_c, infap_epsilon, sample_rate, compat requires runs
    ties=expected, ties=best, ties=worst excludes rerank
    rel_format=prefs excludes by_topic, prevalence, level, labels_format, labels_max, label_values, human_column
    rel_format=prefs excludes machine_columns, disagreements, disagreements_file, figure, runs, covariate
    draw requires figure
estimate
    scores excludes runs, complete
    human_column requires machine_column
    human_column excludes measures, runs
    machine_column requires human_column
    labels_format, label_values, pool_out, rates excludes scores
    plan excludes correction, design, figure, rel_format=sampled, rel_format=prels
    design excludes baseline, weight, correction, alpha, figure
    seed, pool_out, rates requires design
    ties=expected, ties=best, ties=worst excludes design, rel_format=sampled, rel_format=prels, human_labels=random
    human_labels excludes scores, design, rel_format=sampled, rel_format=prels
compare
    sort requires by=topic, by=run
    systems, system_by excludes test=wilcoxon, test=permutation, correction=tukey, interval=bca
    system_by excludes systems
    topic_groups excludes systems, system_by, correction=tukey, by=run, columns, figure
    clusters, cluster_by excludes test=wilcoxon, correction=tukey, interval=bca, topic_groups, systems, system_by
    cluster_by excludes clusters
    by=topic excludes topic_groups, clusters, cluster_by, families
    discriminative_power excludes by=run, by=topic, topic_groups, clusters, cluster_by, families
    draw requires figure
    draw excludes discriminative_power
gate
    allow_unsure excludes require=better, require=equivalent
    cluster_by excludes clusters
report
    margin requires baseline
    clusters, cluster_by excludes test=wilcoxon, correction=tukey, interval=bca
    cluster_by excludes clusters
    groups excludes group_by
power
    comparisons requires correction=bonferroni
    cluster_by excludes clusters
degrade
    runs requires strata, order
    uniform excludes stratified, strata, order
    stratified excludes strata, order
    rounding requires stratified
    sample_format requires strata, strata_file
    strata_file excludes uniform, stratified, topic_rates, order
    rates requires strata_file
    rates excludes strata, order, uniform, stratified
    topic_rates excludes rates, strata, order, uniform, stratified
    order requires budget
    order excludes strata
    budget, depth, across, batch, unjudged requires order
    documents requires order=cal
leave-out
    groups, group_by requires runs
    complete=svm, complete=kld, complete=svm-expected, complete=kld-expected requires documents
    complete=labels requires labels
    documents requires complete=svm, complete=kld, complete=svm-expected, complete=kld-expected
    kld_threshold requires complete=kld
    labels requires complete=labels
    labels_replace, label_values requires labels
    summary excludes pivot, removed
    pivot excludes removed
    removed excludes complete, holes, keep_judgments, folder, figure
    new_runs excludes complete, holes, only, summary, pivot, removed, keep_judgments, folder, min_retrieved
    new_runs excludes fully_judged, keep_in_pool, figure
    ties=expected, ties=best, ties=worst excludes new_runs
    grades=real excludes complete, new_runs, keep_judgments, folder
    tolerance, draws requires new_runs
    draw requires figure
agree
    level, grades, rel_format requires runs
    complete, judged_only, max_retrieved, collection_size, ties, ignore_identical_ids, duplicates requires runs
    min_retrieved, infap_c, infap_epsilon, sample_rate, compat requires runs
    scores excludes runs, complete
swap-rate
    extrapolate excludes bins
    clusters, cluster_by excludes bins
    cluster_by excludes clusters
study
    scheme=strata requires strata
    scheme=cal requires documents
    rounding=half-up requires scheme=stratified
    rounding=half-down requires scheme=stratified
    topic_rates requires scheme=uniform
    strata requires scheme=strata
    strata_file requires strata
    pool_depth requires own_pool
    depth, across, batch, unjudged, group_by, groups requires scheme=depth, scheme=borda, scheme=rrf, scheme=mtf, ...
    across excludes scheme=sampled
    documents requires scheme=cal
    group_by excludes min_retrieved, fully_judged
    groups excludes min_retrieved, fully_judged
    fully_judged excludes own_pool, scheme=depth, scheme=borda, scheme=rrf, scheme=mtf, ...
    grades=real excludes scheme=depth, scheme=borda, scheme=rrf, scheme=mtf, ...
    ties=expected, ties=best, ties=worst excludes scheme=imperfect
"""
"""A parameter requires one of the parameters after it, and excludes each of them; ... stands for all other strategies."""

COMMON = """
    results_format requires runs
    groups excludes group_by
    grades=probability excludes level
    lower_is_better requires scores
    score_columns requires scores
    scores excludes level, grades, judged_only, max_retrieved, collection_size, ties, ignore_identical_ids, duplicates
    scores excludes min_retrieved, infap_c, infap_epsilon, sample_rate, compat, rel_format, results_format
    scores excludes page, depth, documents
"""
"""The rules of every command that has these parameters."""

STRATEGIES = "hedge maxmean maxmean-ns thompson thompson-ns mtc cal bounds random sampled"

VALUES: dict[str, Any] = {
    "human_labels": "complete",
    "columns": "p",
    "score_columns": "runs",
    "compat": "9",
    "duplicates": "first",
    "grades": "real",
    "ties": "rank",
    "alpha": 0.5,
    "correction": "none",
    "figure": "x.png",
    "holdout": 0.5,
    "interval": "bca",
    "labels.draw": "judges",
    "label_values": {"x": 1},
    "labels_format": "beir",
    "leave-out.complete": "nonrelevant",
    "leave-out.draw": "holes",
    "draw": "topics",
    "machines": {"x": RUNS[0]},
    "margin": 0.1,
    "rbo": 0.9,
    "min_retrieved": 0.5,
    "order": "mtf",
    "rel_format": "beir",
    "results_format": "json",
    "rounding": "half-up",
    "sample_rate": 0.5,
    "sample_format": "prels",
    "scheme": "mtf",
    "stratified": 0.1,
    "strata": "runs 1+:1",
    "test": "permutation",
    "uniform": 0.1,
    "unjudged": "nonrel",
    "weight": 0.5,
    "written": "vote=x",
    "classifier": "kld",
    "class_weight": "none",
    "kld_threshold": "last",
    "human_topics": 4,
    "plan": 4,
}
"""Values of parameters in rules without a value; default: True for flags, 2 for numbers, else "x"."""

NEEDED: dict[str, dict[str, Any]] = {
    "bounds groups excludes": {"new_runs": "x", "fit_probabilities": True},
    "bounds new_runs excludes": {"fit_probabilities": True},
    "compare draw excludes": {"figure": "x.png"},
    "labels machine_columns excludes": {"human_column": "x"},
    "complete class_weight requires": {"documents": "x", "classifier": "kld"},
    "complete calibrated excludes": {"mark": "x"},
    "degrade order excludes": {"budget": 2},
    "degrade strata_file excludes": {"budget": 2},
    "degrade rates excludes": {"strata_file": "x"},
    "estimate human_column excludes": {"machine_column": "x"},
    "estimate pool_out excludes": {"design": 2},
    "estimate rates excludes": {"design": 2},
    "study pairs requires": {"scheme": "depth"},
    "study topic_rates requires": {"scheme": "depth"},
    "study pairs excludes": {"resamples": 2},
    "study groups excludes": {"scheme": "mtf"},
    "study group_by excludes": {"scheme": "mtf"},
}
"""What a call needs so that one rule alone is violated."""


def rules() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield each rule: command, parameter, ``requires`` or ``excludes``, and the other parameters."""
    yield from rules_in(RULES)
    for command in COMMANDS:
        parameters = declared_parameters(command)
        for rule in rules_in(f"{command}\n{COMMON}"):
            (name, _, value), others = rule[1].partition("="), rule[3]
            if {name, *others} <= parameters.keys() and (not value or has_choice(parameters[name], value)):
                yield rule


def rules_in(text: str) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield the rules in a text."""
    command = ""
    for line in filter(None, text.splitlines()):
        if not line.startswith(" "):
            command = line
            continue
        kind = "requires" if " requires " in line else "excludes"
        parameters, _, others = line.strip().partition(f" {kind} ")
        named = tuple(other for other in others.split(", ") if other != "...")
        if others.endswith("..."):
            named += tuple(f"scheme={name}" for name in STRATEGIES.split())
        for parameter in parameters.split(", "):
            yield from (
                [(command, parameter, kind, named)]
                if kind == "requires"
                else ((command, parameter, kind, (other,)) for other in named)
            )


def test_missing_arguments() -> None:
    """The message about a missing argument names the help, and what the argument contains if that is declared."""
    assert refusal("agree", "x.eval") == (
        "irevalx-lab: missing argument Y, the evaluation that is compared with X (see irevalx-lab agree -h)\n"
    )
    assert refusal("pool") == "irevalx-lab: missing argument RUN (see irevalx-lab pool -h)\n"


def test_every_rule_is_listed() -> None:
    """RULES has the declared rules, so that a rule changes in the code and here."""
    declared = set()
    for command in COMMANDS:
        for parameter in declared_parameters(command).values():
            for kind in ("requires", "excludes"):
                rule = getattr(parameter, kind)
                for value, others in (rule if isinstance(rule, dict) else {"": rule}).items():
                    this = f"{parameter.name}={value}" if value else parameter.name
                    names = (others,) if isinstance(others, str) else tuple(others)
                    groups = [names] if kind == "requires" else [(name,) for name in names]
                    declared |= {(command, this, kind, group) for group in groups if group}
    assert declared == set(rules())


def keywords_of(command: str, rule: str) -> dict[str, Any]:
    """Return a parameter of a rule with a value."""
    name, _, value = rule.partition("=")
    parameter = declared_parameters(command)[name]
    is_number = parameter.kind is not None and parameter.kind.rule.startswith(("an integer", "a 64-bit", "a number"))
    default = True if parameter.is_flag else 2 if is_number else "x"
    return {name: value or VALUES.get(f"{command}.{name}", VALUES.get(name, default))}


@pytest.mark.parametrize(("command", "this", "kind", "others"), [*rules()])
def test_rules(command: str, this: str, kind: str, others: tuple[str, ...], tmp_path: Path) -> None:
    """The message names the parameter and what it requires or excludes."""
    keywords = {**keywords_of(command, this), **NEEDED.get(f"{command} {this} {kind}", {})}
    if kind == "excludes":
        keywords |= keywords_of(command, others[0])
    if "runs" not in others and command not in {"degrade", "draw"}:
        keywords["runs"] = RUNS
    verb = "requires" if kind == "requires" else "cannot be combined with"
    known = declaration_of(function_of(command)).parameters
    name = this.partition("=")[0]
    is_shared = name in known and getattr(known[name], kind) == getattr(declared_parameters(command)[name], kind)
    in_python = known.keys() >= keywords.keys() and any(other.partition("=")[0] in known for other in others)
    in_python = in_python and is_shared  # a command can have more values of a parameter than its function
    in_shell = this != "machine" and parameters_of(function_of(command)).keys() >= keywords.keys()
    assert in_python or in_shell  # in the shell a second machine is a run
    if in_python:
        rule = " ".join((spelled_rule(this), verb, spelled_rule(others[0])))
        assert refused_in_python(command, dict(keywords)).startswith(rule)
    if in_shell:
        with typed_in_shell(declared_parameters(command)):
            rule = " ".join((spelled_rule(this), verb, spelled_rule(others[0])))
        required = {parameter.name for parameter in described(command).params if parameter.required}
        if others == ("runs",) and "runs" in required:
            rule = "missing argument RUN"
        assert refused_in_shell(command, keywords, tmp_path).startswith(f"irevalx-lab: {rule}")


LIMITS = """
agree      rbo=0,1.01,nan           a number above 0 and at most 1
agree      top=1                    an integer of at least 2
agree      resamples=-1,10000001    an integer of at least 0 and at most 10000000
bounds     max_grade=-1             an integer of at least 0
bounds     per_topic=0              an integer of at least 1
bounds     in_all=0                 an integer of at least 1
bounds     n_next=0                 an integer of at least 1
bounds     draws=0,10000001         an integer of at least 1 and at most 10000000
compare    test=z                   t, wilcoxon or permutation
compare    by=3                     pair
compare    alpha=0,1,nan            a number above 0 and below 1
compare    resamples=0,10000001     an integer of at least 1 and at most 10000000
compare    correction=x             holm, hommel, bonferroni, benjamini-hochberg, none, bh or tukey
compare    interval=x               bca or t
gate       margin=-1                a number of at least 0, or a percentage of the baseline's mean such as 1%, for all measures or by measure (ndcg=0.01)
compare    level=x                  a 64-bit integer, or a finite number if grades are real
compare    threads=0                an integer of at least 1
compare    digits=-1,101            an integer of at least 0 and at most 100
complete   classifier=x             svm or kld
complete   class_weight=x           balanced or none
complete   kld_threshold=x          next, middle or last
complete   depth=0                  an integer of at least 1
complete   holdout=0,1              a share above 0 and below 1, such as 0.5 or 50%
degrade    uniform=0,2              a share above 0 and at most 1, such as 0.1 or 10%
degrade    stratified=0,2           a share above 0 and at most 1, such as 0.1 or 10%
degrade    budget=-1,5.5            a number of documents, or a share such as 0.1 or 10%
degrade    batch=0                  an integer of at least 1
degrade    depth=0                  an integer of at least 1
degrade    order=x                  depth, borda, rrf, mtf, hedge, maxmean, maxmean-ns, thompson, thompson-ns, mtc, cal
degrade    rounding=down            up, half-up or half-down
describe   show=1                   judgments, runs, ranks, groups or all
describe   cutoffs=0,x,-1              an integer of at least 1
describe   ranks=0                  an integer of at least 1
describe   depth=0                  an integer of at least 1
describe   grades=probability       whole or real
describe   level=x                  a 64-bit integer, or a finite number if grades are real
draw       axis=even                log or linear
draw       against=x                AP or itself
estimate   weight=-1,2              a number of at least 0 and at most 1
estimate   correction=tukey         holm, hommel, bonferroni
estimate   human_labels=x           random or complete
estimate   plan=3                   an integer of at least 4
estimate   design=0                 an integer of at least 1
estimate   alpha=0,1                a number above 0 and below 1
labels     top=1                    an integer of at least 2
labels     human_topics=3           an integer of at least 4
labels     resamples=-1             an integer of at least 0 and at most 10000000
labels     alpha=0,1                a number above 0 and below 1
labels     labels_max=0,-1         a number above 0
labels     labels_format=pairs      GRADED
labels     label_values=1,pass=x,=1          WORD=GRADE, a word and its grade (pass=1)
leave-out  complete=x               svm, kld, svm-expected, kld-expected, labels or nonrelevant
leave-out  depth=0                  an integer of at least 1
leave-out  holes=0                  an integer of at least 1
leave-out  tolerance=-1             a number of at least 0
leave-out  draws=0                  an integer of at least 1 and at most 10000000
leave-out  min_retrieved=1.5        a share above 0 and at most 1, such as 0.1 or 10%
leave-out  fully_judged=0           an integer of at least 1
leave-out  labels_format=prefs      GRADED
leave-out  threads=0                an integer of at least 1
next       per_topic=0              an integer of at least 1
next       in_all=0                 an integer of at least 1
next       total=0                  an integer of at least 1
next       order=x                  depth, borda, rrf, mtf, hedge, maxmean, maxmean-ns, thompson, thompson-ns, mtc, cal
pool       depth=0                  an integer of at least 1
pool       sizes=0,x                an integer of at least 1
power      topics=1,1073741825      an integer of at least 2 and at most 1073741824
power      differences=0,-1         a number above 0
power      widths=0,x               a number above 0
power      power=0,1                a number above 0 and below 1
power      correction=holm          none or bonferroni
power      comparisons=0            an integer of at least 1
report     rbo=0,1.01,nan           a number above 0 and at most 1
report     depth=0,1001             an integer of at least 1 and at most 1000
study      rounding=down            up, half-up or half-down
study      samples=0,10000001,99999999999999999999                an integer of at least 1 and at most 10000000
study      fully_judged=0           an integer of at least 1
study      pool_depth=0             an integer of at least 1
study      resamples=-1,100000000000             an integer of at least 0 and at most 10000000
study      threads=0                an integer of at least 1
swap-rate  sizes=0,x,1.5            an integer of at least 1
swap-rate  extrapolate=0,x                an integer of at least 1
swap-rate  draws=0,10000001         an integer of at least 1 and at most 10000000
swap-rate  bins=0,x,-1,1e-13        a number above 0 and at most 1000000, with at most 12 decimals, such as 0.01
"""
"""Values that a parameter refuses, and what it must be; GRADED stands for the formats with a grade per document."""


def limits() -> Iterator[tuple[str, str, str, str]]:
    """Yield each value of LIMITS: command, parameter, value, and rule."""
    for line in LIMITS.strip().splitlines():
        command, values, rule = line.split(maxsplit=2)
        name, _, texts = values.partition("=")
        for text in texts.split(","):
            yield command, name, text, rule.replace("GRADED", join_words(GRADED, "or"))


@pytest.mark.parametrize(("command", "name", "text", "rule"), [*limits()])
def test_limits(command: str, name: str, text: str, rule: str, tmp_path: Path) -> None:
    """The message names the parameter and what it must be."""
    try:
        value: object = float(text) if not text.lstrip("-").isdigit() else int(text)
    except ValueError:
        value = text
    keywords = {} if command in {"degrade", "draw"} else {"runs": RUNS}
    if name in declaration_of(function_of(command)).parameters:
        message = refused_in_python(command, {**keywords, name: value})
        assert message.startswith(f"{name} must be {rule}")
    if name in parameters_of(function_of(command)):
        message = refused_in_shell(command, {**keywords, name: text}, tmp_path)
        typed = declared_parameters(command)[name].option
        assert re.match(rf"irevalx-lab: {typed} '?{re.escape(text)}'?: must be {re.escape(rule)}", message)


WRONG = [None, 0, -0.5, 10**400, object(), b"x", [object()], {1: 2}, float("nan")]


def refuses(parameter: Parameter, value: object) -> bool:
    """Return whether a parameter refuses a value."""
    try:
        parameter.checked(value)
    except ArgumentError:
        return True
    return False


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_types(command: str, value: object) -> None:
    """A value of a wrong type is an error that names the parameter."""
    keywords = {} if command in {"degrade", "draw"} else {"runs": RUNS}
    for name, parameter in declaration_of(function_of(command)).parameters.items():
        if refuses(parameter, value):
            assert refused_in_python(command, {**keywords, name: value}).startswith(f"{name} must ")
