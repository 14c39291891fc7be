# SPDX-License-Identifier: Apache-2.0
"""Tests the arithmetic of the three curves with RFC 6979, and that the maker still makes the committed cases."""

import unittest
from unittest import mock

from committed_vectors import committed, is_accepted, maker, with_keys
from encoding import Cases, b64

# RFC 6979 section A.2.5, with SHA-256 and the message "sample".
D = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
X = 0x60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
Y = 0x7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
K = 0xA6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60
R = 0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
S = 0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8


def der_integer(value):
    octets = value.to_bytes(value.bit_length() // 8 + 1, "big")
    return bytes([2, len(octets)]) + octets


def der_signature(r, s):
    content = der_integer(r) + der_integer(s)
    length = [len(content)] if len(content) < 128 else [0x81, len(content)]
    return bytes([0x30, *length]) + content


class EllipticTests(unittest.TestCase):
    def setUp(self):
        module = maker("elliptic")
        self.elliptic = module.__enter__()
        self.addCleanup(module.__exit__, None, None, None)
        self.elliptic.utils.encode_dss_signature = der_signature
        self.curve = self.elliptic.CURVES[0]

    def test_a_signature_is_that_of_the_standard(self):
        curve = self.curve
        self.assertEqual(curve.multiply(D), (X, Y))
        self.assertEqual(curve.sign(D, curve.digest("sample"), K), (R, S))

    def test_the_key_is_recovered_from_its_signature(self):
        curve = self.curve
        self.assertEqual(curve.recover(curve.multiply(K), R, S, curve.digest("sample")), (X, Y))

    def test_each_base_point_is_on_its_curve_and_has_its_order(self):
        for curve in self.elliptic.CURVES:
            x, y = curve.g
            self.assertEqual(y * y % curve.p, curve.right_side(x), curve.name)
            self.assertEqual(curve.multiply(curve.n - 1), curve.negate(curve.g), curve.name)
            self.assertIsNone(curve.add(curve.multiply(curve.n - 1), curve.g), curve.name)

    def test_a_point_is_lifted_only_where_there_is_one(self):
        found = [self.curve.lift(x) for x in range(20)]
        self.assertIn(None, found)
        for x, point in enumerate(found):
            if point:
                self.assertEqual((point[0], point[1] ** 2 % self.curve.p, point[1] % 2), (x, self.curve.right_side(x), 0))

    def test_the_maker_makes_what_is_committed(self):
        def is_valid(curve, point, r, s, text):
            return is_accepted(curve.jwk(point), f"{text}.{b64(curve.raw(r, s))}")

        cases = Cases()
        with mock.patch.object(self.elliptic.Curve, "is_valid", is_valid):
            self.elliptic.make(cases)
        self.assertEqual(with_keys(cases.keys, cases.cases), committed("ES256", "ES384", "ES512"))
