// SPDX-License-Identifier: Apache-2.0

package import OAuthCrypto

/// The SHA-256 thumbprint of a public key (RFC 7638), as in `cnf.jkt` and `dpop_jkt` (RFC 9449 sections 6.1 and 10).
public struct JWKThumbprint: Sendable, Hashable, CustomStringConvertible {
    /// The digest itself, 32 bytes.
    package let digest: SHA256Digest

    package init(digest: SHA256Digest) {
        self.digest = digest
    }

    /// Reads a thumbprint.
    ///
    /// - Parameter text: 43 characters of base64url.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedKey``.
    public init(_ text: String) throws(JOSEError) {
        guard let octets = text.withUTF8Span(Base64URL.decodeOctets32) else {
            throw JOSEError(.malformedKey, "a thumbprint is 43 characters of base64url")
        }
        digest = SHA256Digest(octets)
    }

    /// 43 characters of base64url.
    public var description: String {
        Base64URL.encode(digest.bytes)
    }
}

extension JWKThumbprint {
    /// The required members of a key on P-256 (RFC 7638 section 3.3), written without building JSON: every proof needs them.
    static func input(of key: P256PublicKey) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(128)
        json.append(contentsOf: beforeX)
        key.withCoordinates { x, y in
            Base64URL.append(x, to: &json)
            json.append(contentsOf: beforeY)
            Base64URL.append(y, to: &json)
        }
        json.append(UInt8(ascii: "\""))
        json.append(UInt8(ascii: "}"))
        return json
    }

    private static let beforeX = Array(#"{"crv":"P-256","kty":"EC","x":""#.utf8)
    private static let beforeY = Array(#"","y":""#.utf8)
}
