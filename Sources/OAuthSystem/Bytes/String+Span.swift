// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Calls a function with the UTF-8 octets as a span, without copying those that lie in one place.
    ///
    /// Stepping through a view of a text takes several times as long as reading its octets.
    ///
    /// - Parameter body: Gets the octets; they are valid only during the call.
    /// - Returns: What the function returned.
    /// - Throws: What the function threw.
    @inlinable
    package func withUTF8Span<Value, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // Counts no references, and is one call. Up to 15 bytes lie in the string itself: the span would be of a copy on the
        // stack, which Swift 6.3 gives up before it calls what comes last in a function.
        if #available(macOS 26, iOS 26, visionOS 26, *), utf8.count > 15 { return try body(utf8.span) }
        let result = unsafe utf8.withContiguousStorageIfAvailable { octets in
            Result { () throws(Failure) in try unsafe body(Span(_unsafeElements: octets)) }
        }
        // Only strings that Objective-C lent lie elsewhere.
        guard let result else { return try Array(utf8).withSpan(body) }
        return try result.get()
    }
}
