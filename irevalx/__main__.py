"""``python -m irevalx`` is the command ``irevalx``."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn


def run() -> NoReturn:
    """Run the command and leave at once: what Python would free object by object goes with the process."""
    gc.disable()  # a short life leaves nothing that is worth looking for, least of all among the modules it imports
    from irevalx.cli.command import main

    status = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
