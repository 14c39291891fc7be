// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import HTTPMessage

/// A connection of the library, from one of its callbacks until the connection is resumed.
///
/// `@unchecked`: whoever gets the pointer on another thread only resumes the connection, which any thread may do. That
/// happens once, under the lock of ``PendingAnswer``; until then a suspended connection stays in memory.
@safe struct ConnectionPointer: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let wakeup: Wakeup

    init(_ pointer: OpaquePointer, of wakeup: Wakeup) {
        unsafe self.pointer = pointer
        self.wakeup = wakeup
    }

    /// Takes the connection out of its thread's loop; only inside a callback of that connection.
    func suspend() {
        unsafe MHD_suspend_connection(pointer)
    }

    /// Has the connection's thread call for the answer.
    func resume() {
        unsafe MHD_resume_connection(pointer)
        wakeup.wake()
    }

    /// Hands an answer to the library.
    ///
    /// - Returns: What the callback returns: whether the connection goes on.
    func queue(_ response: HTTPResponse, closing: Bool) -> MHD_Result {
        let prepared =
            PreparedResponse(response, closing: closing) ?? PreparedResponse(.unwritable, closing: true)
        guard let prepared else { return .NO }
        defer { unsafe MHD_destroy_response(prepared.pointer) }
        return unsafe MHD_queue_response(pointer, prepared.status, prepared.pointer)
    }
}
#endif
