"""``python -m kings_client``."""

import sys

from kings_client.main import main

sys.exit(main())
