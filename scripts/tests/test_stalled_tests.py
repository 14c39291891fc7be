# SPDX-License-Identifier: Apache-2.0
"""Tests the end of a test run in which nothing happens, with programs that print what the test runner prints."""

import contextlib
import io
import os
import signal
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "check"))
import stalled_tests  # noqa: E402
from stalled_tests import Running  # noqa: E402


class Output(io.StringIO):
    """A standard output whose octets and text arrive in one place."""

    @property
    def buffer(self):
        return self

    def write(self, text):
        return super().write(text.decode() if isinstance(text, bytes) else text)


def run(program, seconds):
    """The exit code and the output of a shell program under the watch."""
    output = Output()
    with contextlib.redirect_stdout(output):
        status = stalled_tests.run(["bash", "-c", program], seconds)
    return status, output.getvalue()


def ends(process):
    """Whether a process that was killed has ended within a minute; nobody may have waited for it yet."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if not Path(f"/proc/{process}/cmdline").read_bytes():
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


class StalledTests(unittest.TestCase):
    def test_what_the_command_prints_and_its_exit_code_are_passed_on(self):
        self.assertEqual(run("echo one; echo two >&2; exit 3", 60), (3, "one\ntwo\n"))

    def test_a_run_that_prints_nothing_is_ended_with_the_names_of_its_tests(self):
        program = '''
            echo '◇ Test "ends" started.'
            echo '◇ Test "waits for nothing" started.'
            echo '◇ Test case passing 1 argument x → 1 to "ends" started.'
            echo '✔ Test "ends" with 2 test cases passed after 0.1 seconds.'
            sleep 987 & echo "child $!"
            wait
        '''
        started = time.monotonic()
        status, output = run(program, 3)
        self.assertLess(time.monotonic() - started, 60)
        self.assertEqual(status, stalled_tests.STALLED)
        names, _, processes = output.split("these began and did not end:")[1].partition("=== their processes:")
        self.assertEqual(names.split("\n"), ["", '    "waits for nothing"', ""])
        self.assertIn("sleep 987", processes)
        child = int(output.split("child ")[1].split()[0])
        self.assertTrue(ends(child))

    def test_what_nobody_ends_and_keeps_a_pipe_open_is_shown(self):
        # The reader waits for the end of what its writer left behind.
        status, output = run("cat <(setsid --fork sleep 29 2>/dev/null)", 3)
        self.assertEqual(status, stalled_tests.STALLED)
        _, _, left = output.partition("=== left behind, with its output in a pipe of these:\n")
        self.assertRegex(left, r"^\d+ sleep 29")
        os.kill(int(left.split()[0]), signal.SIGKILL)

    def test_a_run_that_prints_is_left_alone(self):
        status, output = run("for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.5; done", 4)
        self.assertEqual((status, output), (0, "".join(f"{i}\n" for i in range(1, 11))))

    def test_each_kind_of_end_counts(self):
        running = Running()
        for line in (
            '◇ Test "a" started.',
            '◇ Test b() started.',
            '◇ Test "c" started.',
            '◇ Test "c" started.',
            '◇ Test run started.',
            '✘ Test "a" recorded an issue at A.swift:1:1: Expectation failed: x failed after 3 seconds',
        ):
            running.read(line)
        self.assertEqual(running.names(), ['"a"', '"c"', "b()"])
        for line in (
            '✘ Test "a" failed after 0.5 seconds with 1 issue.',
            "✔ Test b() passed after 0.001 seconds.",
            '✔ Test "c" passed after 0.001 seconds.',
        ):
            running.read(line)
        self.assertEqual(running.names(), ['"c"'])


if __name__ == "__main__":
    unittest.main()
