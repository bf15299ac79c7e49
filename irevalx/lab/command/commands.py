"""The commands of irevalx-lab, by name: what each does and where it is."""

from __future__ import annotations

from irevalx.frozen import Frozen


class Listed(Frozen, kw_only=True):
    """A command.

    Parameters
    ----------
    summary : what it does, in a sentence; its docstring begins with it too, as a list of commands imports none of them.
    module : below ``irevalx.lab``, whose ``command`` it is; imported when it is called.
    question : what people ask who need it, a heading in the list of commands.
    """

    summary: str
    module: str
    question: str


JUDGMENTS = "What is judged, and what to judge next"
LABELS = "Labels from elsewhere, such as a machine's"
COMPARING = "Comparing runs"
UNDERSTANDING = "What incomplete judgments do to measures"


COMMANDS = {
    "describe": Listed(
        summary="Describe judgments and runs.",
        module="description.command",
        question=JUDGMENTS,
    ),
    "pool": Listed(
        summary="Pool the first documents of runs.",
        module="judging.pool_command",
        question=JUDGMENTS,
    ),
    "next": Listed(
        summary="Choose the documents to judge next.",
        module="judging.next_command",
        question=JUDGMENTS,
    ),
    "complete": Listed(
        summary="Predict missing judgments from the text of the documents, or take them from a file of labels.",
        module="completion.command",
        question=JUDGMENTS,
    ),
    "bounds": Listed(
        summary="Find out whether unjudged documents could reverse a comparison, and which to judge next.",
        module="bounding.command",
        question=JUDGMENTS,
    ),
    "labels": Listed(
        summary="Measure how far labels from elsewhere, such as a machine's, agree with judgments.",
        module="labelling.command",
        question=LABELS,
    ),
    "estimate": Listed(
        summary="Estimate scores and differences from what people judged, and a machine's labels of the rest.",
        module="estimation.command",
        question=LABELS,
    ),
    "compare": Listed(
        summary="Test whether runs differ.",
        module="comparison.command",
        question=COMPARING,
    ),
    "report": Listed(
        summary="Make a page of an evaluation to look at.",
        module="page.command",
        question=COMPARING,
    ),
    "power": Listed(
        summary="Find out how many topics an experiment needs, and what differences it can find.",
        module="planning.command",
        question=COMPARING,
    ),
    "degrade": Listed(
        summary="Make judgments incomplete: keep a random sample of them, or those that an order of judging has first.",
        module="judging.degrade_command",
        question=UNDERSTANDING,
    ),
    "leave-out": Listed(
        summary="Judge each group of runs without the documents that only it has found.",
        module="leaving_out.command",
        question=UNDERSTANDING,
    ),
    "agree": Listed(
        summary="Measure how far two scorings of the same runs agree.",
        module="agreement.command",
        question=UNDERSTANDING,
    ),
    "swap-rate": Listed(
        summary="Count how often two sets of topics disagree on which of two runs is better.",
        module="swaps.command",
        question=UNDERSTANDING,
    ),
    "study": Listed(
        summary="Run a whole experiment: degrade, evaluate, compare, draw.",
        module="studies.study_command",
        question=UNDERSTANDING,
    ),
    "draw": Listed(
        summary="Draw several studies together.",
        module="studies.draw_command",
        question=UNDERSTANDING,
    ),
}
"""The commands by name, in the order of the help."""

PAPERS_BEHIND = (
    "ahlgren-gronqvist-2008",
    "bompada-2007",
    "buttcher-2007",
    "yilmaz-aslam-2006",
    "yilmaz-aslam-2008",
)
"""The papers whose experiments the commands make possible, by their keys in the bibliography."""

QUESTIONS = tuple(dict.fromkeys(listed.question for listed in COMMANDS.values()))
"""The headings of the list of commands."""
