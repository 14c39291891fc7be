# SPDX-License-Identifier: Apache-2.0
"""Tests of how the load of several nodes is added up, and of the processor time of processes; nothing is started but a child."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "measure"))
import clustered  # noqa: E402


def result(requests, processor, p99=1, failures=0, failure=None):
    return {
        "row": "refresh", "requests": requests, "failures": failures, "firstFailure": failure, "processor": processor,
        "perSecond": requests / 2, "p99": p99,
    }


class CombinedTests(unittest.TestCase):
    def test_a_request_costs_what_it_costs_on_average_over_all_nodes(self):
        both = clustered.combined([result(100, 300, p99=4), result(300, 100, p99=9)])
        self.assertEqual((both["requests"], both["processor"], both["perSecond"], both["p99"]), (400, 150, 200, 9))

    def test_failures_are_work_and_are_told(self):
        both = clustered.combined([result(90, 100, failures=10, failure="503"), result(0, 0)])
        self.assertEqual((both["failures"], both["firstFailure"], both["processor"]), (10, "503", 100))

    def test_nothing_done_is_no_error(self):
        self.assertEqual(clustered.combined([result(0, 0)])["processor"], 0)


class ProcessTests(unittest.TestCase):
    def test_the_parent_and_the_time_of_a_process(self):
        self.assertEqual(clustered.parent_of(os.getpid()), os.getppid())
        end = sum(os.times()[:2]) + 0.1
        while sum(os.times()[:2]) < end:
            pass
        self.assertGreaterEqual(clustered.processor_of(os.getpid()), 0.1)

    def test_a_child_that_ended_counts_with_its_parent(self):
        before = clustered.ended_of(os.getpid())
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.2: pass"], check=True)
        self.assertGreaterEqual(clustered.ended_of(os.getpid()), before + 0.15)

    def test_a_process_that_is_gone_has_used_nothing(self):
        child = subprocess.Popen(["true"])
        child.wait()
        self.assertEqual((clustered.processor_of(child.pid), clustered.parent_of(child.pid)), (0, None))


if __name__ == "__main__":
    unittest.main()
