#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests, and ends a run in which nothing happens any more.

    scripts/check/stalled_tests.py [--seconds 900] COMMAND [ARGUMENTS]

Passes on what the command prints. If it prints nothing for that many seconds, a test waits for something that will not
come: the program names the tests that began and did not end, prints the processes, what they left behind, and the stacks
of their threads, and kills the processes. Its exit code is that of the command, or 124.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import sys

# On a machine that is busy with other work, a run that goes on has printed nothing for more than half a minute.
SECONDS = 900
STALLED = 124
# Lines of one argument ("Test case passing") and of the whole run are left out: each test has lines of its own.
BEGAN = re.compile(r"^◇ Test (?!case passing|run )(.+) started\.$")
ENDED = re.compile(r"^. Test (?!case passing|run )(.+?)(?: with \d+ test cases?)? (?:passed|failed) after [\d.]+ seconds")


class Running:
    """The tests that began and have not ended. Tests of one name are counted: each of them has to end."""

    def __init__(self):
        self._count = {}

    def read(self, line):
        if began := BEGAN.match(line):
            self._count[began[1]] = self._count.get(began[1], 0) + 1
        elif " recorded an issue" not in line and (ended := ENDED.match(line)):
            self._count[ended[1]] = self._count.get(ended[1], 0) - 1

    def names(self):
        return sorted(name for name, count in self._count.items() if count > 0)


def processes():
    return filter(str.isdigit, os.listdir("/proc"))


def descendants(root):
    """The processes that a process started, and those that these started, itself first."""
    children = {}
    for entry in processes():
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                parent = int(stat.read().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(entry))
    found = [root]
    for process in found:
        found += sorted(children.get(process, []))
    return found


def pipes(process, descriptors=None):
    """The pipes behind all descriptors of a process, or behind some."""
    found = set()
    try:
        names = descriptors or os.listdir(f"/proc/{process}/fd")
    except OSError:
        return found
    for name in names:
        try:
            found.add(os.readlink(f"/proc/{process}/fd/{name}"))
        except OSError:
            continue
    return {target for target in found if target.startswith("pipe:")}


def left_behind(root):
    """Processes that no longer belong to the tests and have their output in a pipe of theirs: its end never comes."""
    own = descendants(root)
    theirs = set().union(*(pipes(process) for process in own))
    others = set(map(int, processes())) - set(own)
    return [process for process in sorted(others) if pipes(process, ("1", "2")) & theirs]


def describe(process):
    """A line for each thread of a process: what it runs, in which state, where in the kernel it waits."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            command = file.read().replace(b"\0", b" ").decode(errors="replace")[:150]
        threads = sorted(os.listdir(f"/proc/{process}/task"), key=int)
    except OSError:
        return []
    lines = [f"{process} {command}"]
    for thread in threads:
        try:
            with open(f"/proc/{process}/task/{thread}/wchan", encoding="utf-8") as file:
                lines.append(f"    thread {thread} waits in {file.read() or '?'}")
        except OSError:
            continue
    return lines


def stacks(process):
    """Where each thread of the process of the tests is, if a debugger is there and may look."""
    debugger = shutil.which("lldb")
    if debugger is None:
        return "no lldb: no stacks"
    command = [debugger, "--batch", "--no-lldbinit", "-p", str(process), "-o", "thread backtrace all"]
    try:
        found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=240)
    except subprocess.TimeoutExpired:
        return "lldb took too long: no stacks"
    return found.stdout[-200_000:]


def report(root, running, seconds):
    print(f"\n=== stalled: the tests printed nothing for {seconds} s; these began and did not end:", flush=True)
    for name in running.names():
        print(f"    {name}")
    print("=== their processes:")
    for process in descendants(root):
        print("\n".join(describe(process)))
    for process in left_behind(root):
        print("=== left behind, with its output in a pipe of these:", *describe(process), sep="\n")
    for process in descendants(root):
        command = " ".join(describe(process)[:1])
        if ".xctest" in command or "swiftpm-testing-helper" in command:
            print(f"=== threads of {process}:", stacks(process), sep="\n")
    sys.stdout.flush()


def kill(root):
    for process in reversed(descendants(root)):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue


def run(command, seconds):
    running = Running()
    rest = b""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        while True:
            readable, _, _ = select.select([child.stdout], [], [], seconds)
            if not readable:
                report(child.pid, running, seconds)
                kill(child.pid)
                return STALLED
            data = os.read(child.stdout.fileno(), 65536)
            if not data:
                return child.wait()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                running.read(line.decode(errors="replace").rstrip())


def main(arguments):
    seconds = SECONDS
    if arguments[:1] == ["--seconds"]:
        seconds = float(arguments[1])
        arguments = arguments[2:]
    return run(arguments, seconds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
