"""Generate what follows from the code.

python docs/generate            write the pages in man/ and the tables
python docs/generate --check    end with status 1 if they are not up to date
"""

import sys

from manual import main

sys.exit(main(sys.argv[1:]))
