# SPDX-License-Identifier: Apache-2.0
"""Makes the cases of Ed25519: signatures and keys that RFC 8032 section 5.1.7 refuses and a lenient verifier accepts.

The arithmetic is that of RFC 8032 section 6. `cryptography` checks the result.
"""

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ed25519

from encoding import b64, octets, signing_input

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)
DOM_PREHASHED = b"SigEd25519 no Ed25519 collisions" + bytes([1, 0])
DOM_CONTEXT = b"SigEd25519 no Ed25519 collisions" + bytes([0, 3]) + b"jws"


def add(left, right):
    a = (left[1] - left[0]) * (right[1] - right[0]) % P
    b = (left[1] + left[0]) * (right[1] + right[0]) % P
    c, d = 2 * left[3] * right[3] * D % P, 2 * left[2] * right[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar, point):
    result = IDENTITY
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def recover_x(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P:
        return None
    return P - x if x % 2 != sign else x


def compress(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE_Y = 4 * pow(5, -1, P) % P
BASE = (recover_x(BASE_Y, 0), BASE_Y, 1, recover_x(BASE_Y, 0) * BASE_Y % P)


def jwk(encoded):
    return {"kty": "OKP", "crv": "Ed25519", "x": b64(encoded)}


def hashed(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % L


class Signer:
    def __init__(self, label):
        digest = bytearray(hashlib.sha512(octets(label, 32)).digest())
        digest[0] &= 248
        digest[31] = digest[31] & 127 | 64
        self.a, self.prefix = int.from_bytes(digest[:32], "little"), bytes(digest[32:])
        self.public = compress(multiply(self.a, BASE))

    def sign(self, message, domain=b""):
        r = hashed(domain, self.prefix, message)
        encoded = compress(multiply(r, BASE))
        return encoded, (r + hashed(domain, encoded, self.public, message) * self.a) % L

    def complete(self, encoded, r, message):
        """The S that belongs to R = r B when R is encoded like this."""
        return (r + hashed(encoded, self.public, message) * self.a) % L


def small_order_points():
    """The encodings of the points whose order divides 8."""
    y = 2
    while True:
        x = recover_x(y, 0)
        if x is not None:
            point = multiply(L, (x, y, 1, x * y % P))
            if compress(multiply(4, point)) != compress(IDENTITY):
                return sorted({compress(multiply(index, point)) for index in range(8)})
        y += 1


class Maker:
    """The cases of one of the two names of the algorithm."""

    def __init__(self, cases, algorithm):
        self.cases, self.algorithm = cases, algorithm
        self.text = signing_input(algorithm)
        self.message = self.text.encode()
        self.signer = Signer("Ed25519 key")
        self.r, self.s = self.signer.sign(self.message)

    def is_valid(self, public, signature):
        try:
            ed25519.Ed25519PublicKey.from_public_bytes(public).verify(signature, self.message)
            return True
        except (InvalidSignature, ValueError):
            return False

    def refuse(self, name, signature, public=None, outcome="signature"):
        public = public or self.signer.public
        assert not self.is_valid(public, signature), name
        self.cases.add(name, self.algorithm, jwk(public), signature, outcome)

    def make(self):
        good = self.r + self.s.to_bytes(32, "little")
        for label in ["Ed25519 key", "Ed25519 key 2", "Ed25519 key 3", "Ed25519 key 4"]:
            signer = Signer(label)
            r, s = signer.sign(self.message)
            assert self.is_valid(signer.public, r + s.to_bytes(32, "little"))
            self.cases.add("as usual", self.algorithm, jwk(signer.public), r + s.to_bytes(32, "little"), "accepted")
        self.make_scalars()
        self.make_points()
        self.make_encodings(good)
        self.make_keys(good)

    def make_scalars(self):
        for name, s in [(f"S is S + {factor} L", self.s + factor * L) for factor in (1, 2, 3, 7, 14)] + [
            ("S is 0", 0), ("S is 1", 1), ("S is L - 1", L - 1), ("S is L", L), ("S is L + 1", L + 1),
            ("S is L - S", L - self.s), ("S is 2^252", 2**252), ("S is 2^255 - 1", 2**255 - 1), ("S is 2^256 - 1", 2**256 - 1),
            ("the highest bit of S is set", self.s | 1 << 255), ("the second highest bit of S is set", self.s | 1 << 254),
            ("the third highest bit of S is set", self.s | 1 << 253), ("S in the wrong order of octets", int.from_bytes(self.s.to_bytes(32, "little"), "big")),
        ]:
            self.refuse(name, self.r + s.to_bytes(32, "little"))

    def make_points(self):
        signer, s = self.signer, self.s.to_bytes(32, "little")
        for name, encoded in [
            ("the identity, y is p + 1", (P + 1).to_bytes(32, "little")),
            ("the identity, the sign of x set", (1 | 1 << 255).to_bytes(32, "little")),
            ("the identity, y is p + 1, the sign of x set", (P + 1 | 1 << 255).to_bytes(32, "little")),
        ]:
            # S fits: only the encoding of R is wrong.
            signature = encoded + signer.complete(encoded, 0, self.message).to_bytes(32, "little")
            self.refuse(f"R is {name}", signature)
        flipped = self.r[:31] + bytes([self.r[31] ^ 128])
        off_curve = next(y for y in range(2, 99) if recover_x(y, 0) is None).to_bytes(32, "little")
        for name, encoded in [
            ("negated", flipped), ("no point of the curve", off_curve), ("zeros", bytes(32)), ("ones", b"\xff" * 32),
            ("p", P.to_bytes(32, "little")), ("the key", signer.public),
        ]:
            self.refuse(f"R is {name}", encoded + s)
        for index, point in enumerate(small_order_points()):
            self.refuse(f"R is point {index} of small order", point + s)

    def make_encodings(self, good):
        domain_r, domain_s = self.signer.sign(self.message, DOM_CONTEXT)
        digest = hashlib.sha512(self.message).digest()
        prehashed_r, prehashed_s = self.signer.sign(digest, DOM_PREHASHED)
        other = Signer("Ed25519 key 2").sign(self.message)
        vectors = [
            ("empty", b""), ("only R", good[:32]), ("cut", good[:-1]), ("a zero after", good + b"\0"),
            ("a zero before", b"\0" + good), ("R and S swapped", good[32:] + good[:32]), ("twice", good + good),
            ("reversed", good[::-1]), ("of another key", other[0] + other[1].to_bytes(32, "little")),
            ("Ed25519ctx", domain_r + domain_s.to_bytes(32, "little")),
            ("Ed25519ph", prehashed_r + prehashed_s.to_bytes(32, "little")),
            ("of another message", b"".join([self.signer.sign(b"other")[0], self.signer.sign(b"other")[1].to_bytes(32, "little")])),
            ("as long as one of Ed448", good.ljust(114, b"\0")),
        ]
        for name, signature in vectors:
            self.refuse(f"encoding: {name}", signature)
        for bit in (0, 100, 254, 256, 300, 506):
            changed = bytearray(good)
            changed[bit // 8] ^= 1 << bit % 8
            self.refuse(f"bit {bit} flipped", bytes(changed))

    def make_keys(self, good):
        points = small_order_points()
        assert len(points) == 8
        identity = (1).to_bytes(32, "little")
        for index, point in enumerate(points):
            # With such a key, R = B and S = 1 fits every message whose hash is divisible by its order.
            for name, signature in [("a signature", good), ("R the identity, S zero", identity + bytes(32))]:
                self.cases.add(f"key: point {index} of small order, {name}", self.algorithm, jwk(point), signature, "key")
        for value in (0, 1, P - 1, P, P + 1, P + 2, P + 18):
            for sign in (0, 1):
                encoded = (value % 2**255 | sign << 255).to_bytes(32, "little")
                self.cases.add(f"key: y is {value % P}, not reduced or of small order", self.algorithm, jwk(encoded), good, "key")
        off_curve = [y for y in range(2, 99) if recover_x(y, 0) is None][:3]
        for y in off_curve:
            for sign in (0, 1):
                self.refuse("key: no point of the curve", good, (y | sign << 255).to_bytes(32, "little"), "refused")
        public = self.signer.public
        negated = public[:31] + bytes([public[31] ^ 128])
        self.refuse("the key is negated", good, negated)
        usual = jwk(public)
        for name, change in [
            ("cut", {"x": b64(public[:-1])}), ("longer", {"x": b64(public + b"\0")}), ("empty", {"x": ""}),
            ("missing", {"x": None}), ("crv Ed448", {"crv": "Ed448"}), ("crv X25519", {"crv": "X25519"}),
            ("crv in lower case", {"crv": "ed25519"}), ("kty EC", {"kty": "EC"}), ("with d", {"d": b64(bytes(32))}),
            ("for encryption", {"use": "enc"}), ("only to sign", {"key_ops": ["sign"]}), ("as long as one of Ed448", {"x": b64(public.ljust(57, b"\0"))}),
        ]:
            changed = {name: value for name, value in (usual | change).items() if value is not None}
            self.cases.add(f"key: {name}", self.algorithm, changed, good, "key")


def make(cases):
    for algorithm in ("EdDSA", "Ed25519"):
        Maker(cases, algorithm).make()
