// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// Writes audit events, one JSON object a line, to a file or to standard error.
///
/// That clients are asked for a nonce is not written: every one of them is.
final class AuditLog: AuditSink {
    let writer: LineWriter
    /// Goes on in a new file of the same name, after the old one was renamed.
    let reopen: @Sendable () -> Void

    init(_ writer: LineWriter, reopen: @escaping @Sendable () -> Void = {}) {
        self.writer = writer
        self.reopen = reopen
    }

    /// The log that the settings name; `nil` for none.
    convenience init?(_ settings: ServerSettings, failed: @escaping @Sendable (String) -> Void) throws {
        switch settings.text(.auditLog) {
        case nil, "none": return nil
        case "stderr": self.init(LineWriter { StandardStream.error.write($0) })
        case .some(let path):
            let file = try AppendedFile(path)
            self.init(
                LineWriter { lines in
                    do {
                        try file.append(lines)
                    } catch {
                        failed("audit events were not written: \(CommandFailure(describing: error).message)")
                    }
                },
                reopen: {
                    do {
                        try file.reopen()
                    } catch {
                        failed("audit events go on in the old file: \(CommandFailure(describing: error).message)")
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
