// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE

// A client makes a proof, a server verifies it: with the product DPoP and what it stands on.
let key = try SoftwareSigningKey()
let (uri, accessToken) = ("https://api.example.com/notes", "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
let proof = try await DPoPService().createProof(with: key, method: "GET", uri: uri, accessToken: accessToken)

let verifier = DPoPService()
let verified = try await verifier.verifyProof([proof], method: "GET", uri: uri, accessToken: accessToken)
precondition(verified.jwkThumbprint == key.publicKey.thumbprint.description)
precondition(verified.header["typ"] == "dpop+jwt")
// The hash of that token is published in RFC 9449 section 7.1.
precondition(verified.payload["ath"] == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")

do {
    _ = try await verifier.verifyProof([proof], method: "GET", uri: uri, accessToken: accessToken)
    // The verdict of this program.
    preconditionFailure("a proof was accepted twice")
} catch {
    precondition(error.code == .replayed)
}
print("DPoP works by itself, key \(verified.jwkThumbprint)")
