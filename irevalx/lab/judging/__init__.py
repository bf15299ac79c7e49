"""Incomplete judgments, pools of runs, and which documents to judge next.

degrade       degrade() and its command
pool          pool(), pool_sizes() and their command
next          next() and its command
strategies    judging strategies with the runs and texts that they need
"""
