"""The process and its surroundings: workers, Ctrl-C, terminal, messages, progress, exit status, memory, numpy's start.

``terminal`` is the only module that prints. ``cli`` and ``lab`` call it; rooms below them return what is to be said.
"""
