// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import JOSE

// Signatures are verified where callers meet, one by one where the library of lanes is missing: the answers are the same.
let key = try SoftwareSigningKey()
let text = try await CompactJWS.sign(header: [:], payload: Array("signed".utf8), with: key)
let token = try CompactJWS(parsing: text)
let verifier: any SignatureVerifier = SignatureBatcher(try? BatchBackend.load())
precondition(try await verifier.isValid(SignedToken(token, key: key.publicKey)))

let other = try SoftwareSigningKey().publicKey
let verdicts = verifier.areValid([
    SignedToken(token, key: key.publicKey), SignedToken(token, key: other), SignedToken(token, key: key.publicKey),
])
precondition(verdicts == [true, false, true])
print("BatchVerification works by itself, key \(key.publicKey.thumbprint)")
