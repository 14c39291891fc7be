// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto

#if canImport(Security)

/// The value of a key's Keychain item, version 1.
///
/// One byte each for the version, the location of the key and its approval; 32 bytes for the thumbprint of the public
/// key (RFC 7638); then the key. The key is either the data that the Secure Enclave wrapped, which only it can use, or
/// the 32 bytes of a scalar.
struct KeychainKeyItem {
    /// The location of the private key, fixed when the key is made.
    enum Place: UInt8 {
        case secureEnclave = 1
        case software = 2
    }

    private static let version: UInt8 = 1
    private static let headCount = 3
    private static let thumbprintCount = 32
    /// Data wrapped by the Secure Enclave has about 300 bytes.
    private static let keyCounts = 32...4096

    let place: Place
    let approval: KeyUsePolicy.Kind
    let thumbprint: [UInt8]
    let key: [UInt8]

    init(place: Place, approval: KeyUsePolicy.Kind, publicKey: JWK, key: [UInt8]) {
        self.place = place
        self.approval = approval
        thumbprint = publicKey.thumbprint.digest.bytes
        self.key = key
    }

    init(parsing bytes: [UInt8]) throws(KeyStoreError) {
        guard bytes.first == Self.version else {
            throw KeyStoreError(
                .malformedKeyFile,
                "the key's item in the Keychain is not of version 1: it may come from a newer release, and was left as it is"
            )
        }
        let start = Self.headCount + Self.thumbprintCount
        guard bytes.count >= start, let place = Place(rawValue: bytes[1]),
            let approval = KeyUsePolicy.Kind(rawValue: bytes[2]), Self.keyCounts.contains(bytes.count - start)
        else { throw Self.lost("its item in the Keychain is damaged") }
        self.place = place
        self.approval = approval
        thumbprint = Array(bytes[Self.headCount..<start])
        key = Array(bytes[start...])
    }

    var encoded: [UInt8] {
        [Self.version, place.rawValue, approval.rawValue] + thumbprint + key
    }

    /// Rejects a key that does not belong to the item.
    func requireKey(_ publicKey: JWK) throws(KeyStoreError) {
        guard publicKey.thumbprint.digest.bytes == thumbprint else { throw Self.lost("another key is in its place") }
    }

    static func lost(_ why: String, underlying: (any Error)? = nil) -> KeyStoreError {
        KeyStoreError(.keyLost, "the key can no longer be used, \(why): sign in again", underlying: underlying)
    }
}
#endif
