// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) && canImport(Security)
import CryptoKit
import Dispatch
import Foundation
import JOSE
import LocalAuthentication
import Security

/// A key of the Secure Enclave.
///
/// It stores the wrapped key and opens it for each signature: the enclave has few slots for open keys.
struct SecureEnclaveSigningKey: SigningKey {
    let publicKey: JWK
    let algorithm = SignatureAlgorithm.es256
    let protection = KeyProtection.hardwareBound
    private let wrapped: [UInt8]
    private let consent: UserPresence?
    /// Serializes the signatures of this key: the user may take a minute, and must not be asked twice at once.
    private let queue = DispatchQueue(label: "keybound.secure-enclave-key")

    init(_ item: KeychainKeyItem, publicKey: JWK, approval: KeyUsePolicy) {
        self.publicKey = publicKey
        wrapped = item.key
        // The approval with which the key was made counts, not the store's current one.
        consent = item.approval == .none ? nil : UserPresence(approval)
    }

    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        try await queue.run { () throws(KeyStoreError) in try signature(for: message) }
    }

    private func signature(for message: [UInt8]) throws(KeyStoreError) -> [UInt8] {
        try SecureEnclaveKeys.requireEnclave()
        do {
            guard let consent else { return try signature(for: message, nil) }
            return try consent.withContext { try signature(for: message, $0) }
        } catch {
            // A lost key cannot be detected here, because it was opened before: the next load reports it.
            throw KeyStoreError(passing: error)
                ?? KeyStoreError(.deviceFailed, "the Secure Enclave did not sign", underlying: error)
        }
    }

    private func signature(for message: [UInt8], _ context: LAContext?) throws -> [UInt8] {
        let key = try SecureEnclave.P256.Signing.PrivateKey(
            dataRepresentation: Data(wrapped),
            authenticationContext: context
        )
        return [UInt8](try key.signature(for: message).rawRepresentation)
    }
}
#endif
