"""``python -m irevalx.lab`` is the command ``irevalx-lab``."""

import sys

from irevalx.lab.program import main


def run() -> None:
    """Run the command."""
    sys.exit(main())


if __name__ == "__main__":
    run()
