// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import Synchronization

/// Keeps the audit events of a server.
final class RecordedEvents: AuditSink {
    private let events = Mutex<[AuditEvent]>([])

    func record(_ event: AuditEvent) {
        events.withLock { $0.append(event) }
    }

    /// The events since the last call.
    func take() -> [AuditEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
