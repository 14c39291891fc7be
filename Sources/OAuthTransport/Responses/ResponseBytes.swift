// SPDX-License-Identifier: Apache-2.0

/// The body of a response, byte by byte as it arrives; it can be read once.
public struct ResponseBytes: AsyncSequence, Sendable {
    /// The same body in the pieces in which it arrives, for large bodies.
    ///
    /// Read either the bytes or the pieces.
    public let chunks: ResponseChunks

    /// Makes a body from its pieces.
    ///
    /// - Parameter chunks: The pieces.
    public init(_ chunks: ResponseChunks) {
        self.chunks = chunks
    }

    /// Begins to read.
    ///
    /// - Returns: An iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: chunks.makeAsyncIterator())
    }

    /// Reads the bytes one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: ResponseChunks.AsyncIterator
        private var rest: ArraySlice<UInt8> = []

        fileprivate init(chunks: ResponseChunks.AsyncIterator) {
            self.chunks = chunks
        }

        /// Waits for the next byte.
        ///
        /// - Returns: The byte; `nil` at the end.
        /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
        public mutating func next() async throws -> UInt8? {
            if let byte = rest.popFirst() { return byte }
            guard let chunk = try await chunks.next() else { return nil }
            rest = chunk[...]
            return rest.popFirst()
        }
    }
}
