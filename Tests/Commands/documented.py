# SPDX-License-Identifier: Apache-2.0
"""The commands of the documents: every line of a block of shell commands."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = ["*.md", "docs/**/*.md", "Sources/**/*.docc/*.md", "Examples/**/*.md"]
FENCE = re.compile(
    r"(?P<comments>(?:^[ ]*<!--(?:(?!-->).)*-->[ ]*\n)*)(?P<indent>[ ]*)```(?P<language>\w*)\n(?P<code>.*?)^[ ]*```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
SHELL = ("sh", "console")
# In a block of another language, or of none, a line is a command if it begins like this.
BEGINNING = re.compile(r"^(?:\$ )?(?:sudo )?(?:keybound|make|scripts/|swift|curl) ")
# The first block of each command in docs/cli.md is its grammar.
GRAMMAR = re.compile(r"^keybound [a-z- ]+\[OPTIONS\]")


def commands(code, language):
    """The commands of a block, each in one line, without comments."""
    joined = re.sub(r"\|\n", "| ", re.sub(r"\\\n", " ", code))
    for line in joined.split("\n"):
        line = re.sub(r"\s+", " ", re.sub(r"\s+# .*$", "", line.strip()))
        if not line or line.startswith("#") or GRAMMAR.match(line):
            continue
        if language == "console" and not line.startswith("$ "):
            continue
        if language in SHELL or BEGINNING.match(line):
            yield line.removeprefix("$ ")


def documented():
    """Each command of the documents that no tutorial runs, with the pages that have it."""
    found = {}
    for path in sorted({path for pattern in DOCUMENTS for path in ROOT.glob(pattern)}):
        page = str(path.relative_to(ROOT))
        if page == "CHANGELOG.md" or ".build" in path.parts:
            continue
        for match in FENCE.finditer(path.read_text(encoding="utf-8")):
            if "tutorial:" in match["comments"] and "tutorial: not run" not in match["comments"]:
                continue
            for command in commands(match["code"], match["language"]):
                found.setdefault(command, []).append(page)
    return found


def block(page, beginning):
    """The contents of the block of a page that begins with these words."""
    found = [match["code"] for match in FENCE.finditer((ROOT / page).read_text(encoding="utf-8")) if match["code"].startswith(beginning)]
    if len(found) != 1:
        sys.exit(f"commands: {page} has {len(found)} blocks that begin with {beginning!r}")
    return found[0]
