"""Conversion of public functions with declared parameters to commands of irevalx-lab."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import click
from click.core import ParameterSource

from irevalx.api.inputs import read_runs
from irevalx.api.score_columns import AFTER_COLLECTION
from irevalx.api.scores import Scores
from irevalx.command_line.options import ShellNotation, click_parameter, in_shell_words, refuse_standard_input_twice
from irevalx.declarations import CommandText, Parameter, check_rules, collect, declaration_of
from irevalx.errors import ArgumentError, InputError, IrevalxWarning, UsageError, shown_name
from irevalx.evaluation.evaluate import Evaluation, renamed
from irevalx.experiments.inputs import measures_of
from irevalx.frozen import fields, replace
from irevalx.lab import PROGRAM
from irevalx.lab.command.added_options import FIGURE_OUTPUT, LINES_OUTPUT, RESULTS_FORMAT, SCORES_INPUT, TABLES_OUTPUT
from irevalx.lab.command.help import HelpCommand
from irevalx.lab.command.output import Output, paths_in
from irevalx.process.platform import as_text
from irevalx.process.progress import SHOW
from irevalx.process.terminal import Messages, is_terminal, show_progress
from irevalx.reading.collection_files import collections_of
from irevalx.reading.column_names import COLLECTION
from irevalx.reading.run_formats import TREC_RESULTS
from irevalx.wording import join_words, missing

_RUNS = ("runs", "new_runs")
"""The parameters that accept run files. The option ``-T`` selects the format of these files."""

_collect_once = cache(collect)  # ``collect`` removes the declarations from the annotations


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the parameters of the command that a declared function defines, by name."""
    command = declaration_of(function).command
    own = _collect_once(command.run).parameters if command.run else {}
    output = {**(FIGURE_OUTPUT if command.figure else {}), **(TABLES_OUTPUT if command.tables else LINES_OUTPUT)}
    output = {key: parameter for key, parameter in output.items() if key not in command.without}
    if command.default_output:
        form = output["format"]
        output["format"] = replace(form, help=f"{form.help} [default: {command.default_output}]")
    declared = declaration_of(function).parameters
    own = {name: _with_docstring(each, declared[name]) if name in declared else each for name, each in own.items()}
    parameters = {**declared, **own}
    if not parameters.keys().isdisjoint(_RUNS):
        parameters = {"results_format": RESULTS_FORMAT, **parameters}
    if command.scores:
        scores = SCORES_INPUT["scores"]
        if not command.score_files:
            parameters |= {"runs": replace(parameters["runs"], default=None), **SCORES_INPUT}
        parameters["score_columns"] = SCORES_INPUT["score_columns"]
        excluded = [
            *(name for name in scores.excludes if name in parameters),
            *(["complete", "runs"] if command.score_files else []),
        ]
        help_text = f"{scores.help} {command.scores}"
        parameters["scores"] = replace(scores, excludes=tuple(excluded), help=help_text)
    parameters |= output
    return {key: parameter for key, parameter in parameters.items() if parameter.in_shell}


_UNTIL_COLLECTION = 50_000
"""The number of new objects after which garbage is collected. Results have many rows, none of which is garbage."""


def _with_docstring(own: Parameter, declared: Parameter) -> Parameter:
    """Replace {docstring} in a parameter's help text by the description in the function's docstring."""
    text, bracket, default = declared.help.partition(" [default: ")
    extended = own.help.replace("{docstring}", text)
    return own if extended == own.help else replace(own, help=f"{extended}{bracket}{default}")


def command_from(function: Callable[..., Any]) -> click.Command:
    """Create the command that calls a declared function."""
    declaration = declaration_of(function)
    command, parameters = declaration.command, parameters_of(function)
    run = command.run

    def call(**values: Any) -> int | None:
        gc.enable()
        gc.set_threshold(_UNTIL_COLLECTION)
        context = click.get_current_context()
        messages = context.obj = Messages(PROGRAM, quiet=values["quiet"])
        is_shown = is_terminal() and not values["quiet"]
        SHOW.set(show_progress if is_shown else None)
        elapsed_time = show_progress.elapsed_time(f"{PROGRAM} {context.info_name}", enabled=is_shown)
        with _warnings_as_messages(messages), elapsed_time:
            try:
                arranged = command.arrange(values) if command.arrange else {}
                values |= arranged
                check_rules(parameters, values, {*_given(context, values), *arranged})
                refuse_standard_input_twice(*_files(parameters, values))
                out = Output(**{key: values.pop(key) for key in fields(Output) if key in values})
                if out.figure is not None:
                    import matplotlib as mpl  # noqa: F401 - a missing package is reported before the work
                if command.scores:
                    _read_scores(command, values, by_default="measures" not in _given(context, values))
                _read_runs(values, values.pop("results_format", TREC_RESULTS.name))
                if run is None:
                    out.write_result(function(**values))
                return None if run is None else run(out, **values)
            except ArgumentError as error:  # the arguments of the function are options of the command
                raise UsageError(error.message) from error

    made: Callable[..., Any] = call
    notation = ShellNotation.of(parameters)
    for parameter in reversed(parameters.values()):
        made = click_parameter(parameter, notation)(made)
    description = in_shell_words("\n\n".join(filter(None, (declaration.description, command.more))), notation)
    name, example = function.__name__.replace("_", "-"), f"Example: {command.example}"
    result = click.command(name, cls=HelpCommand, help=description, epilog=example)(made)
    result.parameters = parameters
    return result


def _given(context: click.Context, values: Mapping[str, Any]) -> Iterator[str]:
    for name in values:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            yield name


def _files(parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> Iterator[str | None]:
    for name, parameter in parameters.items():
        if parameter.completion == "file":
            yield from paths_in(values[name])


def _read_scores(command: CommandText, values: dict[str, Any], *, by_default: bool) -> None:
    """If requested, read score files instead of judgments and runs.

    ``by_default`` is true if measures are not requested. The scores of several collections are a dictionary.
    """
    are_scores, score_columns = values.pop("scores"), values.pop("score_columns")
    lower_is_better = values.pop("lower_is_better", ())
    if not are_scores:
        if not command.score_files and not values["runs"]:
            raise missing("runs", note=_score_file_hint(values["qrels"]))
        return
    if by_default:
        values["measures"] = ()
    from irevalx.api.score_files import evaluations_of_files

    requested = (*measures_of(values["measures"]), *filter(None, map(values.get, command.score_names)))

    def read(files: Any, **how: bool) -> list[Evaluation]:
        return evaluations_of_files(files, lower_is_better, score_columns, requested, **how)

    if command.score_files:
        values |= {name: Scores(read(values[name])) for name in command.score_files if values[name] is not None}
    else:
        evaluations = read([values["qrels"], *values["runs"]], by_collection=command.collections)
        values |= {"qrels": _by_collection(evaluations), "runs": None}


def _by_collection(evaluations: Sequence[Evaluation]) -> Scores | dict[str, Scores]:
    """Return the scores of runs.

    If the names of runs begin with the names of several collections, return the scores by collection.
    """
    collections: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        collection, _, run = evaluation.run.rpartition(AFTER_COLLECTION.encode())
        collections.setdefault(as_text(collection), []).append(renamed(evaluation, run))
    if "" in collections and len(collections) > 1:
        raise InputError(f"only some of the score files have a column {join_words(COLLECTION.names, 'or')}")
    scores = {name: Scores(of) for name, of in collections.items()}
    return scores if len(scores) > 1 else next(iter(scores.values()))


def _score_file_hint(path: str) -> str:
    """Return a hint if no runs are given and the file ``path`` is a score file. Return "" in all other cases."""
    from irevalx.reading.format_hints import looks_like_scores
    from irevalx.reading.sources.files import Source

    if not looks_like_scores(Source(path).beginning):
        return ""
    return f": {shown_name(path)} is the output of trec_eval or irevalx; read score files with --scores"


def _read_runs(values: dict[str, Any], form: str) -> None:
    """Read runs in the format ``form`` if it is not the default format."""
    if form == TREC_RESULTS.name:
        return
    if collections := collections_of(values.get("qrels"), values.get("runs") or ()):
        values["qrels"] = {each.name: each.qrels for each in collections}
        values["runs"] = {
            each.name: {run.name: run for run in read_runs(each.runs, form, strict=False)} for each in collections
        }
    for name in _RUNS:
        if values.get(name) and not collections:
            values[name] = read_runs(values[name], form, strict=False)


@contextmanager
def _warnings_as_messages(messages: Messages) -> Iterator[None]:
    """Print irevalx warnings as messages of the command, including repeated warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", IrevalxWarning)
        show = warnings.showwarning

        def print_warning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if isinstance(message, IrevalxWarning):
                messages.warn(str(message))
            else:
                show(message, category, *where, **more)

        warnings.showwarning = print_warning
        yield
