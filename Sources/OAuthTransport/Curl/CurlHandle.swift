// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import OAuthCore

/// A handle of libcurl for one request, with its settings.
///
/// It belongs to the thread of the loop.
@safe
final class CurlHandle {
    /// The functions that it is made of.
    let library: CurlLibrary
    /// The handle.
    let pointer: UnsafeMutableRawPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// The first setting that libcurl refused.
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

    /// Takes away what libcurl has by default.
    func clear(_ option: CURLoption) {
        note(unsafe keybound_curl_set_text(library.setOption, pointer, option, nil))
    }

    /// Gives libcurl a copy of bytes.
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

    /// Sets the function that bytes go through, and what it is handed.
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

    /// Keeps the connection from the programs that this process starts: they could go on with it, and it would not end.
    func setPrivateSockets() {
        note(unsafe keybound_curl_set_private_sockets(library.setOption, pointer))
    }

    /// Adds a field line; all of them count from ``setFields()`` on.
    func addField(_ line: String) {
        guard let longer = unsafe library.listAppend(fields, line) else { return note(CURLE_OUT_OF_MEMORY) }
        unsafe fields = longer
    }

    func setFields() {
        note(unsafe keybound_curl_set_fields(library.setOption, pointer, fields))
    }

    /// Lets what was put off come again.
    func unpause() {
        _ = unsafe library.easyPause(pointer, CURLPAUSE_CONT)
    }

    /// Checks that libcurl took every setting: one that is left out could be one that protects.
    func requireSettings() throws(OAuthCoreError) {
        guard refusal == CURLE_OK else { throw failure(refusal) }
    }

    /// What libcurl says when the request fails.
    func failure(_ result: CURLcode) -> OAuthCoreError {
        CurlFailure.error(result, library)
    }

    private func note(_ result: CURLcode) {
        if refusal == CURLE_OK { refusal = result }
    }
}
#endif
