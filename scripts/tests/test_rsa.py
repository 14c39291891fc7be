# SPDX-License-Identifier: Apache-2.0
"""Tests the encodings of RFC 8017, and that the maker still makes the committed cases of its usual key.

The other keys would take minutes.
"""

import hashlib
import unittest
from unittest import mock

from committed_vectors import committed, is_accepted, maker, with_keys
from encoding import Cases, b64


class RSATests(unittest.TestCase):
    def setUp(self):
        module = maker("rsa")
        self.rsa = module.__enter__()
        self.addCleanup(module.__exit__, None, None, None)

    def test_a_mask_is_made_of_counted_hashes(self):
        self.assertEqual(self.rsa.mgf1(b"foo", 5, hashlib.sha1).hex(), "1ac9075cd4")
        self.assertEqual(self.rsa.mgf1(b"bar", 5, hashlib.sha1).hex(), "bc0c655e01")
        self.assertEqual(
            self.rsa.mgf1(b"bar", 50, hashlib.sha256).hex(),
            "382576a7841021cc28fc4c0948753fb8312090cea942ea4c4e735d10dc724b155f9f6069f289d61daca0cb814502ef04eae1",
        )

    def test_a_digest_info_begins_as_the_standard_says(self):
        # RFC 8017 section 9.2, note 1.
        found = self.rsa.digest_info(self.rsa.OIDS["256"], bytes(32))
        self.assertEqual(found.hex(), "3031300d060960864801650304020105000420" + "00" * 32)

    def test_the_maker_makes_what_is_committed(self):
        def is_valid(maker, signature, text=None):
            return is_accepted(self.rsa.jwk(maker.key), f"{text or maker.text}.{b64(signature)}")

        key = self.rsa.rsa_numbers.key("2048", 2048)
        cases = Cases()
        with mock.patch.object(self.rsa.Maker, "is_valid", is_valid):
            self.rsa.Maker(cases, "RS256", key).make_pkcs1()
            self.rsa.Maker(cases, "PS256", key).make_pss()
        made = with_keys(cases.keys, cases.cases)
        self.assertGreater(len(made), 60)
        self.assertEqual(made, [case for case in committed("RS256", "PS256") if self.is_of_the_encoding(case, key)])

    def is_of_the_encoding(self, case, key):
        return case["class"].startswith(("PKCS1: ", "PSS: ")) and case["key"] == self.rsa.jwk(key)
