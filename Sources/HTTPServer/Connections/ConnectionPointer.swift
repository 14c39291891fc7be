// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import HTTPMessage

/// A connection of the library, from one of its callbacks until the connection is resumed.
///
/// `@unchecked`: another thread only resumes the connection, which any thread may do. That happens once, under the lock
/// of ``PendingResponse``; until then a suspended connection stays in memory.
@safe struct ConnectionPointer: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let wakeup: Wakeup

    init(_ pointer: OpaquePointer, of wakeup: Wakeup) {
        unsafe self.pointer = pointer
        self.wakeup = wakeup
    }

    /// Takes the connection out of its thread's event loop; only inside a callback of that connection.
    ///
    /// The library reads from a resumed connection before it asks for the response, and closes the connection if the
    /// client has closed its side. Only for a connection with a timeout of its own does it ask for the response first.
    /// The timeout set here never expires: it does not run while the connection is suspended, and ``resumed()`` removes
    /// it.
    func suspend() {
        unsafe keybound_set_timeout(pointer, 86_400)
        unsafe MHD_suspend_connection(pointer)
    }

    /// Must be called inside the first callback after the connection was resumed.
    func resumed() {
        unsafe keybound_set_timeout(pointer, 0)
    }

    /// Makes the connection's thread fetch the response.
    func resume() {
        unsafe MHD_resume_connection(pointer)
        wakeup.wake()
    }

    /// Hands a response to the library.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - closing: Whether the connection closes after it.
    ///   - unwritable: The response if that one breaks the rules of HTTP; the connection closes after it.
    /// - Returns: The return value for the callback: whether the connection continues.
    func queue(_ response: HTTPResponse, closing: Bool, or unwritable: @autoclosure () -> HTTPResponse) -> MHD_Result {
        let prepared = PreparedResponse(response, closing: closing) ?? PreparedResponse(unwritable(), closing: true)
        guard let prepared else { return .NO }
        defer { unsafe MHD_destroy_response(prepared.pointer) }
        return unsafe MHD_queue_response(pointer, prepared.status, prepared.pointer)
    }
}
#endif
