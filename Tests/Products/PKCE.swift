// SPDX-License-Identifier: Apache-2.0

import PKCE

// A client makes the pair, a server verifies it: with the product PKCE and nothing else.
let service = PKCEService()
let (verifier, challenge) = service.create()
let received = try CodeChallenge(parsing: challenge.value, method: challenge.method.rawValue)
try service.verify(verifier.text, against: received)

// RFC 7636 appendix B.
let published = try CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").s256Challenge.value
precondition(published == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")

do {
    try service.verify(CodeVerifier().text, against: received)
    // The verdict of this program.
    preconditionFailure("another verifier was accepted")
} catch {
    precondition(error.code == .mismatch)
}
print("PKCE works by itself, verifier \(verifier)")
