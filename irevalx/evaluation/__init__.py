"""Evaluation of one or more runs, used by the command, the Python interface, Spark and irevalx-lab.

evaluate         one run, many runs
columns          values under printed names, with summaries and intervals
short_runs       runs with few documents, evaluated without arrays
collections      one run over several collections
stacked_runs     many small runs in memory, evaluated as one run
topic_selection  selection of the evaluated topics; IDs that differ between judgments and runs
topic_values     values of topics, of one run or many, without summaries
run_warnings     warnings about evaluated runs
trace            tables of the assessed documents of each topic (``-D``)
"""
