// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// The 32 bytes of a SHA-256 digest or an HMAC-SHA-256 code, stored inline.
///
/// `==` may stop at the first difference. If one side is a secret, use ``ConstantTime``.
@usableFromInline package struct SHA256Digest: Hashable, Sendable {
    @usableFromInline
    package let octets: Bytes32

    /// Wraps the bytes of a digest.
    ///
    /// - Parameter octets: The bytes.
    package init(_ octets: Bytes32) {
        self.octets = octets
    }

    /// Copies a digest.
    ///
    /// - Parameter bytes: Exactly 32 bytes; the result is `nil` for any other count.
    package init?(bytes: Span<UInt8>) {
        guard let octets = Bytes32(bytes) else { return nil }
        self.octets = octets
    }

    /// Copies a digest.
    ///
    /// - Parameter bytes: Exactly 32 bytes; the result is `nil` for any other count.
    package init?(bytes: [UInt8]) {
        guard let octets = bytes.withSpan({ Bytes32($0) }) else { return nil }
        self.octets = octets
    }

    /// The 32 bytes as an array.
    package var bytes: [UInt8] { octets.bytes }

    /// Calls a function with the 32 bytes, without copying them.
    ///
    /// - Parameter body: Receives the bytes, which are valid only during the call.
    /// - Returns: The result of the function.
    @inlinable
    package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        octets.withBytes(body)
    }
}

extension ConstantTime {
    /// Compares two digests or codes in constant time.
    ///
    /// - Parameters:
    ///   - left: One digest.
    ///   - right: The other one.
    /// - Returns: Whether all 32 bytes are equal.
    @inline(never)
    package static func areEqual(_ left: SHA256Digest, _ right: SHA256Digest) -> Bool {
        Bytes32.areEqualInConstantTime(left.octets, right.octets)
    }
}
