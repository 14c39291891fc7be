// SPDX-License-Identifier: Apache-2.0

/// The body of a response in the pieces in which it arrives; it can be read once.
///
/// A reader that stops early closes the connection.
public struct ResponseChunks: AsyncSequence, Sendable {
    /// Returns the next piece, and waits for it.
    ///
    /// The piece is not empty; `nil` is the end. Only an ``/OAuthCore/OAuthCoreError`` is thrown.
    public typealias NextChunk = @Sendable () async throws -> [UInt8]?

    private let nextChunk: NextChunk

    /// Makes a body from the pieces that a transport receives.
    ///
    /// - Parameter nextChunk: Returns the next piece.
    public init(nextChunk: @escaping NextChunk) {
        self.nextChunk = nextChunk
    }

    /// Makes a body that was already received.
    ///
    /// - Parameter body: The whole body.
    public init(_ body: [UInt8]) {
        self.init(startingWith: body) { nil }
    }

    /// Makes a body whose beginning was already received.
    package init(startingWith start: [UInt8], then nextChunk: @escaping NextChunk) {
        let rest = OneShotValue(start)
        self.init {
            if let start = rest.take(), !start.isEmpty { return start }
            return try await nextChunk()
        }
    }

    /// Waits for the next piece; `nil` at the end.
    package func next() async throws -> [UInt8]? {
        try await nextChunk()
    }

    /// Begins to read.
    ///
    /// - Returns: An iterator; a second one continues where the first one is.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(nextChunk: nextChunk)
    }

    /// Reads the pieces one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let nextChunk: NextChunk

        /// Waits for the next piece.
        ///
        /// - Returns: The piece, not empty; `nil` at the end.
        /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
        public mutating func next() async throws -> [UInt8]? {
            try await nextChunk()
        }
    }
}
