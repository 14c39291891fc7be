# SPDX-License-Identifier: Apache-2.0
"""Tests what takes the rejections out, and what judges the tests that fail then."""

import json
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "check"))
from prove_attacks import cases_of, mutated, name_filter, outdated, uncovered, verdict  # noqa: E402

ROWS = [("7 7b", "A", "guard isGood else", "guard {on} || isGood else"), ("9", "A", "count < 3", "{on} || count < 3")]
TEXTS = {"A.swift": "guard isGood else { return }\nguard count < 3 else { return }\n"}


def stream(*events):
    """An event stream with the kinds of events; a text with a space is what an expectation says that failed."""
    lines = []
    for event in events:
        payload = {"kind": event}
        if " " in event:
            payload = {"kind": "issueRecorded", "issue": {"isKnown": False}, "messages": [{"text": event}]}
        lines.append(json.dumps({"kind": "event", "payload": payload}))
    return "\n".join(lines)


class Mutants(unittest.TestCase):
    def test_each_row_is_behind_its_switch(self):
        changed = mutated(TEXTS, ROWS, lambda name: f"{name}.swift")["A.swift"]
        self.assertIn('guard Mutant.on("7", "7b") || isGood else', changed)
        self.assertIn('guard Mutant.on("9") || count < 3 else', changed)

    def test_a_text_must_be_there_once(self):
        for texts in [{"A.swift": "x"}, {"A.swift": TEXTS["A.swift"] * 2}, {}]:
            with self.assertRaises(ValueError):
                mutated(texts, ROWS, lambda name: f"{name}.swift")
            self.assertEqual(len(outdated(ROWS, [7, 9], texts, lambda name: f"{name}.swift")), 2)

    def test_every_attack_has_a_case(self):
        self.assertEqual(cases_of(ROWS), ["7", "7b", "9"])
        self.assertEqual(uncovered(ROWS, [7, 8, 9]), [8])
        self.assertEqual(len(outdated(ROWS, [7, 8, 9], TEXTS, lambda name: f"{name}.swift")), 1)

    def test_a_name_becomes_a_filter(self):
        self.assertEqual(name_filter("XTests", "attack 7, `x`"), "XTests/.*attack.+7.+x.+")


class Verdicts(unittest.TestCase):
    def judge(self, *events, in_time=True):
        return verdict(stream(*events), in_time, r"status → 200")[0]

    def test_only_an_attack_that_got_through_proves_a_test(self):
        self.assertEqual(self.judge("testStarted", "(status → 200) == 400", "runEnded"), "killed")
        self.assertEqual(self.judge("testStarted", "(status → 500) == 400", "runEnded"), "error")

    def test_tests_that_pass_survive(self):
        self.assertEqual(self.judge("testStarted", "runEnded"), "survived")

    def test_no_test_and_no_end_prove_nothing(self):
        self.assertEqual(self.judge("runEnded"), "error")
        self.assertEqual(self.judge("testStarted"), "error")
        self.assertEqual(self.judge("testStarted", "runEnded", in_time=False), "error")


if __name__ == "__main__":
    unittest.main()
