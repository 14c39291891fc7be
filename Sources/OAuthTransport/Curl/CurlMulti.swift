// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import OAuthCore

/// The handle of libcurl that runs many requests on one thread.
///
/// It may be shared between threads: the pointer never changes and is valid until the last reference is released.
/// `wake()` is the one function that libcurl allows on every thread (curl_multi_wakeup(3)); all others are called by
/// the thread of the one ``CurlLoop`` that owns it.
@safe
final class CurlMulti: @unchecked Sendable {
    /// The library that made the handle.
    let library: CurlLibrary
    private let pointer: UnsafeMutableRawPointer

    init(_ library: CurlLibrary) throws(OAuthCoreError) {
        guard let pointer = unsafe library.multiInit() else {
            throw OAuthCoreError(.transportFailed, "libcurl has no memory")
        }
        self.library = library
        unsafe self.pointer = pointer
    }

    deinit {
        _ = unsafe library.multiCleanup(pointer)
    }

    func wake() {
        _ = unsafe library.multiWakeup(pointer)
    }

    // MARK: On the thread of the loop

    func add(_ handle: CurlHandle) throws(OAuthCoreError) {
        guard unsafe library.multiAdd(pointer, handle.pointer) == CURLM_OK else {
            throw OAuthCoreError(.transportFailed, "libcurl cannot send the request")
        }
    }

    func remove(_ handle: CurlHandle) {
        _ = unsafe library.multiRemove(pointer, handle.pointer)
    }

    /// Sends and receives without blocking; returns the finished handles and their results.
    func perform() -> [(handle: UnsafeMutableRawPointer, result: CURLcode)] {
        var running: Int32 = 0
        _ = unsafe library.multiPerform(pointer, &running)
        var finished: [(handle: UnsafeMutableRawPointer, result: CURLcode)] = unsafe []
        var left: Int32 = 0
        while let message = unsafe library.multiInfoRead(pointer, &left)?.pointee {
            guard unsafe message.msg == CURLMSG_DONE, let handle = unsafe message.easy_handle else { continue }
            unsafe finished.append((handle, message.data.result))
        }
        return unsafe finished
    }

    /// Waits until a transfer can continue, or `wake()` is called.
    func wait(milliseconds: Int32) {
        _ = unsafe library.multiPoll(pointer, nil, 0, milliseconds, nil)
    }
}
#endif
