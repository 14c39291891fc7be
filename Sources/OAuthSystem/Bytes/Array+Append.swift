// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends bytes in one copy.
    ///
    /// Appending a UTF-8 view would copy byte by byte.
    ///
    /// - Parameter octets: The bytes to append.
    @inlinable
    package mutating func append(_ octets: Span<UInt8>) {
        unsafe octets.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
