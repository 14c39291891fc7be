// SPDX-License-Identifier: Apache-2.0

package import OAuthCrypto
import OAuthSystem
import StrictJSON

/// The SHA-256 thumbprint of a public key (RFC 7638), as in `cnf.jkt` and `dpop_jkt` (RFC 9449 sections 6.1 and 10).
public struct JWKThumbprint: Sendable, Hashable, CustomStringConvertible {
    /// The digest, 32 bytes.
    package let digest: SHA256Digest

    package init(digest: SHA256Digest) {
        self.digest = digest
    }

    /// Parses a thumbprint.
    ///
    /// - Parameter text: 43 characters of base64url.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedKey``.
    public init(_ text: String) throws(JOSEError) {
        guard let octets = text.withUTF8Span(Base64URL.decodeBytes32) else {
            throw JOSEError(.malformedKey, "a thumbprint is 43 characters of base64url")
        }
        digest = SHA256Digest(octets)
    }

    /// The thumbprint in base64url, 43 characters.
    public var description: String {
        Base64URL.encode(digest.bytes)
    }
}

extension JWKThumbprint {
    /// The thumbprint of a P-256 key from its required members (RFC 7638 section 3.3).
    ///
    /// The JSON is written on the stack, since every proof needs it.
    init(_ key: P256PublicKey) {
        digest = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.p256Template.count) { json in
            _ = unsafe json.initialize(from: Self.p256Template)
            key.withCoordinates { x, y in
                unsafe Base64URL.encode(x, to: .init(rebasing: json[Self.p256X..<Self.p256X + 43]))
                unsafe Base64URL.encode(y, to: .init(rebasing: json[Self.p256Y..<Self.p256Y + 43]))
            }
            return unsafe SHA256.hash(Span(_unsafeElements: UnsafeBufferPointer(json)))
        }
    }

    /// The thumbprint of an Ed25519 key (RFC 8037 appendix A.3), computed in the same way.
    init(_ key: Ed25519PublicKey) {
        digest = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.ed25519Template.count) { json in
            _ = unsafe json.initialize(from: Self.ed25519Template)
            key.rawRepresentation.withSpan { x in
                unsafe Base64URL.encode(x, to: .init(rebasing: json[Self.ed25519X..<Self.ed25519X + 43]))
            }
            return unsafe SHA256.hash(Span(_unsafeElements: UnsafeBufferPointer(json)))
        }
    }

    private static let ed25519Template = Array(#"{"crv":"Ed25519","kty":"OKP","x":"\#(blank)"}"#.utf8)
    private static let ed25519X = 34
    private static let p256Template = Array(
        #"{"crv":"P-256","kty":"EC","x":"\#(blank)","y":"\#(blank)"}"#.utf8
    )
    private static let blank = String(repeating: "A", count: 43)
    private static let p256X = 31
    private static let p256Y = 81
}
