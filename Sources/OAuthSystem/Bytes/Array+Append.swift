// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends octets, copied at once.
    ///
    /// A view of a text, appended, would be gone through octet by octet.
    ///
    /// - Parameter octets: What to append.
    @inlinable
    package mutating func append(_ octets: Span<UInt8>) {
        unsafe octets.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
