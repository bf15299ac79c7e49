"""Generate what follows from the code: the manual pages, and the marked blocks of the pages.

python docs/generate            write what is not up to date
python docs/generate --check    write nothing; end with status 1 if something is not up to date
"""

import sys

from generate import main

sys.exit(main(sys.argv[1:]))
