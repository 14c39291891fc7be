// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import Glibc
import OAuthCore

/// One running request, on the thread of the loop: the callbacks of libcurl and their state.
final class CurlTransfer {
    /// Returned to libcurl to pause the transfer (CURL_WRITEFUNC_PAUSE, CURL_READFUNC_PAUSE).
    private static let pause = 0x1000_0001
    /// Returned to libcurl to abort the upload (CURL_READFUNC_ABORT).
    private static let abort = 0x1000_0000

    let handle: CurlHandle
    private let answer: CurlResponse
    private let body: CurlUpload
    private var head: CurlHeadReader
    /// Why the response was rejected, if libcurl itself has no objection.
    private var refusal: OAuthCoreError?

    /// Prepares a request.
    ///
    /// `onMoreBody` is called on another thread when more of a body is available after the upload had paused.
    init(
        _ request: CurlRequest,
        _ answer: CurlResponse,
        _ configuration: CurlTransportConfiguration,
        _ library: CurlLibrary,
        onMoreBody: @escaping @Sendable () -> Void
    ) throws(OAuthCoreError) {
        handle = try CurlHandle(library)
        self.answer = answer
        head = CurlHeadReader(allowsProtocolChange: configuration.allowsProtocolChange)
        body = CurlUpload(request, onMore: onMoreBody)
        handle.configure(configuration, limit: request.limit, timeout: request.timeout)
        handle.prepare(request, length: body.length, proxy: configuration.usedProxy)
        if configuration.unixSocket == nil { handle.url = request.url }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe handle.set(CURLOPT_HEADERFUNCTION, Self.onHead, CURLOPT_HEADERDATA, context)
        unsafe handle.set(CURLOPT_WRITEFUNCTION, Self.onBody, CURLOPT_WRITEDATA, context)
        unsafe handle.set(CURLOPT_READFUNCTION, Self.onSend, CURLOPT_READDATA, context)
        unsafe handle.setSeek(Self.onSeek, context)
        try handle.requireSettings()
    }

    deinit {
        body.close()
    }

    /// Handles the result that libcurl reports.
    func finish(_ result: CURLcode) {
        if let refusal {
            answer.finish(refusal)
        } else {
            answer.finish(result == CURLE_OK ? nil : handle.failure(result))
        }
    }

    /// Handles the cancellation by the sender.
    func cancel() {
        answer.finish(OAuthCoreError(.cancelled, "the request was cancelled"))
    }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        unsafe context.map { unsafe Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onHead: keybound_curl_bytes = { bytes, _, count, context in
        guard let bytes = unsafe bytes, let transfer = unsafe CurlTransfer.transfer(context) else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        return unsafe transfer.takeHead(Array(line)) ? count : 0
    }

    private static let onBody: keybound_curl_bytes = { bytes, _, count, context in
        guard let bytes = unsafe bytes, let transfer = unsafe CurlTransfer.transfer(context) else { return 0 }
        guard transfer.head.head != nil else { return 0 }
        let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        return unsafe transfer.answer.body.offer(Array(piece)) ? count : pause
    }

    private static let onSend: keybound_curl_bytes = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let transfer = unsafe CurlTransfer.transfer(context) else { return abort }
        switch transfer.body.take(size * count) {
        case .bytes(let piece):
            unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count).copyBytes(from: piece)
            return piece.count
        case .later: return pause
        case .end: return 0
        case .failure: return abort
        }
    }

    private static let onSeek: keybound_curl_seek = { context, offset, origin in
        guard origin == SEEK_SET, let transfer = unsafe CurlTransfer.transfer(context) else {
            return CURL_SEEKFUNC_FAIL
        }
        return transfer.body.seek(to: offset) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }

    private func takeHead(_ line: [UInt8]) -> Bool {
        let wasComplete = head.head != nil
        do {
            try head.take(line)
        } catch {
            refusal = error
            return false
        }
        if !wasComplete, let head = head.head { answer.begin(head) }
        return true
    }
}
#endif
