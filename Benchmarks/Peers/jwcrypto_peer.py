# SPDX-License-Identifier: Apache-2.0
"""DPoP with jwcrypto: signature and thumbprint by the library, the rest in harness.py."""

import json

from harness import run
from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

ES256 = JWA.signing_alg("ES256")
KEY = JWK.generate(kty="EC", crv="P-256")
HEADER = {"typ": "dpop+jwt", "alg": "ES256", "jwk": KEY.export_public(as_dict=True)}


def verify(request, proof, jkt):
    token = JWS()
    token.deserialize(proof)
    key = JWK(**request.check_header(token.jose_header))
    token.verify(key, "ES256")
    request.check_claims(json.loads(token.payload), key.thumbprint(), jkt)


def import_and_verify(jwk, message, signature):
    ES256.verify(JWK(**jwk), message, signature)


def create(request):
    token = JWS(json.dumps(request.new_claims(), separators=(",", ":")))
    token.add_signature(KEY, "ES256", protected=json.dumps(HEADER))
    return token.serialize(compact=True)


run(verify, import_and_verify, create)
