"""Orders of judging: which document to judge next, given what has been judged so far; replayed on judgments; no click.

Takes the first documents of runs and answers about them; gives documents in the order in which each of ``ORDERS`` asks
for them. For the topics of the lab.
"""
