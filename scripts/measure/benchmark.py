# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of the server share: the programs, and the tables."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / ".build/bench"
PROGRAM, GENERATOR = ROOT / ".build/program/release/keybound", ROOT / ".build/release/bench"


def build():
    for product in ("bench", "keybound"):
        subprocess.run([ROOT / "scripts/release", product], check=True, stdout=sys.stderr)
    BUILT.mkdir(parents=True, exist_ok=True)


def table(head, lines, is_markdown):
    if is_markdown:
        return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])
    widths = [max(len(line[column]) for line in [head, *lines]) for column in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in [head, *lines])
