"""The process and its environment.

``terminal`` is the only module that prints. Packages below ``cli`` and ``lab`` return their messages.

    startup   before other modules load: Ctrl-C, exhausted memory, the threads of NumPy
    terminal  standard output and error, messages, exit status
    workers   work shared among processes
    progress  the line that shows the progress of long calls
    platform  differences between operating systems
    memory    memory of large arrays
"""
