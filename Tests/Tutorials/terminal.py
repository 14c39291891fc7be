# SPDX-License-Identifier: Apache-2.0
"""A process in a terminal of its own, which types what the process asks for."""

import os
import pty
import re
import select
import signal
import time

# For one command. The longest one builds the client from its sources, which takes minutes.
PATIENCE = 1800


class Broken(Exception):
    """A document promises something that does not come true."""


class Terminal:
    """A script of bash in a terminal, and what it printed."""

    def __init__(self, script, directory, environment):
        self.output = b""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(directory)
            os.execvpe("bash", ["bash", "-euo", "pipefail", "-c", script], environment)

    def read(self, until, answers=()):
        """Reads until `until(output)` is true or the process ends; returns the exit code in the latter case.

        `answers` are pairs: an expression for the end of the output, and what is typed then.
        """
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if until(self.output):
                return None
            if not select.select([self.descriptor], [], [], 0.5)[0]:
                # Nothing comes after the prompt: the program waits. What is typed earlier than that is thrown away.
                self.type(next((answer for prompt, answer in answers if re.search(prompt, self.output)), None))
                continue
            try:
                self.output += os.read(self.descriptor, 65536)
            except OSError:
                # The other side of a terminal is closed.
                status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
                self.process = None
                return status
        raise Broken(f"nothing happened for {PATIENCE} s:\n{self.text}")

    def type(self, answer):
        if answer is not None:
            os.write(self.descriptor, answer.encode() + b"\n")

    @property
    def text(self):
        return self.output.decode(errors="replace").replace("\r\n", "\n")

    def close(self):
        if self.process:
            os.killpg(self.process, signal.SIGTERM)
            for _ in range(100):
                if os.waitpid(self.process, os.WNOHANG)[0]:
                    break
                time.sleep(0.1)
            else:
                os.killpg(self.process, signal.SIGKILL)
                os.waitpid(self.process, 0)
        os.close(self.descriptor)
