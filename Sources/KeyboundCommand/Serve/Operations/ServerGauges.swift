// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import BatchVerification
import DPoP
import OAuthSystem

/// Values of the server that are measured on request, for Prometheus.
struct ServerGauges: Sendable {
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
#endif
