# SPDX-License-Identifier: Apache-2.0
"""Tests the arithmetic of Ed25519 with RFC 8032, and that the maker still makes the committed cases."""

import unittest
from unittest import mock

from committed_vectors import committed, is_accepted, maker, with_keys
from encoding import Cases, b64

# RFC 8032 section 7.1, test 2.
SECRET = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
PUBLIC = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
SIGNATURE = bytes.fromhex(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)


class EdwardsTests(unittest.TestCase):
    def setUp(self):
        module = maker("edwards")
        self.edwards = module.__enter__()
        self.addCleanup(module.__exit__, None, None, None)

    def test_a_signature_is_that_of_the_standard(self):
        with mock.patch.object(self.edwards, "octets", return_value=SECRET):
            signer = self.edwards.Signer("any")
        r, s = signer.sign(b"\x72")
        self.assertEqual((signer.public, r + s.to_bytes(32, "little")), (PUBLIC, SIGNATURE))

    def test_the_base_point_has_its_order(self):
        edwards = self.edwards
        identity = edwards.compress(edwards.IDENTITY)
        self.assertEqual(edwards.compress(edwards.multiply(edwards.L, edwards.BASE)), identity)
        self.assertNotEqual(edwards.compress(edwards.multiply(8, edwards.BASE)), identity)

    def test_eight_points_have_a_small_order(self):
        edwards = self.edwards
        points = edwards.small_order_points()
        self.assertEqual(len(set(points)), 8)
        for encoded in points:
            number = int.from_bytes(encoded, "little")
            y, sign = number % 2**255, number >> 255
            x = edwards.recover_x(y, sign) if y not in (1, edwards.P - 1) else 0
            multiple = edwards.multiply(8, (x, y, 1, x * y % edwards.P))
            self.assertEqual(edwards.compress(multiple), edwards.compress(edwards.IDENTITY))

    def test_the_maker_makes_what_is_committed(self):
        def is_valid(maker, public, signature):
            return is_accepted(self.edwards.jwk(public), f"{maker.text}.{b64(signature)}")

        cases = Cases()
        with mock.patch.object(self.edwards.Maker, "is_valid", is_valid):
            self.edwards.make(cases)
        self.assertEqual(with_keys(cases.keys, cases.cases), committed("EdDSA", "Ed25519"))
