# SPDX-License-Identifier: Apache-2.0
"""Tests what all makers of vectors share: octets that are the same in every run, and the list of cases."""

import base64
import json
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vectors"))
from encoding import Cases, b64, number, octets, signing_input  # noqa: E402


class EncodingTests(unittest.TestCase):
    def test_base64url_has_its_own_alphabet_and_no_padding(self):
        self.assertEqual([b64(b""), b64(b"\xfb\xff"), b64(b"\xff\xff\xff")], ["", "-_8", "____"])

    def test_octets_depend_on_their_label_alone(self):
        self.assertEqual(octets("a", 8), octets("a", 8))
        self.assertEqual(octets("a", 8), octets("a", 16)[:8])
        self.assertNotEqual(octets("a", 8), octets("b", 8))
        self.assertEqual(len(octets("a", 300)), 300)

    def test_a_number_is_from_1_to_below_its_bound(self):
        self.assertEqual({number(str(label), 4) for label in range(100)}, {1, 2, 3})
        self.assertGreater(number("a", 2**256).bit_length(), 240)

    def test_a_signing_input_is_header_and_payload(self):
        header, payload = (base64.urlsafe_b64decode(part + "==") for part in signing_input("ES256", "x").split("."))
        self.assertEqual((json.loads(header), payload), ({"alg": "ES256"}, b"x"))

    def test_a_key_is_written_once(self):
        cases = Cases()
        for key in ("one", "two", "one"):
            cases.add("name", "ES256", {"kty": key}, b"\1", "accepted")
        self.assertEqual(cases.keys, [{"kty": "one"}, {"kty": "two"}])
        self.assertEqual([case["key"] for case in cases.cases], [0, 1, 0])

    def test_a_case_has_its_token(self):
        cases = Cases()
        cases.add("usual", "ES256", {}, b"\1", "accepted")
        cases.add("of another message", "ES256", {}, b"\2", "signature", "a.b")
        self.assertEqual(cases.cases[0]["jws"], signing_input("ES256") + ".AQ")
        self.assertEqual(
            cases.cases[1],
            {"class": "of another message", "alg": "ES256", "key": 0, "jws": "a.b.Ag", "outcome": "signature"},
        )
