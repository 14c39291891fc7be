# SPDX-License-Identifier: Apache-2.0
"""DPoP with joserfc: signature, claims and thumbprint by the library, the rest in harness.py."""

from harness import Refused, run
from joserfc import jws, jwt
from joserfc.jwk import ECKey

ES256 = jws.JWSRegistry.algorithms["ES256"]
KEY = ECKey.generate_key("P-256")
HEADER = {"typ": "dpop+jwt", "alg": "ES256", "jwk": KEY.as_dict(private=False)}


def verify(request, proof, jkt):
    header = jws.extract_compact(proof.encode()).headers()
    key = ECKey.import_key(request.check_header(header))
    claims = jwt.decode(proof, key, algorithms=["ES256"]).claims
    request.check_claims(claims, key.thumbprint(), jkt)


def import_and_verify(jwk, message, signature):
    if not ES256.verify(message, signature, ECKey.import_key(jwk)):
        raise Refused("signature")


def create(request):
    return jwt.encode(HEADER, request.new_claims(), KEY, algorithms=["ES256"])


run(verify, import_and_verify, create)
