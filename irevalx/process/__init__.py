"""The process: workers, Ctrl-C, terminal, messages, progress, exit status, memory, and the start of numpy.

``system`` contains the differences between operating systems. ``terminal`` is the only module that prints; ``cli`` and
``lab`` call it, and other packages return their messages.
"""
