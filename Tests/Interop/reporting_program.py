# SPDX-License-Identifier: Apache-2.0
"""Runs a program that tells its steps, one line of JSON each, and asks for the pages of a sign-in with {"open": URL}."""

import json
import subprocess
import threading

from table import StepFailed

PATIENCE = 60


def run(table, group, command, open_page):
    """Runs `command`; the rows of the table are the steps that it tells.

    `open_page` takes the user through the pages at a URL. What it returns, if anything, is written to the program.
    """
    with table.group(group):
        program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        timer = threading.Timer(PATIENCE, program.kill)
        timer.start()
        try:
            follow(table, group, program, open_page)
            # 1 is for a step that failed, which has a row already.
            if program.wait(timeout=10) not in (0, 1):
                table.row(group, f"the program ended with {program.returncode}", False)
        finally:
            timer.cancel()
            program.kill()
            program.wait()


def follow(table, group, program, open_page):
    told = False
    for line in program.stdout:
        report = json.loads(line)
        if "open" in report:
            with table.step(group, report.get("label", "sign-in and consent pages, redirect back")):
                answer = open_page(report["open"])
            if answer:
                program.stdin.write(answer + "\n")
                program.stdin.flush()
        else:
            told = True
            table.row(group, report["step"], report["passed"], report["note"])
    if not told:
        raise StepFailed("the program told nothing")
