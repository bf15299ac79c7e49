"""The process and its surroundings: workers, Ctrl-C, the terminal, the exit status, progress and memory.

``terminal`` is the only module that prints. ``cli`` and ``lab`` call it; rooms below them return what is to be said.
"""
