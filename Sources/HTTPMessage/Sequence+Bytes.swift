// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// Calls a function with all bytes as one contiguous buffer.
    ///
    /// Iterating over a string view takes several times as long as reading its bytes.
    ///
    /// - Parameter body: Gets the bytes, which are valid only during the call.
    /// - Returns: What the function returned.
    /// - Throws: What the function threw.
    @inlinable
    package func withBytes<Value, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = withContiguousStorageIfAvailable { bytes in
            Result { () throws(Failure) in try unsafe body(Span(_unsafeElements: bytes)) }
        }
        // Strings bridged from Objective-C and lazy sequences have no contiguous storage.
        guard let result else { return try Array(self).withBytes(body) }
        return try result.get()
    }
}

extension Span<UInt8> {
    func asciiText(_ range: Range<Int>) -> String {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
