// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// The 32 octets of a SHA-256 digest or an HMAC-SHA-256 code, held inline.
///
/// `==` may stop at the first difference. Where one side is a secret, use ``ConstantTime``.
@usableFromInline package struct SHA256Digest: Hashable, Sendable {
    /// The octets inside the value.
    @usableFromInline
    package let octets: Bytes32

    /// Takes a digest that was read.
    ///
    /// - Parameter octets: The octets.
    package init(_ octets: Bytes32) {
        self.octets = octets
    }

    /// Takes a digest from bytes.
    ///
    /// - Parameter bytes: Exactly 32 octets; with any other count the result is `nil`.
    package init?(bytes: Span<UInt8>) {
        guard let octets = Bytes32(bytes) else { return nil }
        self.octets = octets
    }

    /// Takes a digest from bytes.
    ///
    /// - Parameter bytes: Exactly 32 octets; with any other count the result is `nil`.
    package init?(bytes: [UInt8]) {
        guard let octets = bytes.withSpan({ Bytes32($0) }) else { return nil }
        self.octets = octets
    }

    /// The 32 octets as an array.
    package var bytes: [UInt8] { octets.bytes }

    /// Calls a function with the 32 octets, without copying them.
    ///
    /// - Parameter body: Gets the octets; they are valid only during the call.
    /// - Returns: What the function returned.
    @inlinable
    package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        octets.withBytes(body)
    }
}

extension ConstantTime {
    /// Compares two digests or codes.
    ///
    /// - Parameters:
    ///   - left: One digest.
    ///   - right: The other one.
    /// - Returns: Whether all 32 octets are the same.
    @inline(never)
    package static func areEqual(_ left: SHA256Digest, _ right: SHA256Digest) -> Bool {
        Bytes32.areEqualInConstantTime(left.octets, right.octets)
    }
}
