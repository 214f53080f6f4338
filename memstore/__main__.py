"""``python -m memstore``."""

from __future__ import annotations

from memstore.cli.app import main

main()
