# SPDX-License-Identifier: Apache-2.0
"""A reader of the documents, who types what they say."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Tutorials"))
from terminal import Broken, Terminal  # noqa: E402
from world import FOLDER, PASSWORD  # noqa: E402

# What is asked, and what is typed then.
PASSWORDS = [(rb"[Pp]assword[^\n]*: ?$", PASSWORD)]
PASSPHRASES = [(rb"[Pp]assphrase[^\n]*: ?$", "a passphrase of this reader")]
YES = [(rb"\[y/N\] ?$", "y")]


def write(path, text, mode=0o644):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


class Reader:
    """Types commands, and remembers which of the documents' commands those were."""

    def __init__(self, world, known):
        self.world, self.known = world, known
        self.typed, self.terminals = set(), []
        self.directory = world.work

    def type(self, command, *, replacing=(), answers=(), prints=None, until=None):
        """Types a command of the documents, with placeholders replaced by what they stand for.

        `answers` are as for a terminal; `prints` is an expression for what is printed; with `until` the command goes on when it
        printed that, and its terminal is returned.
        """
        if command not in self.known:
            sys.exit(f"commands: no document has this command any more:\n  {command}")
        self.typed.add(command)
        for placeholder, value in replacing:
            if placeholder not in command:
                sys.exit(f"commands: {placeholder!r} is not in: {command}")
            command = command.replace(placeholder, value)
        return self.run(command, answers=answers, prints=prints, until=until)

    def run(self, command, *, answers=(), prints=None, until=None):
        """Types a command that prepares one of a document; returns what it printed."""
        terminal = Terminal(command, self.directory, self.world.environment)
        try:
            status = terminal.read(lambda output: until and re.search(until.encode(), output), answers)
        except Broken as problem:
            self.fail(command, str(problem))
        if status is None:
            self.terminals.append(terminal)
        else:
            terminal.close()
            if until or status != 0:
                self.fail(command, f"exit code {status}:\n{terminal.text}")
        if prints and not re.search(prints, terminal.text):
            self.fail(command, f"it does not print {prints!r}:\n{terminal.text}")
        return terminal.text if status is not None else terminal

    def stop(self, terminal):
        self.terminals.remove(terminal)
        terminal.close()

    def fail(self, command, problem):
        for terminal in self.terminals:
            print(f"--- a terminal:\n{terminal.text[-2000:]}")
        for log in (FOLDER / "browser.log", Path("/var/log/nginx/error.log")):
            if log.exists():
                print(f"--- {log}:\n{log.read_text()[-2000:]}")
        sys.exit(f"commands: {', '.join(sorted(set(self.known.get(command, []))))}: {command}\n{problem}")
