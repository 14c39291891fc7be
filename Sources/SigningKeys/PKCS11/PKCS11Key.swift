// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import JOSE

/// A private key as a session found it in a token.
struct PKCS11Key: Sendable {
    /// The search attributes of a key; without any, all keys match.
    struct Name: Sendable, Hashable {
        var label: [UInt8]?
        var id: [UInt8]?

        func template(_ objectClass: CK_OBJECT_CLASS) -> PKCS11Template {
            var template = PKCS11Template(class: objectClass)
            if let label { template.add(CKA_LABEL, label) }
            if let id { template.add(CKA_ID, id) }
            return template
        }
    }

    /// The token's attributes for the protection of a key; `nil` for those that it does not report.
    struct Flags: Sendable, Hashable {
        let isSensitive: Bool?
        let wasAlwaysSensitive: Bool?
        let isExtractable: Bool?
        let wasNeverExtractable: Bool?
        let wasMadeThere: Bool?

        /// Whether the token reports that it made the key itself and that the key was never exportable.
        var neverLeft: Bool {
            isSensitive == true && wasAlwaysSensitive == true && isExtractable == false && wasNeverExtractable == true
                && wasMadeThere == true
        }
    }

    let handle: CK_OBJECT_HANDLE
    let label: [UInt8]
    let id: [UInt8]
    let algorithm: PKCS11Algorithm
    let publicKey: JWK
    /// The size of a signature in bytes.
    let signatureCount: Int
    let flags: Flags
    let protection: KeyProtection
    /// Whether the token requires the PIN for each signature (`CKA_ALWAYS_AUTHENTICATE`).
    let wantsPINEachTime: Bool

    /// The attributes that find the same key in another session.
    var name: Name { Name(label: label.isEmpty ? nil : label, id: id.isEmpty ? nil : id) }
}
#endif
