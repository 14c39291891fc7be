// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage

/// One request on its way through the library's callbacks; only the thread that serves the connection touches it.
final class Exchange {
    private let core: ListenerCore
    private let record: ConnectionRecord?
    private let target: String
    private var request: HTTPRequest?
    private var expectedBodySize = 0
    /// How many bytes of a body that is too large were thrown away; `nil` while the body fits.
    private var discardedBytes: Int?
    private var answer: PendingAnswer?

    init(core: ListenerCore, record: ConnectionRecord?, target: String) {
        self.core = core
        self.record = record
        self.target = target
    }

    /// The length of the target in bytes.
    var targetLength: Int { target.utf8.count }

    /// The library has read the header fields: the answer, if the request is refused for them.
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
            fields: head.trimmedFields,
            peerAddress: record?.peerAddress
        )
        expectedBodySize = head.contentLength ?? 0
        return head.refusal(limits: core.limits).map { core.refuse($0, from: record?.peerAddress) }
    }

    /// Whether ``begin(_:)`` was called.
    var hasBegun: Bool { request != nil }

    /// Whether the connection closes after the answer.
    var closesAfterAnswer: Bool { core.isDraining || discardedBytes != nil }

    /// The library has read a part of the body.
    ///
    /// A body that is too large can only be answered at its end; what comes meanwhile is thrown away.
    ///
    /// - Returns: Whether the connection may go on; a client that does not stop is cut off.
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

    /// The request is complete, or its suspended connection was resumed.
    ///
    /// - Returns: The answer; `nil` when the connection is suspended now.
    func respond(on connection: ConnectionPointer) -> HTTPResponse? {
        if let answer {
            core.resumed(answer)
            record?.waitForClient()
            return answer.take() ?? Refusal.shuttingDown.response
        }
        guard discardedBytes == nil, let request else { return core.refuse(.bodyTooLarge, from: record?.peerAddress) }
        self.request?.body = []
        record?.waitForHandler()
        let answer = PendingAnswer()
        self.answer = answer
        let handler = core.handler
        // Runs here until it first waits for something; most answers are there when it returns.
        let task = Task.immediate { _ = answer.answer(await handler(request)) }
        if let response = answer.take() {
            record?.waitForClient()
            return response
        }
        if core.suspend(connection, until: answer, of: task) { return nil }
        record?.waitForClient()
        if let response = answer.take() { return response }
        task.cancel()
        return Refusal.shuttingDown.response
    }

    /// The answer is sent, or the connection is gone.
    func end() {
        // Whoever resumed the connection may still be at it, with the daemon in its hands.
        _ = answer?.take()
        if hasBegun { core.requestEnded() }
        record?.waitForClient()
    }
}
#endif
