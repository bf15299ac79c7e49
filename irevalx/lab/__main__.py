"""``python -m irevalx.lab`` is the command ``irevalx-lab``."""

import os
import sys

try:
    from irevalx.process.interrupts import end_on_interrupt
except KeyboardInterrupt:
    os._exit(130)


def run() -> None:
    """Run the command."""
    end_on_interrupt()  # before all other modules load
    from irevalx.lab.program import main
    from irevalx.process.terminal import silence_warnings

    silence_warnings()
    sys.exit(main())


if __name__ == "__main__":
    run()
