// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Calls a function with the bytes as a span, without copying them.
    ///
    /// Replaces the property `span` on systems before macOS 26 and iOS 26.
    ///
    /// - Parameter body: Receives the bytes, which are valid only during the call.
    /// - Returns: The result of the function.
    /// - Throws: The error of the function.
    @inlinable
    package func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBufferPointer { buffer throws(Failure) in
            try unsafe body(Span(_unsafeElements: buffer))
        }
    }
}
