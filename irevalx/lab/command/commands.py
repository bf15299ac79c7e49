"""The commands of irevalx-lab, by name: what each does and where it is."""

from __future__ import annotations

from irevalx.frozen import Frozen


class Listed(Frozen, kw_only=True):
    """A command.

    Parameters
    ----------
    summary : what it does, in a sentence; its docstring begins with it too, as a list of commands imports none of them.
    module : below ``irevalx.lab``, whose ``command`` it is; imported when it is called.
    """

    summary: str
    module: str


COMMANDS = {
    "describe": Listed(
        summary="Describe judgments and runs.",
        module="description.command",
    ),
    "degrade": Listed(
        summary="Make judgments incomplete: keep a random sample of them, or those that an order of judging has first.",
        module="judging.degrade_command",
    ),
    "pool": Listed(
        summary="Pool the first documents of runs.",
        module="judging.pool_command",
    ),
    "next": Listed(
        summary="Choose the documents to judge next.",
        module="judging.next_command",
    ),
    "leave-out": Listed(
        summary="Judge each group of runs without the documents that only it has found.",
        module="leaving_out.command",
    ),
    "complete": Listed(
        summary="Predict missing judgments from the text of the documents, or take them from a file of labels.",
        module="completion.command",
    ),
    "labels": Listed(
        summary="Measure how far labels from elsewhere, such as a machine's, agree with judgments.",
        module="labelling.command",
    ),
    "agree": Listed(
        summary="Measure how far two scorings of the same runs agree.",
        module="agreement.command",
    ),
    "estimate": Listed(
        summary="Estimate scores and differences from what people judged, and a machine's labels of the rest.",
        module="estimation.command",
    ),
    "bounds": Listed(
        summary="Find out whether unjudged documents could reverse a comparison, and which to judge next.",
        module="bounding.command",
    ),
    "compare": Listed(
        summary="Test whether runs differ.",
        module="comparison.command",
    ),
    "report": Listed(
        summary="Make a page of an evaluation to look at.",
        module="page.command",
    ),
    "power": Listed(
        summary="Find out how many topics an experiment needs, and what differences it can find.",
        module="planning.command",
    ),
    "swap-rate": Listed(
        summary="Count how often two sets of topics disagree on which of two runs is better.",
        module="swaps.command",
    ),
    "study": Listed(
        summary="Run a whole experiment: degrade, evaluate, compare, draw.",
        module="studies.study_command",
    ),
    "draw": Listed(
        summary="Draw several studies together.",
        module="studies.draw_command",
    ),
}
"""The commands by name, in the order of the help."""
