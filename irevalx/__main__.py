"""``python -m irevalx`` is the command ``irevalx``."""

import sys

from irevalx.cli import main

if __name__ == "__main__":
    sys.exit(main())
