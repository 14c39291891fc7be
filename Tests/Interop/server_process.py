# SPDX-License-Identifier: Apache-2.0
"""Programs that run for as long as a `with` statement, and loopback ports for them."""

import contextlib
import itertools
import json
import random
import socket
import subprocess
import time

from table import StepFailed

PATIENCE = 300
# Below the ephemeral ports, one of which the system may give to another socket before the server has it, and above those
# of Tests/TestSupport/FreePort.swift.
PORTS = range(30_001, 32_768)
CANDIDATES = itertools.islice(itertools.cycle(PORTS), random.randrange(len(PORTS)), None)


class ServerProcess:
    """A server of somebody else, started for one run; it is there when the `with` statement begins.

    A subclass says what is run in `command`, writes what that reads in `write_configuration`, and tells in `is_ready`
    whether it answers: OSError is a no too. What the server prints is in `NAME.log` of the folder.
    """

    name = ""

    def __init__(self, directory):
        self.directory = directory

    def __enter__(self):
        self.write_configuration()
        with open(self.directory / f"{self.name}.log", "wb") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        try:
            self.wait_until_ready()
            self.configure()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        stop(self.process)

    def configure(self):
        """What can only be set in a running server."""

    def wait_until_ready(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(OSError):
                if self.is_ready():
                    return
            time.sleep(0.05)
        raise StepFailed(f"{self.name} does not answer; its exit status is {self.process.poll()}")


@contextlib.contextmanager
def described_program(command):
    """Runs a program that says where it is as one line of JSON, which is what the `with` statement gets."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        if not line:
            raise StepFailed(f"{command[-1]} told nothing")
        yield json.loads(line)
    finally:
        stop(process)


def stop(process):
    process.terminate()
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port():
    """A loopback port that nobody has at the moment, another one in each call."""
    for port in itertools.islice(CANDIDATES, len(PORTS)):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise StepFailed(f"no port from {PORTS.start} to {PORTS.stop - 1} is free")


def free_ports(count):
    """Different loopback ports that nobody has at the moment."""
    return [free_port() for _ in range(count)]
