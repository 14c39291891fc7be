// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthSystem

/// A body stream as the `InputStream` that URLSession reads.
struct BodyStreamBridge {
    /// What URLSession reads.
    let input: InputStream
    private let chunks: BlockingChunks
    #if !canImport(FoundationNetworking)
    private let output: OutputStream
    #endif

    /// Takes a body; `nil` when the system has no stream to give.
    init?(_ body: RequestBodyStream) {
        chunks = BlockingChunks(body)
        #if canImport(FoundationNetworking)
        input = PulledInputStream(chunks)
        #else
        // URLSession takes no subclass of InputStream here: one end of a pair is what Apple documents.
        var (reading, writing): (InputStream?, OutputStream?)
        unsafe Stream.getBoundStreams(withBufferSize: 65_536, inputStream: &reading, outputStream: &writing)
        guard let reading, let writing else { return nil }
        (input, output) = (reading, writing)
        #endif
    }

    /// Lets the pieces be made.
    ///
    /// - Parameter onFailure: Ends the request: a body that breaks off must not look like one that is whole.
    func start(onFailure: @escaping @Sendable () -> Void) {
        chunks.setFailureHandler(onFailure)
        #if !canImport(FoundationNetworking)
        let writer = BodyStreamWriter(chunks, output)
        if !DetachedThread.start({ writer.run() }) { onFailure() }
        #endif
    }
}

#if canImport(FoundationNetworking)
/// Makes the pieces when URLSession reads, on the queue of its session, which a stream of Foundation keeps waiting too.
private final class PulledInputStream: InputStream {
    private let chunks: BlockingChunks
    private var rest: ArraySlice<UInt8> = []
    private var status = Stream.Status.notOpen

    init(_ chunks: BlockingChunks) {
        self.chunks = chunks
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }
    override var hasBytesAvailable: Bool { status == .open }

    override func open() { status = .open }
    override func close() { status = .closed }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard status == .open, maxLength > 0 else { return status == .error ? -1 : 0 }
        if rest.isEmpty {
            switch chunks.next() {
            case .success(let chunk?): rest = chunk[...]
            case .success(nil):
                status = .atEnd
                return 0
            case .failure:
                status = .error
                return -1
            }
        }
        let piece = rest.prefix(maxLength)
        rest = rest.dropFirst(piece.count)
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: maxLength).copyBytes(from: piece)
        return piece.count
    }
}
#else
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
    func run() {
        stream.open()
        defer { stream.close() }
        while case .success(let chunk?) = chunks.next(), write(chunk) {}
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
