// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage

/// One request on its way through the library's callbacks; used only by the thread that serves the connection.
final class Exchange {
    private let core: ListenerCore
    private let record: ConnectionRecord?
    private let target: String
    private var request: HTTPRequest?
    private var expectedBodySize = 0
    /// How many bytes of a body that is too large were discarded; `nil` while the body fits.
    private var discardedBytes: Int?
    private var answer: PendingResponse?
    /// Whether the core still lists the request as suspended.
    private var isSuspended = false

    init(core: ListenerCore, record: ConnectionRecord?, target: String) {
        self.core = core
        self.record = record
        self.target = target
    }

    /// The length of the target in bytes.
    var targetLength: Int { target.utf8.count }

    /// Called after the library has read the header fields.
    ///
    /// Returns a response if they are rejected.
    func begin(_ block: HeaderBlock) -> HTTPResponse? {
        let head = RequestHead(
            method: block.method,
            target: target,
            version: block.version,
            fields: block.fields,
            isContiguous: block.isContiguous
        )
        core.requestBegan()
        request = HTTPRequest(
            method: head.method,
            target: target,
            fields: head.handedFields(limits: core.limits),
            peerAddress: record?.peer.address,
            isFromUnixSocket: record?.peer.isLocal ?? false
        )
        record?.enter(.body)
        expectedBodySize = head.contentLength ?? 0
        return head.refusal(limits: core.limits).map { core.refuse($0, from: record?.peer.address) }
    }

    var hasBegun: Bool { request != nil }

    /// Whether the connection closes after the response.
    var closesAfterResponse: Bool { core.isDraining || discardedBytes != nil }

    /// Called after the library has read a part of the body.
    ///
    /// A body that is too large can only be answered at its end; its bytes are discarded until then.
    ///
    /// - Returns: Whether the connection may continue; a client that does not stop is disconnected.
    func receive(_ part: UnsafeRawBufferPointer) -> Bool {
        if let discarded = discardedBytes {
            discardedBytes = discarded + part.count
            return discarded + part.count <= max(core.limits.bodySize, 65_536)
        }
        guard let size = request?.body.count, size + part.count <= core.limits.bodySize else {
            request?.body = []
            discardedBytes = part.count
            return true
        }
        if size == 0 { request?.body.reserveCapacity(max(expectedBodySize, part.count)) }
        unsafe request?.body.append(contentsOf: part)
        return true
    }

    /// Called when the request is complete, or its suspended connection was resumed.
    ///
    /// - Returns: The response; `nil` if the connection is now suspended.
    func respond(on connection: ConnectionPointer) -> HTTPResponse? {
        if let answer {
            connection.resumed()
            forget(answer)
            return answer.take() ?? core.refuse(.shuttingDown, from: record?.peer.address)
        }
        guard discardedBytes == nil, let request else { return core.refuse(.bodyTooLarge, from: record?.peer.address) }
        self.request?.body = []
        record?.enter(.handler)
        let answer = PendingResponse()
        self.answer = answer
        let handler = core.handler
        // Runs here until its first suspension; most responses are ready when it returns.
        let task = Task.immediate { _ = answer.answer(await handler(request)) }
        if let response = answer.take() { return response }
        if core.suspend(connection, until: answer, of: task, from: record?.peer.address) {
            isSuspended = true
            return nil
        }
        if let response = answer.take() { return response }
        task.cancel()
        return core.refuse(.shuttingDown, from: record?.peer.address)
    }

    /// Whether the library has memory for the head of a response; without it, it closes the connection in silence.
    ///
    /// The memory also holds the head of the request, with a record of 64 bytes for each field and cookie, and a copy of the
    /// cookies.
    func hasRoom(for response: HTTPResponse) -> Bool {
        // Status, date, length and connection come from the library; the rest is what its records are rounded up by.
        let head = response.fields.all.reduce(768) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        // Most are far smaller than what is left in any case.
        guard head > 4096, let request else { return true }
        let taken = request.fields.all.reduce(request.method.utf8.count + target.utf8.count + 14) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 68
        }
        let cookies = request.fields.values(for: "Cookie").reduce(0) { sum, cookies in
            sum + cookies.utf8.count + 64 * (cookies.utf8.count(where: { $0 == UInt8(ascii: ";") }) + 1)
        }
        return taken + cookies + head <= core.limits.connectionMemory
    }

    /// The response in place of one that breaks the rules of HTTP, or whose fields are too large.
    var unwritable: HTTPResponse { core.unwritable }

    /// Called when there is a response, before the library sends it.
    func answering() {
        record?.enter(.answer)
    }

    /// Called when the response was sent, or the connection is gone.
    func end() {
        if let answer {
            // A connection that the library closes is not asked for its response any more.
            forget(answer)
            // The thread that resumed the connection may still be using the daemon.
            _ = answer.take()
        }
        if hasBegun { core.requestEnded() }
        record?.enter(.kept)
    }

    private func forget(_ answer: PendingResponse) {
        guard isSuspended else { return }
        isSuspended = false
        core.resumed(answer)
    }
}
#endif
