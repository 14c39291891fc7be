// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import Synchronization

/// Keeps the audit events of a server for a test.
final class RecordedEvents: AuditSink {
    private let events = Mutex<[AuditEvent]>([])

    var all: [AuditEvent] { events.withLock { $0 } }

    func record(_ event: AuditEvent) {
        events.withLock { $0.append(event) }
    }
}
