# SPDX-License-Identifier: Apache-2.0
"""Tests the search for primes, and the RSA keys that are made from them."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vectors"))
import rsa_numbers  # noqa: E402


def carmichael_number():
    """A product of three primes that Fermat's test takes for a prime, with no factor that is tried one by one."""
    k = 1000
    while not all(rsa_numbers.is_prime(6 * part * k + 1, "part") for part in (1, 2, 3)):
        k += 1
    return (6 * k + 1) * (12 * k + 1) * (18 * k + 1)


class RSANumbersTests(unittest.TestCase):
    def test_primes_are_primes(self):
        for prime in (2003, 2**61 - 1, 2**127 - 1, 2**521 - 1, 2**255 - 19):
            self.assertTrue(rsa_numbers.is_prime(prime, "a"), prime)

    def test_products_are_none(self):
        for product in (9, 2003 * 2011, 2003**2, (2**61 - 1) * (2**89 - 1), 2**257 - 1, carmichael_number()):
            self.assertFalse(rsa_numbers.is_prime(product, "a"), product)

    def test_fermats_test_would_not_do(self):
        self.assertEqual(pow(2, carmichael_number() - 1, carmichael_number()), 1)

    def test_a_key_has_the_size_that_was_asked_for(self):
        for bits in (512, 513, 514, 519):
            key = rsa_numbers.key("size", bits)
            self.assertEqual((key.bits, key.n.bit_length(), key.size), (bits, bits, (bits + 7) // 8))

    def test_what_a_key_signs_its_public_half_undoes(self):
        for e in (3, 65537, 2**32 + 15):
            key = rsa_numbers.key("round", 512, e)
            self.assertEqual((key.e, pow(key.power(12345), e, key.n)), (e, 12345))

    def test_a_key_depends_on_its_label_alone(self):
        self.assertEqual(rsa_numbers.key("a", 512).n, rsa_numbers.key("a", 512).n)
        self.assertNotEqual(rsa_numbers.key("a", 512).n, rsa_numbers.key("b", 512).n)

    def test_a_weak_key_has_the_mark_of_its_weakness(self):
        weak = rsa_numbers.structured_key("structured", 2048)
        self.assertEqual((weak.bits, pow(weak.power(7), 65537, weak.n)), (2048, 7))
        self.assertTrue(self.has_mark(weak.n))
        self.assertFalse(self.has_mark(2**2048 - 1))

    @staticmethod
    def has_mark(n):
        """CVE-2017-15361: modulo each small prime, the modulus is a power of 65537."""
        return all(n % small in {pow(65537, power, small) for power in range(small)} for small in rsa_numbers.SMALL[:100])
