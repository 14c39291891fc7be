// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// Writes audit events, one JSON object per line, to a file or to standard error.
///
/// Nonce challenges are not written: every client gets them.
final class AuditLog: AuditSink {
    let writer: LineWriter
    /// Reopens the file by its name, after the old one was renamed.
    let reopen: @Sendable () -> Void

    init(_ writer: LineWriter, reopen: @escaping @Sendable () -> Void = {}) {
        self.writer = writer
        self.reopen = reopen
    }

    /// The configured log; `nil` for none.
    convenience init?(_ settings: ServerSettings, failed: @escaping @Sendable (String) -> Void) throws {
        switch settings.text(.auditLog) {
        case nil, "none": return nil
        case "stderr": self.init(LineWriter { StandardStream.error.write($0) })
        case .some(let path):
            let file = try settings.naming(.auditLog) { try AppendedFile(path) }
            self.init(
                LineWriter { lines in
                    let (count, failure) = file.append(lines)
                    if let failure { failed("audit events were not written: \(failure.message)") }
                    return count
                },
                reopen: {
                    do {
                        try file.reopen()
                    } catch {
                        failed(
                            "audit events are still written to the old file: \(CommandFailure(describing: error).message)"
                        )
                    }
                }
            )
        }
    }

    func record(_ event: AuditEvent) {
        guard event.kind != .nonceRequested else { return }
        writer.write(JSONLine.bytes(event.json, at: event.time))
    }
}
#endif
