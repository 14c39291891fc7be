# SPDX-License-Identifier: Apache-2.0
"""Gives all makers of vectors what they share: base64url, deterministic octets, and the list of cases."""

import base64
import hashlib
import json

HASHES = {"256": hashlib.sha256, "384": hashlib.sha384, "512": hashlib.sha512}


def b64(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def octets(label, count):
    """Octets that look random and are the same in every run."""
    return hashlib.shake_256(("vectors: " + label).encode()).digest(count)


def number(label, below):
    """A number from 1 to below - 1."""
    return int.from_bytes(octets(label, (below.bit_length() + 64) // 8), "big") % (below - 1) + 1


def signing_input(algorithm, payload="vector"):
    header = json.dumps({"alg": algorithm}, separators=(",", ":")).encode()
    return f"{b64(header)}.{b64(payload.encode())}"


class Cases:
    """Collects cases; a key is written once.

    An outcome is what a strict verifier must say: `accepted`, `signature` (the key is one, the signature is not its),
    `key` (the key must not even be read), or `refused` (one of the two).
    """

    def __init__(self):
        self.keys = []
        self.cases = []

    def add(self, name, algorithm, jwk, signature, outcome, message=None):
        if jwk not in self.keys:
            self.keys.append(jwk)
        text = message or signing_input(algorithm)
        self.cases.append(
            {
                "class": name,
                "alg": algorithm,
                "key": self.keys.index(jwk),
                "jws": f"{text}.{b64(signature)}",
                "outcome": outcome,
            }
        )
