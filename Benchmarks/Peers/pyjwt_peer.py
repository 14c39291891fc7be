# SPDX-License-Identifier: Apache-2.0
"""DPoP with PyJWT: signature and claims by the library, the thumbprint here, the rest in harness.py."""

import hashlib
import json

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from harness import Refused, base64url, run
from jwt.algorithms import ECAlgorithm

ES256 = ECAlgorithm(ECAlgorithm.SHA256)
KEY = ec.generate_private_key(ec.SECP256R1())
HEADER = {"typ": "dpop+jwt", "jwk": json.loads(ECAlgorithm.to_jwk(KEY.public_key()))}


def thumbprint(jwk):
    members = json.dumps({name: jwk[name] for name in ("crv", "kty", "x", "y")}, separators=(",", ":"))
    return base64url(hashlib.sha256(members.encode()).digest())


def verify(request, proof, jkt):
    jwk = request.check_header(jwt.get_unverified_header(proof))
    claims = jwt.decode(proof, jwt.PyJWK(jwk, "ES256"), algorithms=["ES256"], options={"verify_iat": False})
    request.check_claims(claims, thumbprint(jwk), jkt)


def import_and_verify(jwk, message, signature):
    if not ES256.verify(message, jwt.PyJWK(jwk, "ES256").key, signature):
        raise Refused("signature")


def create(request):
    return jwt.encode(request.new_claims(), KEY, algorithm="ES256", headers=HEADER)


run(verify, import_and_verify, create)
