"""`python -m kt`."""

from __future__ import annotations

import sys

from kt.cli import main

sys.exit(main())
