// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Calls a function with the UTF-8 bytes as a span, without copying them if they are contiguous.
    ///
    /// Iterating over a UTF-8 view takes several times as long as reading a span.
    ///
    /// - Parameter body: Receives the bytes, which are valid only during the call.
    /// - Returns: The result of the function.
    /// - Throws: The error of the function.
    @inlinable
    package func withUTF8Span<Value, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // Counts no references, and is a single call. A string of up to 15 bytes is stored inline: its span would refer
        // to a copy on the stack, which Swift 6.3 releases before the last call in a function.
        if #available(macOS 26, iOS 26, visionOS 26, *), utf8.count > 15 { return try body(utf8.span) }
        let result = unsafe utf8.withContiguousStorageIfAvailable { octets in
            Result { () throws(Failure) in try unsafe body(Span(_unsafeElements: octets)) }
        }
        // Only strings bridged from Objective-C are not contiguous.
        guard let result else { return try Array(utf8).withSpan(body) }
        return try result.get()
    }
}
