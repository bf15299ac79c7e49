"""The process and its surroundings: workers, Ctrl-C, terminal, messages, progress, exit status, memory, numpy's start.

``system`` has what systems do not share, such as a fork. ``terminal`` is the only module that prints: ``cli`` and
``lab`` call it, and rooms below them return what is to be said.
"""
