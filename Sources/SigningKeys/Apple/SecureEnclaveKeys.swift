// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) && canImport(Security)
import CryptoKit
import Foundation
import JOSE
import OAuthCrypto
import Security

/// Makes and opens keys of the Secure Enclave: P-256 only, made inside and not exportable.
///
/// `isAvailable` is only a hint; only a successful generation proves that there is one. Both calls may block.
enum SecureEnclaveKeys {
    /// A simulator emulates the Secure Enclave, whatever it reports: it cannot prove a location in hardware.
    private static var isAvailable: Bool {
        #if targetEnvironment(simulator)
        false
        #else
        SecureEnclave.isAvailable
        #endif
    }

    /// Makes a key and returns its wrapped form for storage.
    static func generate(
        _ accessibility: KeychainAccessibility,
        _ approval: KeyUsePolicy.Kind
    ) throws(KeyStoreError) -> KeychainKeyItem {
        try requireEnclave()
        guard
            let control = SecAccessControlCreateWithFlags(nil, accessibility.attribute, flags(for: approval), nil)
        else { throw KeyStoreError(.deviceFailed, "the system makes no such access control for keys") }
        do {
            let key = try SecureEnclave.P256.Signing.PrivateKey(accessControl: control)
            return KeychainKeyItem(
                place: .secureEnclave,
                approval: approval,
                publicKey: try publicKey(of: key),
                key: [UInt8](key.dataRepresentation)
            )
        } catch {
            throw KeyStoreError(passing: error)
                ?? KeyStoreError(.deviceFailed, "the Secure Enclave made no key", underlying: error)
        }
    }

    /// Opens a stored key, to verify that this Secure Enclave can, and returns its public key.
    static func publicKey(of item: KeychainKeyItem) throws(KeyStoreError) -> JWK {
        try requireEnclave()
        let found: JWK
        do {
            found = try publicKey(of: SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(item.key)))
        } catch {
            // Another device made it, or this device was erased.
            throw KeyStoreError(passing: error)
                ?? KeychainKeyItem.lost("the Secure Enclave does not open it", underlying: error)
        }
        try item.requireKey(found)
        return found
    }

    static func requireEnclave() throws(KeyStoreError) {
        guard isAvailable else {
            throw KeyStoreError(
                .deviceUnavailable,
                "there is no Secure Enclave here: in simulators, and in some extensions"
            )
        }
    }

    private static func flags(for approval: KeyUsePolicy.Kind) -> SecAccessControlCreateFlags {
        switch approval {
        case .none: [.privateKeyUsage]
        case .userPresence: [.privateKeyUsage, .userPresence]
        case .currentBiometry: [.privateKeyUsage, .biometryCurrentSet]
        }
    }

    private static func publicKey(of key: SecureEnclave.P256.Signing.PrivateKey) throws -> JWK {
        let point = [UInt8](key.publicKey.rawRepresentation)
        return JWK(material: .p256(try P256PublicKey(x: Array(point.prefix(32)), y: Array(point.dropFirst(32)))))
    }
}
#endif
