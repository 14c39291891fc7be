// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// The three segments of a signed message: as they were sent, and decoded (RFC 7515 section 3.1).
struct JWSSegments: Sendable {
    private let text: String
    private let headerCount: Int
    private let signingInputCount: Int
    /// Header, payload and signature decoded, one behind the other; without a header that was read before.
    private let decoded: [UInt8]
    private let payloadStart: Int
    private let signatureStart: Int

    /// Decodes all but a header that was read before.
    static func decode(
        _ text: String,
        knownHeader: (Span<UInt8>) -> JWSHeader?
    ) throws(JOSEError) -> (JWSSegments, JWSHeader?) {
        try text.withUTF8Span { bytes throws(JOSEError) in
            guard let (first, second) = dots(in: bytes) else {
                throw JOSEError(.malformedToken, "a signed token has three segments with dots between")
            }
            let encodedHeader = bytes.extracting(..<first)
            let known = knownHeader(encodedHeader)
            let header = known == nil ? encodedHeader : bytes.extracting(..<0)
            let payload = bytes.extracting((first + 1)..<second)
            let payloadStart = Base64URL.decodedCount(of: header)
            let segments = JWSSegments(
                text: text,
                headerCount: first,
                signingInputCount: second,
                decoded: try Base64URL.decode(header, payload, bytes.extracting((second + 1)...)),
                payloadStart: payloadStart,
                signatureStart: payloadStart + Base64URL.decodedCount(of: payload)
            )
            return (segments, known)
        }
    }

    /// Where the two dots stand; `nil` when there are fewer or more.
    private static func dots(in text: Span<UInt8>) -> (Int, Int)? {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot), let second = text.firstIndex(of: dot, from: first + 1),
            text.firstIndex(of: dot, from: second + 1) == nil
        else { return nil }
        return (first, second)
    }

    /// The payload, decoded.
    var payload: [UInt8] { Array(decoded[payloadStart..<signatureStart]) }

    /// The signature, decoded.
    var signature: [UInt8] { Array(decoded[signatureStart...]) }

    /// Header and payload as they were sent, which is what is signed.
    var signingInput: [UInt8] { prefix(signingInputCount) }

    /// The header as it was sent.
    var encodedHeader: [UInt8] { prefix(headerCount) }

    private func prefix(_ count: Int) -> [UInt8] {
        text.withUTF8Span { text in unsafe text.extracting(..<count).withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// Calls a function with the header decoded; nothing where it was read before.
    func withHeader<Value>(_ body: (Span<UInt8>) throws(JOSEError) -> Value) throws(JOSEError) -> Value {
        try decoded.withSpan { bytes throws(JOSEError) in try body(bytes.extracting(..<payloadStart)) }
    }

    /// Calls a function with the payload decoded.
    func withPayload<Value>(_ body: (Span<UInt8>) throws(JOSEError) -> Value) throws(JOSEError) -> Value {
        try decoded.withSpan { bytes throws(JOSEError) in try body(bytes.extracting(payloadStart..<signatureStart)) }
    }

    /// Calls a function with the signature and what was signed, without copying them.
    func withSignedParts<Result>(_ body: (_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Result) -> Result {
        text.withUTF8Span { text in
            decoded.withSpan { decoded in
                body(decoded.extracting(signatureStart...), text.extracting(..<signingInputCount))
            }
        }
    }

    /// Whether a key, which fits the algorithm, made the signature.
    func areSigned(by key: JWK.Material, _ algorithm: SignatureAlgorithm) -> Bool {
        Self.areSigned(text, signingInputCount, decoded, signatureStart, by: key, algorithm)
    }

    /// Takes the parts: a closure that takes all of the message and the key copies both.
    private static func areSigned(
        _ text: String,
        _ signingInputCount: Int,
        _ decoded: [UInt8],
        _ signatureStart: Int,
        by key: JWK.Material,
        _ algorithm: SignatureAlgorithm
    ) -> Bool {
        text.withUTF8Span { text in
            decoded.withSpan { decoded in
                key.isValidSignature(
                    decoded.extracting(signatureStart...),
                    for: text.extracting(..<signingInputCount),
                    algorithm: algorithm
                )
            }
        }
    }
}
