"""`python -m eqsat` runs the command line where its script is not on the path."""

import sys

from eqsat.cli import main

sys.exit(main())
