// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import OAuthCore

/// A handle of libcurl for one request, with its options.
///
/// Only the thread of the loop may use it.
@safe
final class CurlHandle {
    /// The library that made the handle.
    let library: CurlLibrary
    let pointer: UnsafeMutableRawPointer
    /// The URL of the request, for its error; `nil` for a server at a socket in the file system.
    var url: String?
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// Lives as long as the handle, which has its address.
    private var gate: CurlAddressGate?
    /// The error of the first option that libcurl rejected.
    private var refusal = CURLE_OK

    init(_ library: CurlLibrary) throws(OAuthCoreError) {
        guard let pointer = unsafe library.easyInit() else {
            throw OAuthCoreError(.transportFailed, "libcurl has no memory")
        }
        self.library = library
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe library.easyCleanup(pointer)
        unsafe library.listFree(fields)
    }

    func set(_ option: CURLoption, _ value: Int) {
        note(unsafe keybound_curl_set_long(library.setOption, pointer, option, value))
    }

    func set(_ option: CURLoption, length: Int) {
        note(unsafe keybound_curl_set_offset(library.setOption, pointer, option, length))
    }

    func set(_ option: CURLoption, _ value: String) {
        note(unsafe keybound_curl_set_text(library.setOption, pointer, option, value))
    }

    /// Clears a default of libcurl.
    func clear(_ option: CURLoption) {
        note(unsafe keybound_curl_set_text(library.setOption, pointer, option, nil))
    }

    /// Passes a copy of bytes to libcurl.
    func set(_ option: CURLoption, _ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { bytes in
            var blob = unsafe curl_blob(
                data: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                len: bytes.count,
                flags: UInt32(CURL_BLOB_COPY)
            )
            note(unsafe keybound_curl_set_blob(library.setOption, pointer, option, &blob))
        }
    }

    /// Sets the callback for bytes, and its argument.
    func set(
        _ option: CURLoption,
        _ function: keybound_curl_bytes,
        _ dataOption: CURLoption,
        _ context: UnsafeMutableRawPointer
    ) {
        note(unsafe keybound_curl_set_bytes(library.setOption, pointer, option, function, dataOption, context))
    }

    func setSeek(_ function: keybound_curl_seek, _ context: UnsafeMutableRawPointer) {
        note(unsafe keybound_curl_set_seek(library.setOption, pointer, function, context))
    }

    /// Keeps child processes from inheriting the connection: they could use it, and it would stay open.
    func setPrivateSockets() {
        note(unsafe keybound_curl_set_private_sockets(library.setOption, pointer))
    }

    /// Connects only where the gate permits it: to what the name resolves to at that moment.
    func set(_ gate: CurlAddressGate) {
        self.gate = gate
        note(unsafe keybound_curl_set_gate(library.setOption, pointer, gate.pointer))
    }

    /// Adds a field line, which takes effect with ``setFields()``.
    func addField(_ line: String) {
        guard let longer = unsafe library.listAppend(fields, line) else { return note(CURLE_OUT_OF_MEMORY) }
        unsafe fields = longer
    }

    func setFields() {
        note(unsafe keybound_curl_set_fields(library.setOption, pointer, fields))
    }

    /// Resumes the paused directions of the transfer.
    func unpause() {
        _ = unsafe library.easyPause(pointer, CURLPAUSE_CONT)
    }

    /// Checks that libcurl accepted every option: a missing one could be a protection.
    func requireSettings() throws(OAuthCoreError) {
        guard refusal == CURLE_OK else { throw failure(refusal) }
    }

    /// The error of a failed request.
    func failure(_ result: CURLcode) -> OAuthCoreError {
        if result == CURLE_COULDNT_CONNECT, gate?.hasRefused == true {
            return OAuthCoreError(
                .transportFailed,
                "the server has an address that not everybody on the Internet reaches",
                wasSent: false
            )
        }
        return CurlFailure.error(result, library, url: url, wasSent: sentSize > 0)
    }

    /// The bytes of the request that were sent on the last connection; 0 before there was a connection.
    private var sentSize: Int {
        var size = 0
        let result = unsafe keybound_curl_get_long(library.information, pointer, CURLINFO_REQUEST_SIZE, &size)
        // What is not known may have been sent.
        return result == CURLE_OK ? size : 1
    }

    /// The certificates that the server sent, in PEM, its own first; empty without CURLOPT_CERTINFO.
    var certificates: [String] {
        var list: UnsafeMutablePointer<curl_certinfo>?
        let result = unsafe keybound_curl_get_certificates(library.information, pointer, &list)
        guard result == CURLE_OK, let list = unsafe list?.pointee, let fields = unsafe list.certinfo else { return [] }
        return (0..<Int(unsafe list.num_of_certs)).compactMap { number in
            var field = unsafe fields[number]
            while let entry = unsafe field?.pointee {
                // `NAME:VALUE` for each part; this one is the whole certificate.
                let text = unsafe entry.data.map { unsafe String(cString: $0) } ?? ""
                if text.hasPrefix("Cert:") { return String(text.dropFirst(5)) }
                unsafe field = entry.next
            }
            return nil
        }
    }

    /// OpenSSL's reason for not trusting the certificate; `nil` if there is none, or libcurl uses another library.
    var verificationResult: Int? {
        var code = 0
        let result = unsafe keybound_curl_get_long(library.information, pointer, CURLINFO_SSL_VERIFYRESULT, &code)
        return result == CURLE_OK && code != 0 ? code : nil
    }

    private func note(_ result: CURLcode) {
        if refusal == CURLE_OK { refusal = result }
    }
}
#endif
