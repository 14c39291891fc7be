// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Calls a function with the octets as a span, without copying them.
    ///
    /// What the property `span` does, on systems that do not have it yet: before macOS 26 and iOS 26.
    ///
    /// - Parameter body: Gets the octets; they are valid only during the call.
    /// - Returns: What the function returned.
    /// - Throws: What the function threw.
    @inlinable
    package func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBufferPointer { buffer throws(Failure) in
            try unsafe body(Span(_unsafeElements: buffer))
        }
    }
}
