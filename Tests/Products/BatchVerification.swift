// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import JOSE

// Concurrent verifications form batches, or run one by one without the library; the results are equal.
let key = try SoftwareSigningKey()
let text = try await CompactJWS.sign(header: [:], payload: Array("signed".utf8), with: key)
let token = try CompactJWS(parsing: text)
let verifier: any SignatureVerifier = SignatureBatcher(try? BatchBackend.load())
let isSigned = try await verifier.isValid(SignedToken(token, key: key.publicKey))
precondition(isSigned)

let other = try SoftwareSigningKey().publicKey
let verdicts = verifier.areValid([
    SignedToken(token, key: key.publicKey), SignedToken(token, key: other), SignedToken(token, key: key.publicKey),
])
precondition(verdicts == [true, false, true])
print("BatchVerification works by itself, key \(key.publicKey.thumbprint)")
