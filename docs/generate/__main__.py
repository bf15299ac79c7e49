"""Generate the manual pages, and the marked blocks of the documentation, from the code.

python docs/generate            write the files that are out of date
python docs/generate --check    write nothing, but end with status 1 if a file is out of date
"""

import sys

from generate import main

sys.exit(main(sys.argv[1:]))
