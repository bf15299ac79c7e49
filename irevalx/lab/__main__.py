"""``python -m irevalx.lab`` runs the command ``irevalx-lab``."""

import sys

from irevalx.process.startup import OUT_OF_MEMORY, end_on_interrupt, shortage


def run() -> None:
    """Run the command."""
    end_on_interrupt()  # in case another program calls this function
    import gc

    gc.disable()  # until the command begins, because imported modules are not garbage
    try:
        from irevalx.lab.command.program import main
        from irevalx.process.terminal import silence_warnings

        silence_warnings()
        status = main()
    except (MemoryError, ImportError, OSError) as error:  # raised while modules are loaded
        sys.stderr.write(f"irevalx-lab: {shortage(error)}\n")
        status = OUT_OF_MEMORY
    sys.exit(status)


if __name__ == "__main__":
    run()
