// SPDX-License-Identifier: Apache-2.0

#if !canImport(FoundationNetworking)
import Foundation
import OAuthSystem

/// A body stream as the `InputStream` that URLSession reads.
struct BodyStreamBridge {
    /// What URLSession reads.
    let input: InputStream
    private let output: OutputStream
    private let chunks: BlockingChunks

    /// Takes a body; `nil` when the system has no stream to give.
    init?(_ body: RequestBodyStream) {
        // URLSession takes no subclass of InputStream: one end of a pair is what Apple documents.
        var reading: InputStream?
        var writing: OutputStream?
        unsafe Stream.getBoundStreams(withBufferSize: 65_536, inputStream: &reading, outputStream: &writing)
        guard let reading, let writing else { return nil }
        (input, output) = (reading, writing)
        chunks = BlockingChunks(body)
    }

    /// Lets the pieces be made.
    ///
    /// - Parameter onFailure: Ends the request: a body that breaks off must not look like one that is whole.
    func start(onFailure: @escaping @Sendable () -> Void) {
        let writer = BodyStreamWriter(chunks, output)
        let hasStarted = DetachedThread.start { writer.run(onFailure: onFailure) }
        if !hasStarted { onFailure() }
    }
}

/// Writes the pieces into the end that URLSession does not read.
///
/// It goes to one other thread, and nobody else uses its stream from then on.
private final class BodyStreamWriter: @unchecked Sendable {
    private let chunks: BlockingChunks
    private let stream: OutputStream

    init(_ chunks: BlockingChunks, _ stream: OutputStream) {
        self.chunks = chunks
        self.stream = stream
    }

    /// Writes until the end, or until nobody reads any more.
    func run(onFailure: () -> Void) {
        stream.open()
        // After whoever is told of a failure has ended the request.
        defer { stream.close() }
        do {
            while let chunk = try chunks.next().get(), write(chunk) {}
        } catch {
            onFailure()
        }
    }

    private func write(_ chunk: [UInt8]) -> Bool {
        var rest = chunk[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBufferPointer { rest in
                unsafe rest.baseAddress.map { unsafe stream.write($0, maxLength: rest.count) } ?? 0
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
#endif
