"""``python -m kings_server``."""

import sys

from kings_server.main import main

sys.exit(main())
