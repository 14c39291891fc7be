# SPDX-License-Identifier: Apache-2.0
"""A table of steps, printed row by row as it grows: PASS, FAIL, or THEIRS for a fault of the other side that is known."""

import contextlib
import traceback


class StepFailed(Exception):
    """A step did not come out as it must; the text says how."""


class Table:
    def __init__(self, known_faults, is_silent=False):
        """`known_faults`: for a group and a step what its note then has in it, and why the other side cannot pass it."""
        self.known_faults = known_faults
        self.is_silent = is_silent
        self.rows = []
        self.notes = []

    def heading(self, text):
        self.print("\n" + text)

    def print(self, line):
        if not self.is_silent:
            print(line, flush=True)

    def row(self, group, step, passed, note=""):
        sign, reason = self.known_faults.get((group, step), (None, None))
        is_theirs = not passed and sign is not None and sign in note
        result = "PASS" if passed else "THEIRS" if is_theirs else "FAIL"
        self.rows.append((group, step, result))
        self.notes.append(note)
        shown = reason if is_theirs else note
        self.print(f"  {result:<6} {step}" + (f"   ({shown})" if shown else ""))

    @contextlib.contextmanager
    def step(self, group, name):
        """Runs one step; a failure ends the group, since later steps need what this one made."""
        notes = []
        try:
            yield notes.append
        except StepFailed as failure:
            self.row(group, name, False, str(failure))
            raise
        except Exception as error:  # what another library throws is the finding
            self.row(group, name, False, f"{type(error).__name__}: {error}")
            traceback.print_exc()
            raise StepFailed(name) from error
        self.row(group, name, True, "; ".join(notes))

    @contextlib.contextmanager
    def group(self, title):
        self.heading(title)
        with contextlib.suppress(StepFailed):
            yield

    @property
    def failures(self):
        return [(group, step) for group, step, result in self.rows if result == "FAIL"]

    def summary(self):
        print()
        for group in dict.fromkeys(row[0] for row in self.rows):
            results = [row[2] for row in self.rows if row[0] == group]
            verdict = "FAIL" if "FAIL" in results else "PASS"
            theirs = results.count("THEIRS")
            print(
                f"{verdict}  {group}: {results.count('PASS')} of {len(results)} steps"
                + (f", {theirs} not possible there" if theirs else "")
            )


def require(condition, message):
    if not condition:
        raise StepFailed(message)
