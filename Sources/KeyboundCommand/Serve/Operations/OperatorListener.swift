// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import BatchVerification
import DPoP
import HTTPMessage
import HTTPServer
import OAuthSystem

/// Serves monitoring on its own address: `/metrics`, `/health`, `/ready`.
struct OperatorListener: Sendable {
    /// Values that are measured on request.
    struct Gauges: Sendable {
        let database: ServerDatabase
        /// The used proofs, if they are in the memory of this process.
        let replay: MemoryReplayStore?
        let passwords: PasswordHasher
        let log: ServerLog
        let audit: AuditLog?
        let signatures: SignatureBatcher?
        let startedAt: Timestamp

        func write(to text: inout PrometheusText) {
            text.single(
                "keybound_storage_waiting_writes",
                "gauge",
                "Operations waiting for the disk.",
                Optional(database.waitingWrites)
            )
            text.single(
                "keybound_storage_up",
                "gauge",
                "Whether the database can be reached: 1, or 0.",
                Optional(database.isAway ? 0 : 1)
            )
            text.single(
                "keybound_replay_store_proofs",
                "gauge",
                "Used proofs recorded in memory.",
                replay?.count
            )
            text.single(
                "keybound_passwords_waiting",
                "gauge",
                "Passwords waiting to be checked.",
                Optional(passwords.waitingCount)
            )
            text.signatures(signatures?.statistics)
            text.single(
                "keybound_log_lines_lost_total",
                "counter",
                "Lines of the log and the audit log that could not be written, or not fast enough.",
                Optional(log.writer.lostLines + (audit?.writer.lostLines ?? 0))
            )
            text.process(since: startedAt)
        }
    }

    private let listener: HTTPListener
    /// The listening address, with the actual port.
    let address: String

    /// `clients` is the listener whose connections are counted.
    init(
        _ listen: ListenAddress,
        _ metrics: ServerMetrics,
        _ gauges: Gauges,
        _ readiness: Readiness,
        of clients: HTTPListener
    ) throws {
        var limits = HTTPListenerLimits()
        // Monitoring needs few connections, and each takes a descriptor from the clients.
        limits.connections = 32
        listener = try HTTPListener(address: listen.address, port: listen.port, limits: limits, threads: 1) { request in
            if let answer = await readiness.answer(request) { return answer }
            guard request.path == "/metrics", request.method == "GET" || request.method == "HEAD" else {
                return HTTPResponse(status: 404, fields: ["Content-Type": "text/plain"], body: Array("no\n".utf8))
            }
            var text = PrometheusText()
            metrics.write(to: &text)
            gauges.write(to: &text)
            text.cutConnections(clients.cutConnections)
            return HTTPResponse(
                status: 200,
                fields: ["Content-Type": PrometheusText.mediaType, "Cache-Control": "no-store"],
                body: Array(text.text.utf8)
            )
        }
        address = listen.text(port: listener.port)
    }

    func stop() async {
        await listener.stop(draining: .zero)
    }
}
#endif
