// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// The text of a signed message in compact serialization of which only the two dots were found (RFC 7515 section 3.1).
///
/// A verifier that knows the header by its text asks for that first: then it need not be read.
package struct EncodedJWS: Sendable {
    /// The message as it was sent.
    package let text: String
    /// Where the header ends, in bytes.
    package let headerCount: Int
    /// Where the payload ends.
    private let signingInputCount: Int

    /// Finds the segments.
    ///
    /// - Parameters:
    ///   - text: Three segments with dots between.
    ///   - maximumLength: What is longer is refused, in characters.
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

    /// Where the two dots stand; `nil` when there are fewer or more.
    private static func dots(in text: Span<UInt8>) -> (Int, Int)? {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot), let second = text.firstIndex(of: dot, from: first + 1),
            text.firstIndex(of: dot, from: second + 1) == nil
        else { return nil }
        return (first, second)
    }

    /// Calls a function with what is signed, header and payload as they were sent.
    func withSigningInput<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        text.withUTF8Span { body($0.extracting(..<signingInputCount)) }
    }

    /// Decodes the segments, one behind the other; the header may be left out.
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
