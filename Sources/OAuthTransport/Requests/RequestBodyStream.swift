// SPDX-License-Identifier: Apache-2.0

/// The body of a request in pieces that are produced while it is sent; it can be read once.
public struct RequestBodyStream: Sendable {
    /// Produces the next piece; `nil` is the end.
    ///
    /// It is called again when the previous piece is sent or nearly so. An error ends the request. It must not block.
    public typealias NextChunk = @Sendable () async throws -> [UInt8]?

    private let nextChunk: NextChunk

    /// Makes a body.
    ///
    /// - Parameter nextChunk: Produces the next piece.
    public init(nextChunk: @escaping NextChunk) {
        self.nextChunk = nextChunk
    }

    /// Waits for the next piece that is not empty; `nil` at the end.
    func next() async throws -> [UInt8]? {
        while let chunk = try await nextChunk() {
            if !chunk.isEmpty { return chunk }
        }
        return nil
    }
}
