// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// A JWS in compact serialization, split at its two dots and not yet decoded (RFC 7515 section 3.1).
///
/// A verifier can look up the encoded header in a cache before it decodes anything.
package struct EncodedJWS: Sendable {
    /// The text as it was received.
    package let text: String
    /// The length of the header, in bytes.
    package let headerCount: Int
    /// The length of header, dot and payload, in bytes.
    private let signingInputCount: Int

    /// Finds the three segments.
    ///
    /// - Parameters:
    ///   - text: Three segments, separated by dots.
    ///   - maximumLength: The maximum length in characters.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedToken``.
    package init(_ text: String, maximumLength: Int) throws(JOSEError) {
        guard text.utf8.count <= maximumLength else {
            throw JOSEError(.malformedToken, "the token is longer than \(maximumLength) characters")
        }
        guard let (first, second) = text.withUTF8Span({ Self.dots(in: $0) }) else {
            throw JOSEError(.malformedToken, "a signed token has three segments with dots between")
        }
        (self.text, headerCount, signingInputCount) = (text, first, second)
    }

    /// The positions of the two dots; `nil` if there are fewer or more.
    private static func dots(in text: Span<UInt8>) -> (Int, Int)? {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot), let second = text.firstIndex(of: dot, from: first + 1),
            text.firstIndex(of: dot, from: second + 1) == nil
        else { return nil }
        return (first, second)
    }

    /// Calls a function with the JWS signing input: header and payload as they were received.
    func withSigningInput<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        text.withUTF8Span { body($0.extracting(..<signingInputCount)) }
    }

    /// Decodes the segments into one buffer; skips the header if it is known.
    func decode(knowsHeader: Bool) throws(JOSEError) -> JWSSegments {
        let (headerCount, signingInputCount) = (headerCount, signingInputCount)
        return try text.withUTF8Span { bytes throws(JOSEError) in
            let header = bytes.extracting(..<(knowsHeader ? 0 : headerCount))
            let payload = bytes.extracting((headerCount + 1)..<signingInputCount)
            let payloadStart = Base64URL.decodedCount(of: header)
            let decoded: [UInt8]
            do throws(StrictJSONError) {
                decoded = try Base64URL.decode(header, payload, bytes.extracting((signingInputCount + 1)...))
            } catch {
                throw JOSEError(malformedToken: error)
            }
            return JWSSegments(
                bytes: decoded,
                payloadStart: payloadStart,
                signatureStart: payloadStart + Base64URL.decodedCount(of: payload)
            )
        }
    }
}
