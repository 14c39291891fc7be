# SPDX-License-Identifier: Apache-2.0
"""Makes the cases of RSA: encoded messages that RFC 8017 sections 8.1.2 and 8.2.2 refuse, each signed with the right key."""

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

import rsa_numbers
from encoding import HASHES, b64, octets, signing_input

HASH_OBJECTS = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}
NULL = b"\5\0"
OIDS = {
    "256": bytes.fromhex("0609608648016503040201"),
    "384": bytes.fromhex("0609608648016503040202"),
    "512": bytes.fromhex("0609608648016503040203"),
}
SHA1_OID = bytes.fromhex("06052b0e03021a")
SHA3_OIDS = {name: bytes.fromhex("06096086480165030402") + bytes([8 + index]) for index, name in enumerate(OIDS)}


def der(tag, content):
    assert len(content) < 128
    return bytes([tag, len(content)]) + content


def digest_info(oid, digest, parameters=NULL):
    return der(0x30, der(0x30, oid + parameters) + der(4, digest))


def mgf1(seed, length, hash):
    result = b""
    while len(result) < length:
        result += hash(seed + (len(result) // hash().digest_size).to_bytes(4, "big")).digest()
    return result[:length]


def jwk(key):
    def unsigned(number):
        return b64(number.to_bytes((number.bit_length() + 7) // 8, "big"))

    return {"kty": "RSA", "n": unsigned(key.n), "e": unsigned(key.e)}


class Maker:
    """The cases of one algorithm with one key."""

    def __init__(self, cases, algorithm, key):
        self.cases, self.algorithm, self.key = cases, algorithm, key
        self.name = algorithm[2:]
        self.hash = HASHES[self.name]
        self.text = signing_input(algorithm)
        self.digest = self.hash(self.text.encode()).digest()

    def is_valid(self, signature, text=None):
        hash = HASH_OBJECTS[self.name]
        scheme = padding.PKCS1v15()
        if self.algorithm.startswith("PS"):
            scheme = padding.PSS(padding.MGF1(hash), padding.PSS.DIGEST_LENGTH)
        try:
            public = rsa.RSAPublicNumbers(self.key.e, self.key.n).public_key()
            public.verify(signature, (text or self.text).encode(), scheme, hash)
            return True
        except InvalidSignature:
            return False

    def octets(self, number):
        return number.to_bytes(self.key.size, "big")

    def signed(self, encoded):
        return self.octets(self.key.power(int.from_bytes(encoded, "big")))

    def accept(self, name, encoded):
        signature = self.signed(encoded)
        assert self.is_valid(signature), (self.algorithm, name)
        self.cases.add(name, self.algorithm, jwk(self.key), signature, "accepted")
        return signature

    def refuse(self, name, encoded):
        self.refuse_octets(name, self.signed(encoded))

    def refuse_octets(self, name, signature):
        assert len(signature) != self.key.size or not self.is_valid(signature), (self.algorithm, name)
        self.cases.add(name, self.algorithm, jwk(self.key), signature, "signature")

    def refuse_key(self, name, change, signature):
        changed = {name: value for name, value in (jwk(self.key) | change).items() if value is not None}
        self.cases.add(f"key: {name}", self.algorithm, changed, signature, "key")

    def encoded(self, digest=None):
        """The encoded message as it must be."""
        return self.pss(digest) if self.algorithm.startswith("PS") else self.pkcs1(digest)

    # RSASSA-PKCS1-v1_5

    def pkcs1(self, digest=None, info=None, start=b"\0\1", separator=b"\0", fill=b"\xff", tail=b""):
        info = info if info is not None else digest_info(OIDS[self.name], digest or self.digest)
        count = self.key.size - len(start) - len(separator) - len(info) - len(tail)
        return start + fill * count + separator + info + tail

    def make_pkcs1(self):
        oid, digest = OIDS[self.name], self.digest
        other = next(name for name in OIDS if name != self.name)
        good = digest_info(oid, digest)
        for name, info in [
            ("NULL left out", digest_info(oid, digest, b"")), ("NULL with a content", digest_info(oid, digest, b"\5\1\0")),
            ("NULL twice", digest_info(oid, digest, NULL + NULL)), ("an integer instead of NULL", digest_info(oid, digest, b"\2\1\0")),
            ("something behind the digest", der(0x30, der(0x30, oid + NULL) + der(4, digest) + NULL)),
            ("something in the parameters", digest_info(oid, digest, NULL + b"\4\x10" + octets("parameters", 16))),
            ("a length in long form", b"\x30\x81" + good[1:]), ("a length in longer form", b"\x30\x82\0" + good[1:]),
            ("an indefinite length", b"\x30\x80" + good[2:] + b"\0\0"),
            ("the digest's length in long form", der(0x30, der(0x30, oid + NULL) + b"\4\x81" + bytes([len(digest)]) + digest)),
            ("an octet string in parts", der(0x30, der(0x30, oid + NULL) + der(0x24, der(4, digest)))),
            ("the digest as a bit string", der(0x30, der(0x30, oid + NULL) + der(3, b"\0" + digest))),
            ("the digest alone", digest), ("no octet at all", b""), ("the algorithm left out", der(0x30, der(4, digest))),
            ("the digest cut", digest_info(oid, digest[:-1])), ("the digest longer", digest_info(oid, digest + b"\0")),
            ("the digest of another message", digest_info(oid, self.hash(b"other").digest())),
            ("the digest flipped in one bit", digest_info(oid, digest[:-1] + bytes([digest[-1] ^ 1]))),
            (f"SHA-{other}, rightly named", digest_info(OIDS[other], HASHES[other](self.text.encode()).digest())),
            (f"named SHA-{other}", digest_info(OIDS[other], digest)), ("named SHA-1", digest_info(SHA1_OID, digest)),
            ("named SHA-3", digest_info(SHA3_OIDS[self.name], digest)),
            ("an algorithm with a zero more", digest_info(b"\6\x0a" + b"\x80" + oid[2:], digest)),
            ("a sequence of another class", b"\x10" + good[1:]),
        ]:
            self.refuse(f"PKCS1: {name}", self.pkcs1(info=info))
        short = self.pkcs1(fill=b"")
        room = self.key.size - len(short) - 8
        for name, encoded in [
            ("block type 0", self.pkcs1(start=b"\0\0", fill=b"\0")), ("block type 0, filled with ones", self.pkcs1(start=b"\0\0")),
            ("block type 2", self.pkcs1(start=b"\0\2", fill=b"\x5a")), ("the first octet is 1", self.pkcs1(start=b"\1\1")),
            ("a fill of FE", self.pkcs1(fill=b"\xfe")), ("a fill of zeros", self.pkcs1(fill=b"\0")),
            ("an octet of the fill is wrong", self.pkcs1(start=b"\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f")),
            ("the first octet of the fill is wrong", self.pkcs1(start=b"\0\1\xfe")), ("no separator", self.pkcs1(separator=b"\xff")),
            ("another separator", self.pkcs1(separator=b"\1")), ("two separators", self.pkcs1(separator=b"\0\0")),
            ("something before the digest info", self.pkcs1(separator=b"\0" + octets("before", 4) + b"\0")),
            ("garbage behind, the least fill", self.pkcs1(start=b"\0\1" + b"\xff" * 8, fill=b"", tail=octets("garbage", room))),
            ("zeros behind, the least fill", self.pkcs1(start=b"\0\1" + b"\xff" * 8, fill=b"", tail=bytes(room))),
            ("garbage behind, no fill", self.pkcs1(fill=b"", tail=octets("garbage", room + 8))),
            ("a zero behind", self.pkcs1(tail=b"\0")), ("NULL behind", self.pkcs1(tail=NULL)), ("sixteen octets behind", self.pkcs1(tail=octets("tail", 16))),
        ]:
            assert len(encoded) == self.key.size, name
            self.refuse(f"PKCS1: {name}", encoded)

    def make_forgery(self):
        """What e = 3 permits who has no private key, where a verifier does not look at the end (CVE-2006-4339)."""
        info = digest_info(OIDS[self.name], self.digest)
        start = b"\0\1" + b"\xff" * 8 + b"\0" + info
        for name, head in [
            ("garbage behind", start), ("garbage behind, no fill", b"\0\1\0" + info),
            # The garbage lies in the parameters, whose length claims it (CVE-2006-4340).
            ("garbage in the parameters", b"\0\1" + b"\xff" * 8 + b"\0" + b"\x30\x81\xd0\x30\x81\x9d" + OIDS[self.name]),
        ]:
            target = int.from_bytes(head.ljust(self.key.size, b"\0"), "big")
            low, high = 0, 1 << (self.key.bits // 3 + 1)
            while low < high:
                middle = (low + high) // 2
                low, high = (middle + 1, high) if middle**3 < target else (low, middle)
            assert self.octets(low**3)[: len(head)] == head, name
            self.refuse_octets(f"forged without the private key: {name}", self.octets(low))

    # RSASSA-PSS

    def pss(self, digest=None, salt_count=None, mask=None, hash=None, trailer=b"\xbc", separator=b"\1", fill=0, start=bytes(8), seen=None):
        hash, digest = hash or self.hash, digest or self.digest
        count = (self.key.bits - 1 + 7) // 8
        size = hash().digest_size
        salt = octets(f"salt {self.algorithm}", self.hash().digest_size if salt_count is None else salt_count)
        h = hash(start + digest + salt).digest()
        block = bytes([fill]) * (count - size - 2 - len(salt)) + separator + salt
        masked = bytearray(a ^ b for a, b in zip(block, mgf1(h, len(block), mask or hash)))
        masked[0] &= 0xFF >> 8 * count - (self.key.bits - 1)
        return bytes(masked) + (seen or h) + trailer

    def make_pss(self):
        size = self.hash().digest_size
        room = (self.key.bits - 1 + 7) // 8 - size - 2
        other = next(HASHES[name] for name in HASHES if name != self.name)
        message = self.text.encode()
        for count in sorted({0, 1, 20, size - 1, size + 1, 28, 48, room} - {size}):
            self.refuse(f"PSS: a salt of {count} octets", self.pss(salt_count=count))
        for name, encoded in [
            ("MGF1 with another hash", self.pss(mask=other)), ("MGF1 with SHA-1", self.pss(mask=hashlib.sha1)),
            ("everything with another hash", self.pss(other(message).digest(), hash=other)),
            ("the message with another hash", self.pss(other(message).digest())), ("trailer CC", self.pss(trailer=b"\xcc")),
            ("trailer BD", self.pss(trailer=b"\xbd")), ("trailer 0", self.pss(trailer=b"\0")), ("no 1 before the salt", self.pss(separator=b"\0")),
            ("a 2 before the salt", self.pss(separator=b"\2")), ("a fill that is not zero", self.pss(fill=1)),
            ("a fill of ones", self.pss(fill=0xFF)), ("seven zeros before the digest", self.pss(start=bytes(7))),
            ("ones before the digest", self.pss(start=b"\xff" * 8)), ("no zeros before the digest", self.pss(start=b"")),
            ("the message itself, not its digest", self.pss(message)), ("the digest of another message", self.pss(self.hash(b"other").digest())),
            ("H is zero", self.pss(seen=bytes(size))), ("H is the digest", self.pss(seen=self.digest)),
        ]:
            self.refuse(f"PSS: {name}", encoded)
        encoded = bytearray(self.pss())
        for index in (0, len(encoded) // 3, len(encoded) - size - 2, len(encoded) - 2):
            changed = bytearray(encoded)
            changed[index] ^= 1
            self.refuse(f"PSS: an octet changed at {index}", bytes(changed))
        if self.key.bits % 8 == 0:
            # The highest bit must be clear: the message is one bit shorter than the modulus.
            changed = bytearray(encoded)
            changed[0] |= 0x80
            if int.from_bytes(changed, "big") < self.key.n:
                self.refuse("PSS: the highest bit is set", bytes(changed))
        self.refuse("PSS: shifted by an octet", bytes(encoded[1:]) + b"\0")

    # Both

    def make_numbers(self):
        """The signature as a number, and as octets."""
        good = self.accept("as usual", self.encoded())
        n, s = self.key.n, int.from_bytes(good, "big")
        if s + n < 256**self.key.size:
            self.refuse_octets("the signature plus n", self.octets(s + n))
        for name, number in [("0", 0), ("1", 1), ("n - 1", n - 1), ("n", n), ("n - s", n - s), ("2^k - 1", 256**self.key.size - 1)]:
            self.refuse_octets(f"the signature is {name}", self.octets(number))
        encoded = int.from_bytes(self.encoded(), "big")
        self.refuse_octets("the encoded message, unsigned", self.octets(encoded))
        self.refuse_octets("raised to e instead of d", self.octets(pow(encoded, self.key.e, n)))
        for name, signature in [
            ("empty", b""), ("cut", good[:-1]), ("a zero after", good + b"\0"), ("a zero before", b"\0" + good), ("twice", good + good),
            ("the first octet left out", good[1:]), ("reversed", good[::-1]),
        ]:
            self.refuse_octets(f"encoding: {name}", signature)
        # The other padding, over the same digest.
        other = Maker(self.cases, ("RS" if self.algorithm.startswith("PS") else "PS") + self.name, self.key)
        self.refuse("the other padding", other.encoded(self.digest))

    def make_leading_zero(self):
        """A signature that begins with a zero, which belongs to it."""
        for counter in range(10000):
            self.text = signing_input(self.algorithm, f"vector {counter}")
            self.digest = self.hash(self.text.encode()).digest()
            signature = self.signed(self.encoded())
            if signature[0] == 0:
                break
        assert self.is_valid(signature, self.text)
        for name, octets, outcome in [
            ("a signature with a leading zero", signature, "accepted"),
            ("encoding: the leading zero left out", signature.lstrip(b"\0"), "signature"),
        ]:
            self.cases.add(name, self.algorithm, jwk(self.key), octets, outcome, self.text)

    def make_keys(self):
        n, e = self.key.n, self.key.e
        good = self.signed(self.encoded())
        size = self.key.size
        for name, change in [
            ("n with a leading zero", {"n": b64(b"\0" + n.to_bytes(size, "big"))}), ("n is even", {"n": b64((n - 1).to_bytes(size, "big"))}),
            ("n missing", {"n": None}), ("n empty", {"n": ""}), ("e with a leading zero", {"e": b64(b"\0\1\0\1")}), ("e is 1", {"e": b64(b"\1")}),
            ("e is 2", {"e": b64(b"\2")}), ("e is even", {"e": b64(b"\1\0\2")}), ("e is 0", {"e": b64(b"\0")}), ("e is 2^32 + 1", {"e": b64(b"\1\0\0\0\1")}),
            ("e is as long as n", {"e": b64((n - 2).to_bytes(size, "big"))}), ("e missing", {"e": None}), ("with d", {"d": b64(b"\1")}),
            ("with p", {"p": b64(b"\1")}), ("for encryption", {"use": "enc"}), ("only to sign", {"key_ops": ["sign"]}),
        ]:
            self.refuse_key(name, change, good)


def make_weak(cases):
    """Keys that are too weak, though their signatures are right."""
    for name, key in [
        ("1024 bits", rsa_numbers.key("1024", 1024)), ("2047 bits", rsa_numbers.key("2047", 2047)),
        ("e is 2^32 + 15", rsa_numbers.key("long e", 2048, 2**32 + 15)),
        ("primes of CVE-2017-15361", rsa_numbers.structured_key("structured", 2048)),
    ]:
        for algorithm in ("RS256", "PS256"):
            maker = Maker(cases, algorithm, key)
            maker.refuse_key(name, {}, maker.signed(maker.encoded()))


def make_sizes(cases):
    """Good keys of other sizes and exponents; where a modulus has a bit more than octets, PSS is an octet shorter."""
    for name, key in [
        ("2048 bits, e is 3", rsa_numbers.key("e3", 2048, 3)), ("2048 bits, e is 2^32 - 1", rsa_numbers.key("e32", 2048, 2**32 - 1)),
        ("2049 bits", rsa_numbers.key("2049", 2049)), ("2050 bits", rsa_numbers.key("2050", 2050)), ("2055 bits", rsa_numbers.key("2055", 2055)),
        ("3072 bits", rsa_numbers.key("3072", 3072)), ("4096 bits", rsa_numbers.key("4096", 4096)), ("8192 bits", rsa_numbers.key("8192", 8192)),
    ]:
        for algorithm in ("RS256", "PS256", "RS512", "PS512"):
            maker = Maker(cases, algorithm, key)
            maker.accept(name, maker.encoded())
            maker.refuse(f"{name}, the digest of another message", maker.encoded(maker.hash(b"other").digest()))
            # With a longer digest, a root in 2048 bits leaves no room for the error.
            if key.e == 3 and algorithm == "RS256":
                maker.make_forgery()


def make(cases):
    usual = rsa_numbers.key("2048", 2048)
    for name in HASHES:
        for algorithm in (f"RS{name}", f"PS{name}"):
            maker = Maker(cases, algorithm, usual)
            maker.make_numbers()
            maker.make_pkcs1() if algorithm.startswith("RS") else maker.make_pss()
            if name == "256":
                maker.make_keys()
            maker.make_leading_zero()
    make_sizes(cases)
    make_weak(cases)
