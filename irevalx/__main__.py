"""``python -m irevalx`` is the command ``irevalx``."""

import os
import sys

try:
    from irevalx.process.interrupts import end_on_interrupt
except KeyboardInterrupt:
    os._exit(130)


def run() -> None:
    """Run the command and leave at once: what Python would free object by object goes with the process."""
    end_on_interrupt()  # before all other modules load
    import gc
    from contextlib import suppress

    gc.disable()  # a short life leaves nothing that is worth looking for, least of all among the modules it imports
    from irevalx.cli.command import main
    from irevalx.process.terminal import silence_warnings

    silence_warnings()
    status = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
