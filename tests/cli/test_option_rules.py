"""Options that need others, or exclude them: one declaration, checked in every combination."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner
from running import described

from irevalx.cli.command import command as evaluator
from irevalx.cli.option_rules import ConstrainedOption, check_rules, option
from irevalx.errors import UsageError
from irevalx.lab import COMMANDS


@click.command("try")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@option("--figure", metavar="FILE")
@option("--power", is_flag=True)
@option("--by", type=click.Choice(["pair", "run"]), default="pair", excludes={"run": "--power"})
@option("--draw", requires="--figure", excludes=("--power", "--by run"))
@option("--groups", "group_file", requires="RUN")
@option("--digits", type=int, requires=("--by pair", "--power"))
@option("--scheme", "schemes", multiple=True, requires={"strata": "--strata"})
@option("--strata", requires="--scheme strata")
@option("--own-pool", is_flag=True, requires=("--format depth", "--format mixed", "--format a"))
@option("--format", default="uniform")
@click.pass_context
def command(ctx: click.Context, /, **values: object) -> None:
    """Check the rules."""
    check_rules(ctx)


def refusal(*args: str) -> str:
    """Return what is said of these arguments; nothing where they may be given together."""
    result = CliRunner().invoke(command, args)
    assert result.exception is None or isinstance(result.exception, UsageError), result.output
    return result.exception.message if result.exception else ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("", ""),
        ("--figure f --draw d", ""),
        ("--draw d", "--draw must be given together with --figure"),
        ("--draw d --figure f --power", "--draw and --power must not be given together"),
        ("--draw d --figure f --by run", "--draw and --by run must not be given together"),
        ("--draw d --figure f --by pair", ""),
        ("--power --by run", "--by run and --power must not be given together"),
        ("--power --by pair", ""),
        ("--groups g", "--groups must be given together with RUN"),
        ("--groups g run", ""),
        ("--digits 0", ""),
        ("--digits 0 --by run", "--digits must be given together with --by pair or --power"),
        ("--scheme strata", "--scheme strata must be given together with --strata"),
        ("--strata s", "--strata must be given together with --scheme strata"),
        ("--strata s --scheme uniform", "--strata must be given together with --scheme strata"),
        ("--strata s --scheme uniform --scheme strata", ""),
        ("--own-pool", "--own-pool must be given together with --format depth, mixed or a, but got --format uniform"),
        ("--own-pool --format mixed", ""),
    ],
)
def test_rules(args: str, message: str) -> None:
    """A rule holds with the option, and with the value of it that it is about; a value may be there by default."""
    assert refusal(*args.split()) == message


def test_names_that_no_parameter_has() -> None:
    """A rule about a parameter that the command lacks is a mistake of whoever declared it."""

    @click.command("lacking")
    @option("--draw", requires="--figure")
    @click.pass_context
    def lacking(ctx: click.Context, /, **values: object) -> None:
        check_rules(ctx)

    result = CliRunner().invoke(lacking, ["--draw", "d"])
    assert isinstance(result.exception, LookupError)
    assert "lacks --figure" in str(result.exception)


@pytest.mark.parametrize("declared", [evaluator, *map(described, COMMANDS)], ids=lambda one: one.name)
def test_rules_name_what_is_there(declared: click.Command) -> None:
    """Rules are about parameters of their command, and about values that these can have."""
    there = {name: param for param in declared.params for name in param.opts}
    there |= {
        (param.metavar or "").strip("[]."): param for param in declared.params if isinstance(param, click.Argument)
    }
    for ruled in declared.params:
        if not isinstance(ruled, ConstrainedOption):
            continue
        for rules in (ruled.requires, ruled.excludes):
            for value, others in rules.items():
                for name in [f"{ruled.opts[0]} {value}".rstrip(), *others]:
                    first, _, value_of_other = name.partition(" ")
                    param = there[first]
                    if value_of_other and isinstance(param.type, click.Choice):
                        assert value_of_other in param.type.choices
