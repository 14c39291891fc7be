// SPDX-License-Identifier: Apache-2.0

import JOSE

extension SigningKey {
    /// Whether the key signs what its public half verifies.
    func works() async throws -> Bool {
        let message = Array("message".utf8)
        return publicKey.isValidSignature(try await sign(message), for: message, algorithm: algorithm)
    }
}
