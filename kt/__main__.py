"""`python -m kt`."""

from __future__ import annotations

from kt.cli import main
import sys
sys.exit(main())
