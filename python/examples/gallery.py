"""What all examples share: ``python NAME.py [--quick] [--out NAME.png]`` draws one picture."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

INK, GOOD, BAD, PALE = "#222222", "#1b6ca8", "#d1495b", "#b8c4ce"


def run(draw: Callable[[bool], Any]) -> None:
    """Calls ``draw(quick)``, which returns a figure, and saves that."""
    script = Path(sys.argv[0])
    parser = argparse.ArgumentParser(description=(draw.__doc__ or "").strip())
    parser.add_argument("--quick", action="store_true", help="less data, for tests")
    parser.add_argument("--out", default=script.with_suffix(".png").name, help="the picture")
    args = parser.parse_args()
    figure = draw(args.quick)
    figure.savefig(args.out, dpi=110, bbox_inches="tight")
    print(f"picture: {args.out}")
