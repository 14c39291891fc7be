// SPDX-License-Identifier: Apache-2.0

#if !canImport(FoundationNetworking)
import Foundation
import OAuthSystem

/// Converts a body stream to the `InputStream` that URLSession reads.
struct BodyStreamBridge {
    /// The stream that URLSession reads.
    let input: InputStream
    private let output: OutputStream
    private let chunks: BlockingChunks

    /// Converts a body; `nil` if the system cannot make a stream.
    init?(_ body: RequestBodyStream) {
        // URLSession accepts no subclass of InputStream; Apple documents one end of a bound pair.
        var reading: InputStream?
        var writing: OutputStream?
        unsafe Stream.getBoundStreams(withBufferSize: 65_536, inputStream: &reading, outputStream: &writing)
        guard let reading, let writing else { return nil }
        (input, output) = (reading, writing)
        chunks = BlockingChunks(body)
    }

    /// Starts to produce the pieces.
    ///
    /// - Parameter onFailure: Ends the request: a truncated body must not look complete.
    func start(onFailure: @escaping @Sendable () -> Void) {
        let writer = BodyStreamWriter(chunks, output)
        let hasStarted = DetachedThread.start { writer.run(onFailure: onFailure) }
        if !hasStarted { onFailure() }
    }
}

/// Writes the pieces into the end that URLSession does not read.
///
/// It is passed to one other thread, and from then on only that thread uses its stream.
private final class BodyStreamWriter: @unchecked Sendable {
    private let chunks: BlockingChunks
    private let stream: OutputStream

    init(_ chunks: BlockingChunks, _ stream: OutputStream) {
        self.chunks = chunks
        self.stream = stream
    }

    /// Writes until the end, or until URLSession no longer reads.
    func run(onFailure: () -> Void) {
        stream.open()
        // Closed only after `onFailure` has ended the request.
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
