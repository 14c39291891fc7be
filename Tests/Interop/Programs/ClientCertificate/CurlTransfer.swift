// SPDX-License-Identifier: Apache-2.0

import CCurl
import HTTPMessage
import OAuthCore

/// One request, from its options to its response; on the thread that calls.
struct CurlTransfer {
    /// What libcurl gives out piece by piece.
    private final class Received {
        var head: [UInt8] = []
        var body: [UInt8] = []
        let maximumBodySize: Int

        init(_ maximumBodySize: Int) {
            self.maximumBodySize = maximumBodySize
        }
    }

    private static let suites = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384",
    ]
    private static let maximumHeadSize = 65_536

    private let request: HTTPRequest
    private let received: Received
    private let authorities: String
    private let identity: CurlTransport.Identity?

    init(
        _ request: HTTPRequest,
        _ maximumBodySize: Int,
        _ authorities: String,
        _ identity: CurlTransport.Identity?
    ) {
        self.request = request
        self.authorities = authorities
        self.identity = identity
        received = Received(maximumBodySize)
    }

    func perform() throws(OAuthCoreError) -> HTTPResponse {
        guard let handle = unsafe curl_easy_init() else { throw Self.failure("libcurl does not start") }
        defer { unsafe curl_easy_cleanup(handle) }
        var fields: UnsafeMutablePointer<curl_slist>?
        defer { unsafe curl_slist_free_all(fields) }
        // libcurl would wait for a 100 otherwise.
        unsafe fields = curl_slist_append(nil, "Expect:")
        for field in request.fields.all { unsafe fields = curl_slist_append(fields, "\(field.name): \(field.value)") }
        let code = withExtendedLifetime(received) {
            unsafe request.body.withUnsafeBytes { body in
                unsafe configure(handle, fields, body)
                return unsafe curl_easy_perform(handle)
            }
        }
        guard code == CURLE_OK else {
            throw Self.failure(unsafe String(cString: curl_easy_strerror(code)))
        }
        var status = 0
        guard unsafe kb_curl_status(handle, &status) == CURLE_OK else { throw Self.failure("there is no status") }
        return HTTPResponse(status: status, fields: Self.fields(of: received.head), body: received.body)
    }

    private func configure(
        _ handle: UnsafeMutableRawPointer,
        _ fields: UnsafeMutablePointer<curl_slist>?,
        _ body: UnsafeRawBufferPointer
    ) {
        let texts: [(CURLoption, String)] = [
            (CURLOPT_URL, request.target), (CURLOPT_CUSTOMREQUEST, request.method), (CURLOPT_NOPROXY, "*"),
            (CURLOPT_PROTOCOLS_STR, "https"), (CURLOPT_CAINFO, authorities),
            (CURLOPT_SSL_CIPHER_LIST, Self.suites.joined(separator: ":")),
        ]
        let shown = identity.map { [(CURLOPT_SSLCERT, $0.certificate), (CURLOPT_SSLKEY, $0.key)] } ?? []
        for (option, text) in texts + shown { unsafe _ = kb_curl_set_text(handle, option, text) }
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_TIMEOUT, 30), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
        ]
        for (option, number) in numbers { unsafe _ = kb_curl_set_long(handle, option, number) }
        unsafe _ = kb_curl_set_list(handle, CURLOPT_HTTPHEADER, fields)
        if request.method != "GET" {
            unsafe _ = kb_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.count)
            unsafe _ = kb_curl_set_text(
                handle,
                CURLOPT_COPYPOSTFIELDS,
                body.baseAddress?.assumingMemoryBound(to: CChar.self)
            )
        }
        unsafe receive(handle)
    }

    private func receive(_ handle: UnsafeMutableRawPointer) {
        let context = unsafe Unmanaged.passUnretained(received).toOpaque()
        unsafe _ = kb_curl_set_context(handle, CURLOPT_WRITEDATA, context)
        unsafe _ = kb_curl_set_context(handle, CURLOPT_HEADERDATA, context)
        unsafe _ = kb_curl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let received = unsafe Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
            // Another number than was given ends the transfer.
            guard received.body.count + size * count <= received.maximumBodySize else { return 0 }
            unsafe received.body += UnsafeRawBufferPointer(start: bytes, count: size * count)
            return size * count
        }
        unsafe _ = kb_curl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let received = unsafe Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
            guard received.head.count + size * count <= CurlTransfer.maximumHeadSize else { return 0 }
            unsafe received.head += UnsafeRawBufferPointer(start: bytes, count: size * count)
            return size * count
        }
    }

    /// The fields of the last head: there may be one of an interim response before it.
    private static func fields(of head: [UInt8]) -> HTTPFields {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let start = lines.lastIndex { $0.hasPrefix("HTTP/") } ?? lines.startIndex
        return HTTPFields(
            lines[start...].dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                return HTTPFields.Field(name: String(line[..<colon]), value: String(value))
            }
        )
    }

    private static func failure(_ reason: String) -> OAuthCoreError {
        OAuthCoreError(.transportFailed, "no answer: \(reason)")
    }
}
