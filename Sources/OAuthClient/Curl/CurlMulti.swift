// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import OAuthCore

/// The handle of libcurl that drives many requests on one thread.
///
/// It may be shared between threads: the pointer never changes and is valid until nobody holds this, `wake()` is the one
/// function that libcurl allows on every thread (curl_multi_wakeup(3)), and all others are called by the thread of the
/// one ``CurlLoop`` that owns it.
@safe
final class CurlMulti: @unchecked Sendable {
    private static let isInitialized: Bool = curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32)) == CURLE_OK

    /// `nil` without memory.
    private let pointer: UnsafeMutableRawPointer?

    /// Whether there was memory for it; otherwise nothing can be sent.
    var isReady: Bool { unsafe pointer != nil }

    init() {
        unsafe pointer = Self.isInitialized ? curl_multi_init() : nil
    }

    deinit {
        if let pointer = unsafe pointer { unsafe curl_multi_cleanup(pointer) }
    }

    func wake() {
        if let pointer = unsafe pointer { unsafe curl_multi_wakeup(pointer) }
    }

    // MARK: On the thread of the loop

    func add(_ handle: CurlHandle) throws(OAuthCoreError) {
        guard let pointer = unsafe pointer, unsafe curl_multi_add_handle(pointer, handle.pointer) == CURLM_OK else {
            throw OAuthCoreError(.transportFailed, "libcurl cannot send the request")
        }
    }

    func remove(_ handle: CurlHandle) {
        unsafe curl_multi_remove_handle(pointer, handle.pointer)
    }

    /// Sends and receives what can be; returns which handles are done, and how they ended.
    func perform() -> [(handle: UnsafeMutableRawPointer, result: CURLcode)] {
        var running: Int32 = 0
        unsafe curl_multi_perform(pointer, &running)
        var finished: [(handle: UnsafeMutableRawPointer, result: CURLcode)] = unsafe []
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(pointer, &left)?.pointee {
            guard unsafe message.msg == CURLMSG_DONE, let handle = unsafe message.easy_handle else { continue }
            unsafe finished.append((handle, message.data.result))
        }
        return unsafe finished
    }

    /// Waits until there is something to do, or `wake()` is called.
    func wait(milliseconds: Int32) {
        unsafe curl_multi_poll(pointer, nil, 0, milliseconds, nil)
    }
}
#endif
