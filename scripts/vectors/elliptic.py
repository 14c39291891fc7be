# SPDX-License-Identifier: Apache-2.0
"""Makes the cases of ECDSA: signatures at the edges of r and s, with keys made for them, and keys that are no points.

The arithmetic is written for clarity; it handles nothing secret. `cryptography` checks the result.
"""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from encoding import HASHES, b64, number, signing_input

HASH_OBJECTS = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}


class Curve:
    def __init__(self, name, algorithm, library, size, p, n, b, g):
        self.name, self.algorithm, self.library, self.size = name, algorithm, library, size
        self.p, self.n, self.b, self.g = p, n, b, g

    def right_side(self, x):
        return (x * x * x - 3 * x + self.b) % self.p

    def lift(self, x):
        """The point with this x and an even y; None when there is none."""
        square = self.right_side(x)
        y = pow(square, (self.p + 1) // 4, self.p)
        if y * y % self.p != square:
            return None
        return (x, y if y % 2 == 0 else self.p - y)

    def first_point(self, start, step=1):
        x = start
        while self.lift(x) is None:
            x += step
        return self.lift(x)

    def add(self, left, right):
        if left is None or right is None:
            return left or right
        if left[0] == right[0]:
            if (left[1] + right[1]) % self.p == 0:
                return None
            slope = (3 * left[0] * left[0] - 3) * pow(2 * left[1], -1, self.p)
        else:
            slope = (right[1] - left[1]) * pow(right[0] - left[0], -1, self.p)
        x = (slope * slope - left[0] - right[0]) % self.p
        return (x, (slope * (left[0] - x) - left[1]) % self.p)

    def multiply(self, scalar, point=None):
        result, point, scalar = None, point or self.g, scalar % self.n
        while scalar:
            if scalar & 1:
                result = self.add(result, point)
            point, scalar = self.add(point, point), scalar >> 1
        return result

    def negate(self, point):
        return (point[0], self.p - point[1])

    def digest(self, text, hash_name=None):
        value = HASHES[hash_name or self.algorithm[2:]](text.encode()).digest()
        number = int.from_bytes(value, "big")
        return number >> max(0, len(value) * 8 - self.n.bit_length())

    def sign(self, d, e, k):
        r = self.multiply(k)[0] % self.n
        return r, (e + r * d) * pow(k, -1, self.n) % self.n

    def recover(self, point, r, s, e):
        """The key with which (r, s) is valid for e, where the point is R."""
        difference = self.add(self.multiply(s, point), self.negate(self.multiply(e)))
        return self.multiply(pow(r, -1, self.n), difference)

    def jwk(self, point, size=None):
        x, y = (value.to_bytes(size or self.size, "big") for value in point)
        return {"kty": "EC", "crv": self.name, "x": b64(x), "y": b64(y)}

    def raw(self, r, s, size=None):
        return r.to_bytes(size or self.size, "big") + s.to_bytes(size or self.size, "big")

    def is_valid(self, point, r, s, text):
        key = ec.EllipticCurvePublicNumbers(*point, self.library).public_key()
        try:
            der = utils.encode_dss_signature(r, s)
            key.verify(der, text.encode(), ec.ECDSA(HASH_OBJECTS[self.algorithm[2:]]))
            return True
        except InvalidSignature:
            return False


CURVES = [
    Curve(
        "P-256", "ES256", ec.SECP256R1(), 32,
        2**256 - 2**224 + 2**192 + 2**96 - 1,
        0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
        0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
        (
            0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
            0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
        ),
    ),
    Curve(
        "P-384", "ES384", ec.SECP384R1(), 48,
        2**384 - 2**128 - 2**96 + 2**32 - 1,
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
        0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
        (
            0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
            0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
        ),
    ),
    Curve(
        "P-521", "ES512", ec.SECP521R1(), 66,
        2**521 - 1,
        0x01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
        0x0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
        (
            0x00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
            0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650,
        ),
    ),
]


class Maker:
    """The cases of one curve."""

    def __init__(self, cases, curve):
        self.cases, self.curve = cases, curve
        self.text = signing_input(curve.algorithm)
        self.e = curve.digest(self.text)
        self.d = number(curve.name + " key", curve.n)
        self.key = curve.multiply(self.d)
        self.good = curve.sign(self.d, self.e, number(curve.name + " nonce", curve.n))

    def accept(self, name, point, r, s):
        assert self.curve.is_valid(point, r, s, self.text), (self.curve.name, name)
        self.cases.add(name, self.curve.algorithm, self.curve.jwk(point), self.curve.raw(r, s), "accepted")

    def refuse(self, name, point, r, s):
        assert not self.curve.is_valid(point, r, s, self.text), (self.curve.name, name)
        self.refuse_octets(name, point, self.curve.raw(r, s))

    def refuse_octets(self, name, point, signature, message=None):
        self.cases.add(name, self.curve.algorithm, self.curve.jwk(point), signature, "signature", message)

    def refuse_key(self, name, jwk):
        self.cases.add(name, self.curve.algorithm, jwk, self.curve.raw(*self.good), "key")

    def make(self):
        self.make_common()
        self.make_edges()
        self.make_ranges()
        self.make_encodings()
        self.make_special_keys()
        self.make_broken_keys()

    def make_common(self):
        curve, (r, s) = self.curve, self.good
        self.accept("as usual", self.key, r, s)
        self.accept("s is n - s", self.key, r, curve.n - s)
        self.refuse("r is n - r", self.key, curve.n - r, s)
        self.refuse("r and s swapped", self.key, s, r)
        for name in HASHES:
            if name != curve.algorithm[2:]:
                e = curve.digest(self.text, name)
                self.refuse(f"the message hashed with SHA-{name}", self.key, *curve.sign(self.d, e, 12345))
        message = signing_input(curve.algorithm, "vectos")
        self.refuse_octets("of another message", self.key, curve.raw(r, s), message)
        # u1 G + u2 Q is the point at infinity, which has no x.
        self.refuse("R is the point at infinity", self.key, -self.e * pow(self.d, -1, curve.n) % curve.n, s)
        self.refuse("R is the point at infinity, s is 1", self.key, -self.e * pow(self.d, -1, curve.n) % curve.n, 1)

    def make_edges(self):
        """Valid signatures that a verifier with a mistake in its arithmetic refuses, and their invalid neighbours."""
        curve, e, n = self.curve, self.e, self.curve.n
        limit = 256**curve.size
        short = curve.first_point(1)
        s = number(curve.name + " s", n)
        key = curve.recover(short, short[0], s, e)
        self.accept("r has leading zeros", key, short[0], s)
        if short[0] + n < limit:
            self.refuse("r is r + n", key, short[0] + n, s)
        stripped = curve.raw(short[0], s).lstrip(b"\0")
        self.refuse_octets("the leading zeros of r left out", key, stripped)
        above = curve.first_point(n + 1)
        assert above[0] < curve.p
        key = curve.recover(above, above[0] - n, s, e)
        self.accept("the x of R is above n", key, above[0] - n, s)
        self.refuse("r is not reduced by n", key, above[0], s)
        for name, s in [("1", 1), ("n - 1", n - 1), ("2^64", 2**64), ("half of n", n // 2), ("half of n, and 1", n // 2 + 1)]:
            key = curve.recover(curve.multiply(7), curve.multiply(7)[0] % n, s, e)
            self.accept(f"s is {name}", key, curve.multiply(7)[0] % n, s)
            if s + n < limit:
                self.refuse(f"s is {name} and n", key, curve.multiply(7)[0] % n, s + n)
        key = curve.recover(short, short[0], short[0], e)
        self.accept("r and s are equal and short", key, short[0], short[0])
        for name, k in [("G", 1), ("-G", n - 1), ("2 G", 2)]:
            self.accept(f"R is {name}", self.key, *curve.sign(self.d, e, k))
        # u1 G = u2 Q: the sum of both is a doubling.
        k = number(curve.name + " doubling", n)
        r = curve.multiply(k)[0] % n
        d = e * pow(r, -1, n) % n
        self.accept("u1 G is u2 Q", curve.multiply(d), *curve.sign(d, e, k))

    def make_ranges(self):
        curve, n, p = self.curve, self.curve.n, self.curve.p
        limit = 256**curve.size
        numbers = [("0", 0), ("1", 1), ("n - 1", n - 1), ("n", n), ("n + 1", n + 1), ("p", p), ("p + 1", p + 1)]
        numbers += [("2^k - 1", limit - 1)]
        for r_name, r in numbers:
            for s_name, s in numbers:
                self.refuse(f"r is {r_name}, s is {s_name}", self.key, r, s)
        for name, value in numbers:
            self.refuse(f"r is {name}", self.key, value, self.good[1])
            self.refuse(f"s is {name}", self.key, self.good[0], value)

    def make_encodings(self):
        curve, (r, s) = self.curve, self.good
        raw = curve.raw(r, s)
        size = curve.size
        der = utils.encode_dss_signature(r, s)
        small = utils.encode_dss_signature(1, 1)
        for name, signature in [
            ("empty", b""), ("one octet", b"\1"), ("only r", raw[:size]), ("cut", raw[:-1]), ("a zero after", raw + b"\0"),
            ("a zero before", b"\0" + raw), ("halves longer by a zero", curve.raw(r, s, size + 1)),
            ("a zero before s", raw[:size] + b"\0" + raw[size:]), ("in DER", der), ("in DER, cut", der[: 2 * size]),
            ("in DER, filled with zeros", small.ljust(2 * size, b"\0")), ("twice", raw + raw),
            ("halves cut", raw[1:size] + raw[size + 1:]), ("least significant octet first", raw[:size][::-1] + raw[size:][::-1]),
        ]:
            self.refuse_octets(f"encoding: {name}", self.key, signature)

    def make_special_keys(self):
        curve = self.curve
        for name, d in [("G", 1), ("-G", curve.n - 1), ("2 G", 2)]:
            self.accept(f"the key is {name}", curve.multiply(d), *curve.sign(d, self.e, 99))
        d, point = 1, curve.g
        leading = 256 ** (curve.size - 1) >> (7 if curve.name == "P-521" else 0)
        found = set()
        while len(found) < 2:
            for index, coordinate in enumerate("xy"):
                if coordinate not in found and point[index] < leading:
                    found.add(coordinate)
                    self.accept(f"the {coordinate} of the key has leading zeros", point, *curve.sign(d, self.e, 99))
                    stripped = curve.jwk(point)
                    stripped[coordinate] = b64(point[index].to_bytes(curve.size, "big").lstrip(b"\0"))
                    self.refuse_key(f"key: the leading zeros of {coordinate} left out", stripped)
            d, point = d + 1, curve.add(point, curve.g)
        for name, x, step in [("smallest", 0, 1), ("greatest", curve.p - 1, -1)]:
            special = curve.first_point(x, step)
            for sign, one in [("even", special), ("odd", curve.negate(special))]:
                self.refuse(f"the x of the key is the {name} there is, y is {sign}", one, *self.good)

    def make_broken_keys(self):
        curve, (x, y) = self.curve, self.key
        limit = 256**curve.size
        low = curve.first_point(0)
        twist = 1
        while curve.lift(twist) is not None:
            twist += 1
        twist_y = pow(-curve.right_side(twist) % curve.p, (curve.p + 1) // 4, curve.p)
        points = [
            ("y + 1", (x, y + 1)), ("x + 1", (x + 1, y)), ("x and y swapped", (y, x)), ("zeros", (0, 0)),
            ("y is zero", (x, 0)), ("x is zero", (0, y)), ("a point of the twist", (twist, twist_y)),
            ("ones", (limit - 1, limit - 1)), ("x is p", (curve.p, low[1])), ("y is p", (x, curve.p)),
            ("x is not reduced by p", (low[0] + curve.p, low[1])), ("-y is not reduced", (x, min(2 * curve.p - y, limit - 1))),
        ]
        for name, point in points:
            if max(point) < limit:
                self.refuse_key(f"key: {name}", curve.jwk(point))
        good = curve.jwk(self.key)
        for other in CURVES:
            if other is not curve:
                theirs = other.jwk(other.g)
                self.refuse_key(f"key: a point of {other.name}", theirs | {"crv": curve.name})
        for name, change in [
            ("longer by a zero", {"x": b64(b"\0" + x.to_bytes(curve.size, "big"))}),
            ("cut", {"y": b64(y.to_bytes(curve.size, "big")[:-1])}), ("x empty", {"x": ""}), ("y missing", {"y": None}),
            ("compressed", {"x": b64(bytes([2 + y % 2]) + x.to_bytes(curve.size, "big")), "y": None}),
            ("uncompressed, in x", {"x": b64(b"\4" + curve.raw(x, y)), "y": None}),
            ("with d", {"d": b64(self.d.to_bytes(curve.size, "big"))}), ("for encryption", {"use": "enc"}),
            ("only to sign", {"key_ops": ["sign"]}), ("to verify and to encrypt", {"use": "sig", "key_ops": ["verify", "encrypt"]}),
            ("kty RSA", {"kty": "RSA"}), ("kty OKP", {"kty": "OKP"}), ("crv in lower case", {"crv": curve.name.lower()}),
        ]:
            changed = {name: value for name, value in (good | change).items() if value is not None}
            self.refuse_key(f"key: {name}", changed)


def make(cases):
    for curve in CURVES:
        Maker(cases, curve).make()
