"""``python -m irevalx`` runs the command ``irevalx``."""

import os
import sys

from irevalx.process.startup import OUT_OF_MEMORY, end_on_interrupt, shortage


def run() -> None:
    """Run the command, and end the process without freeing each object, which would take time."""
    end_on_interrupt()  # if another program calls this
    import gc
    from contextlib import suppress

    gc.disable()  # the process is too short-lived for garbage collection
    try:
        from irevalx.cli.command import main
        from irevalx.process.terminal import silence_warnings

        silence_warnings()
        status = main()
    except (MemoryError, ImportError, OSError) as error:  # while modules are loaded
        sys.stderr.write(f"irevalx: {shortage(error)}\n")
        status = OUT_OF_MEMORY
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
