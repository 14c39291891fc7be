// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import JOSE

/// A private key as a session found it in a token.
struct PKCS11Key: Sendable {
    /// What a key is looked for by; with neither, all are meant.
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

    /// What the token says of how the key is kept; `nil` where it says nothing.
    struct Flags: Sendable, Hashable {
        let isSensitive: Bool?
        let wasAlwaysSensitive: Bool?
        let isExtractable: Bool?
        let wasNeverExtractable: Bool?
        let wasMadeThere: Bool?

        /// Whether the token says that it made the key itself, and never gave it out.
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
    /// The octets of each of its signatures.
    let signatureCount: Int
    let flags: Flags
    let protection: KeyProtection
    /// Whether the token wants the PIN for each signature (`CKA_ALWAYS_AUTHENTICATE`).
    let wantsPINEachTime: Bool

    /// By what the same key is found in another session.
    var name: Name { Name(label: label.isEmpty ? nil : label, id: id.isEmpty ? nil : id) }
}
#endif
