"""Incomplete judgments, pools of runs, and selection of the next documents to judge.

degrade       degrade() and its command
pool          pool(), pool_sizes() and their command
next          next() and its command
strategies    judging strategies with the runs and texts that they need
"""
