"""Generate what follows from the code: the manual pages, and the marked blocks of the pages.

python docs/generate            write what is not up to date
python docs/generate --check    write nothing; end with status 1 if something is not up to date
"""

import sys

from generate import main

from irevalx.cli.command import OPTIONS
from irevalx.declarations import typed_in_shell

with typed_in_shell(OPTIONS):
    sys.exit(main(sys.argv[1:]))
