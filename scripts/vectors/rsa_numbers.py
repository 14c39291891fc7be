# SPDX-License-Identifier: Apache-2.0
"""Makes RSA keys of any size and exponent, the same in every run, and keys that are weak on purpose."""

from math import gcd, prod

from encoding import octets

SMALL = [p for p in range(3, 2000, 2) if all(p % q for q in range(3, int(p**0.5) + 1, 2))]


def is_prime(number, label):
    if any(number % p == 0 for p in SMALL):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for round in range(12):
        base = int.from_bytes(octets(f"{label} witness {round}", 16), "big") + 2
        value = pow(base, odd, number)
        if value in (1, number - 1):
            continue
        for _ in range(twos - 1):
            value = value * value % number
            if value == number - 1:
                break
        else:
            return False
    return True


class Key:
    """The numbers of a key: modulus n, exponents e and d."""

    def __init__(self, p, q, e):
        self.n, self.e = p * q, e
        self.d = pow(e, -1, (p - 1) * (q - 1))
        self.bits = self.n.bit_length()
        self.size = (self.bits + 7) // 8

    def power(self, message):
        """The signature of an encoded message, as a number."""
        return pow(message, self.d, self.n)


def prime(label, bits, e):
    candidate = int.from_bytes(octets(label, (bits + 7) // 8), "big") % 2**bits
    # The two highest bits make the product as long as both together.
    candidate |= 3 << bits - 2 | 1
    while gcd(candidate - 1, e) != 1 or not is_prime(candidate, label):
        candidate += 2
    return candidate


def key(label, bits, e=65537):
    half = bits // 2
    return Key(prime(f"{label} p", bits - half, e), prime(f"{label} q", half, e), e)


def structured_key(label, bits):
    """A key with the structure of CVE-2017-15361: each prime is k M + 65537^a mod M."""
    product = prod(([2] + SMALL)[: {2048: 126}[bits]])

    def structured_prime(name):
        power = int.from_bytes(octets(f"{name} power", 8), "big")
        factor = 3 * 2 ** (bits // 2 - 2) // product + int.from_bytes(octets(f"{name} factor", 4), "big")
        while True:
            candidate = factor * product + pow(65537, power, product)
            if gcd(candidate - 1, 65537) == 1 and is_prime(candidate, name):
                return candidate
            factor += 1

    return Key(structured_prime(f"{label} p"), structured_prime(f"{label} q"), 65537)
