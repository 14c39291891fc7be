// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The decoded segments of a JWS (RFC 7515 section 3.1), consecutive in one buffer.
struct JWSSegments: Sendable {
    private let bytes: [UInt8]
    private let payloadStart: Int
    private let signatureStart: Int

    /// Holds decoded segments.
    ///
    /// - Parameters:
    ///   - bytes: Header, payload and signature. The header is left out if it was already known.
    ///   - payloadStart: The offset of the payload.
    ///   - signatureStart: The offset of the signature.
    init(bytes: [UInt8], payloadStart: Int, signatureStart: Int) {
        (self.bytes, self.payloadStart, self.signatureStart) = (bytes, payloadStart, signatureStart)
    }

    var payload: [UInt8] { Array(bytes[payloadStart..<signatureStart]) }

    var signature: [UInt8] { Array(bytes[signatureStart...]) }

    /// Calls a function with the header; the span is empty if the header was already known.
    func withHeader<Value>(_ body: (Span<UInt8>) throws(JOSEError) -> Value) throws(JOSEError) -> Value {
        try bytes.withSpan { bytes throws(JOSEError) in try body(bytes.extracting(..<payloadStart)) }
    }

    func withPayload<Value>(_ body: (Span<UInt8>) throws(JOSEError) -> Value) throws(JOSEError) -> Value {
        try bytes.withSpan { bytes throws(JOSEError) in try body(bytes.extracting(payloadStart..<signatureStart)) }
    }

    func withSignature<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        bytes.withSpan { body($0.extracting(signatureStart...)) }
    }
}
