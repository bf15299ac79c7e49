"""The process and its environment.

In this package, only ``terminal`` prints. Packages below ``cli`` and ``lab`` return their messages.

    startup     before other modules load: Ctrl-C, lack of memory, numpy's threads
    terminal    standard output and error, messages, exit status
    workers     work shared among processes
    progress    the progress line of long calls
    platform    differences between operating systems
    memory      memory of large arrays
"""
