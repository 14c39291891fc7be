# SPDX-License-Identifier: Apache-2.0
"""What the Python programs share: the file of proofs, the checks that no JOSE library does, the clock and the answer."""

import base64
import gc
import hashlib
import json
import secrets
import sys
import time

PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
MAXIMUM_AGE = 300


class Refused(Exception):
    pass


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Request:
    """The request that a proof came with, and the proofs that came before."""

    def __init__(self, file):
        self.method, self.uri, self.nonce, self.now = file["method"], file["uri"], file["nonce"], file["now"]
        self.access_token = file["accessToken"]
        self.seen = set()

    def check_header(self, header):
        """Checks the header; returns the public key."""
        if header.get("typ") != "dpop+jwt" or header.get("alg") != "ES256":
            raise Refused("header")
        jwk = header.get("jwk")
        if not isinstance(jwk, dict) or not PRIVATE_MEMBERS.isdisjoint(jwk):
            raise Refused("jwk")
        return jwk

    def check_claims(self, claims, thumbprint, jkt):
        """Checks what is signed, after the signature."""
        if claims["htm"] != self.method or claims["htu"] != self.uri:
            raise Refused("request")
        if abs(self.now - claims["iat"]) > MAXIMUM_AGE:
            raise Refused("iat")
        if claims["ath"] != base64url(hashlib.sha256(self.access_token.encode()).digest()):
            raise Refused("ath")
        if claims["nonce"] != self.nonce or thumbprint != jkt:
            raise Refused("nonce or key")
        key = (jkt, claims["jti"])
        if key in self.seen:
            raise Refused("replay")
        self.seen.add(key)

    def new_claims(self):
        return {
            "jti": base64url(secrets.token_bytes(16)), "htm": self.method, "htu": self.uri, "iat": int(time.time()),
            "ath": base64url(hashlib.sha256(self.access_token.encode()).digest()), "nonce": self.nonce,
        }


def sample(proof):
    """The parts of a proof for the row that imports a key and verifies: key, signed bytes, signature."""
    head, payload, signature = proof.split(".")
    return json.loads(decode_base64url(head))["jwk"], f"{head}.{payload}".encode(), decode_base64url(signature)


def run(verify, import_and_verify, create):
    """Calls verify(request, proof, jkt), import_and_verify(jwk, message, signature) and create(request), and times them.

    The first two raise an exception for what they refuse.
    """
    with open(sys.argv[1], encoding="utf-8") as text:
        file = json.load(text)
    request, proofs, warm_up = Request(file), file["proofs"], file["warmUp"]

    def accepts(entry):
        try:
            if entry["check"] == "jti":
                verify(request, entry["proof"], entry["jkt"])
            verify(request, entry["proof"], entry["jkt"])
        except Exception:  # Each library has its own; a defect of the program shows in the proofs that must pass.
            return False
        return True

    def measure(operation, inputs):
        for values in inputs[:warm_up]:
            operation(*values)
        gc.collect()
        start = time.process_time()
        for values in inputs[warm_up:]:
            operation(*values)
        return (time.process_time() - start) * 1e6 / len(inputs[warm_up:])

    print(json.dumps({
        "accepted": [entry["check"] for entry in file["forged"] if accepts(entry)],
        "rows": {
            "dpop-verify": measure(verify, [(request, entry["proof"], entry["jkt"]) for entry in proofs]),
            "jwk-import-verify": measure(import_and_verify, [sample(entry["proof"]) for entry in proofs]),
            "dpop-create": measure(create, [(request,)] * len(proofs)),
        },
    }))
