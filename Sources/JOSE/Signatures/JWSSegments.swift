// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The three segments of a signed message, decoded (RFC 7515 section 3.1): in one block of memory, one behind the other.
struct JWSSegments: Sendable {
    private let bytes: [UInt8]
    private let payloadStart: Int
    private let signatureStart: Int

    /// Takes what was decoded.
    ///
    /// - Parameters:
    ///   - bytes: Header, payload and signature; without a header that was read before.
    ///   - payloadStart: Where the payload begins.
    ///   - signatureStart: Where the signature begins.
    init(bytes: [UInt8], payloadStart: Int, signatureStart: Int) {
        (self.bytes, self.payloadStart, self.signatureStart) = (bytes, payloadStart, signatureStart)
    }

    /// The payload.
    var payload: [UInt8] { Array(bytes[payloadStart..<signatureStart]) }

    /// The signature.
    var signature: [UInt8] { Array(bytes[signatureStart...]) }

    /// Calls a function with the header; with nothing where it was read before.
    func withHeader<Value>(_ body: (Span<UInt8>) throws(JOSEError) -> Value) throws(JOSEError) -> Value {
        try bytes.withSpan { bytes throws(JOSEError) in try body(bytes.extracting(..<payloadStart)) }
    }

    /// Calls a function with the payload.
    func withPayload<Value>(_ body: (Span<UInt8>) throws(JOSEError) -> Value) throws(JOSEError) -> Value {
        try bytes.withSpan { bytes throws(JOSEError) in try body(bytes.extracting(payloadStart..<signatureStart)) }
    }

    /// Calls a function with the signature.
    func withSignature<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        bytes.withSpan { body($0.extracting(signatureStart...)) }
    }
}
